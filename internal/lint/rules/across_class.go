package rules

import (
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
)

// classOfPool is the class that a pool names, if it was read.
func classOfPool(x *lint.Index, q lint.NodePool) (lint.NodeClass, bool) {
	for _, c := range x.NodeClasses {
		if c.At.Object.Kind == q.ClassKind && c.At.Object.Name == q.NodeClass {
			return c, true
		}
	}
	return lint.NodeClass{}, false
}

func classAbsent(p *lint.Pass, x *lint.Index) {
	for _, q := range x.NodePools {
		if q.Open || q.NodeClass == "" {
			continue
		}
		if _, ok := classOfPool(x, q); ok {
			continue
		}
		if other, ok := classMeant(x, q); ok {
			p.FailAt(q.ClassName, "there is no %s %s among those read; there is %s, which no NodePool names", q.ClassKind, q.NodeClass, other)
		}
	}
}

// classMeant is a class like the one named, or the only one that no pool names.
func classMeant(x *lint.Index, q lint.NodePool) (string, bool) {
	var idle []string
	for _, c := range x.NodeClasses {
		named := slices.ContainsFunc(x.NodePools, func(o lint.NodePool) bool {
			return o.NodeClass == c.At.Object.Name && o.ClassKind == c.At.Object.Kind
		})
		if c.At.Object.Kind == q.ClassKind && !named {
			idle = append(idle, c.At.Object.Name)
		}
	}
	if len(idle) == 1 {
		return idle[0], true
	}
	return nearest(q.NodeClass, idle)
}

func latestDrift(p *lint.Pass, x *lint.Index) {
	for _, c := range x.NodeClasses {
		if c.Latest.Line == 0 {
			continue
		}
		for _, q := range x.NodePools {
			if q.NodeClass == c.At.Object.Name && !q.Open && q.Pinned() && !q.Closed && !q.Static {
				p.FailAt(c.Latest, "the image follows every release: with each one all nodes of NodePool %s (%s), which are accelerated, drift and are replaced when AWS publishes, at any hour. Name a version, such as al2023@v20251120", q.NodePool.Name, q.At.Place)
				break
			}
		}
	}
}

func reservedUnselected(p *lint.Pass, x *lint.Index) {
	for _, q := range x.NodePools {
		if q.Open || !slices.Equal(q.Capacities(), []string{karpenter.Reserved}) {
			continue
		}
		c, ok := classOfPool(x, q)
		if !ok || c.Reserves {
			continue
		}
		p.FailAt(q.CapacityAt(), "NodePool %s launches reserved capacity alone, and its %s %s (%s) selects no reservation: no node is ever launched", q.NodePool.Name, q.ClassKind, q.NodeClass, c.At.Place)
	}
}

func reservationUnused(p *lint.Pass, x *lint.Index) {
	for _, c := range x.NodeClasses {
		if !c.Reserves {
			continue
		}
		named, used := false, false
		for _, q := range x.NodePools {
			if q.NodeClass == c.At.Object.Name && q.ClassKind == c.At.Object.Kind {
				named = true
				used = used || q.Open || slices.Contains(q.Capacities(), karpenter.Reserved)
			}
		}
		if named && !used {
			p.FailAt(c.Reserved, "reservations are selected, and no NodePool that names the class allows karpenter.sh/capacity-type: reserved: they are paid for and not used")
		}
	}
}

// imageShare is the part of a volume that the kubelet lets images fill before it deletes
// some: imagefs.available < 15 % is its default.
const imageShare = 0.85

func rootBelowImage(p *lint.Pass, x *lint.Index) {
	need := facts.VLLMImage.Value * facts.ImageUnpacked.Mid / (1 << 30)
	for _, c := range x.NodeClasses {
		if c.Room <= 0 || c.Room*imageShare >= need {
			continue
		}
		w, q, ok := servedOn(x, c)
		if !ok {
			continue
		}
		p.FailAt(c.RoomAt, "%s, of which the kubelet lets images fill %.0f GiB; the image of vLLM that %s (%s) runs on NodePool %s unpacks to some %.0f GiB", c.RoomSaid, c.Room*imageShare, w.Named(), w.At.Place, q.NodePool.Name, need)
	}
}

// servedOn is a workload of vLLM that gets a node of a class.
func servedOn(x *lint.Index, c lint.NodeClass) (lint.Workload, lint.NodePool, bool) {
	for _, q := range x.NodePools {
		if q.NodeClass != c.At.Object.Name || q.ClassKind != c.At.Object.Kind {
			continue
		}
		for _, w := range x.Workloads {
			if w.ServesVLLM && mayUse(w, q) {
				return w, q, true
			}
		}
	}
	return lint.Workload{}, lint.NodePool{}, false
}

func objectTwice(p *lint.Pass, x *lint.Index) {
	for _, t := range x.Twice {
		p.FailAt(t.Again, "%s is in this file before, at line %d: the later one replaces it", refName(t.Again.Object), t.First.Line)
	}
}

func refName(r lint.Ref) string {
	if r.Namespace != "" {
		return fmt.Sprintf("%s %s/%s", r.Kind, r.Namespace, r.Name)
	}
	return r.Kind + " " + r.Name
}
