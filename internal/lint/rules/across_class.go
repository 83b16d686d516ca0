package rules

import (
	"fmt"
	"path"
	"slices"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
)

// classOfPool is the class that a pool names, if it was read; of several of the name, as
// of several clusters, the one beside it.
func classOfPool(x *lint.Index, q lint.NodePool) (lint.NodeClass, bool) {
	return closestTo(q.At, x.NodeClasses, func(c lint.NodeClass) (lint.Spot, bool) {
		return c.At, c.At.Object.Kind == q.ClassKind && c.At.Object.Name == q.NodeClass
	})
}

// closestTo is the one thing of those that fit which is nearest to a place: in its file, in
// its folder, anywhere; ok is false where none fits, or several are as near.
func closestTo[T any](at lint.Spot, all []T, fits func(T) (lint.Spot, bool)) (one T, ok bool) {
	best, alike := -1, 0
	for _, t := range all {
		there, fit := fits(t)
		if !fit {
			continue
		}
		switch near := nearness(at, there); {
		case near > best:
			one, best, alike = t, near, 1
		case near == best:
			alike++
		}
	}
	return one, alike == 1
}

// nearness of two places: 2 in one file, 1 in one folder.
func nearness(a, b lint.Spot) int {
	switch {
	case a.File == b.File:
		return 2
	case path.Dir(a.File) == path.Dir(b.File):
		return 1
	}
	return 0
}

func classAbsent(p *lint.Pass, x *lint.Index) {
	for _, q := range x.NodePools {
		if q.Open || q.NodeClass == "" {
			continue
		}
		named := func(c lint.NodeClass) bool { return c.At.Object.Kind == q.ClassKind && c.At.Object.Name == q.NodeClass }
		if slices.ContainsFunc(x.NodeClasses, named) {
			continue
		}
		if other, ok := classMeant(x, q); ok {
			p.FailAt(q.ClassName, "there is no %s %s among those read; there is %s, which no NodePool names", q.ClassKind, q.NodeClass, other)
		}
	}
}

// classMeant is a class like the one named, or the only one of the pool's file, which no
// pool names.
func classMeant(x *lint.Index, q lint.NodePool) (string, bool) {
	var idle, same []string
	for _, c := range x.NodeClasses {
		named := slices.ContainsFunc(x.NodePools, func(o lint.NodePool) bool {
			return o.NodeClass == c.At.Object.Name && o.ClassKind == c.At.Object.Kind
		})
		if c.At.Object.Kind == q.ClassKind && !named {
			idle = append(idle, c.At.Object.Name)
			if c.At.File == q.At.File {
				same = append(same, c.At.Object.Name)
			}
		}
	}
	if len(same) == 1 {
		return same[0], true
	}
	return nearest(q.NodeClass, idle)
}

// usesClass says that a pool launches nodes of a class.
func usesClass(x *lint.Index, q lint.NodePool, c lint.NodeClass) bool {
	if q.ClassKind != c.At.Object.Kind || q.NodeClass != c.At.Object.Name {
		return false
	}
	used, ok := classOfPool(x, q)
	return ok && used.At == c.At
}

func latestDrift(p *lint.Pass, x *lint.Index) {
	for _, c := range x.NodeClasses {
		if c.Latest.Line == 0 {
			continue
		}
		for _, q := range x.NodePools {
			if usesClass(x, q, c) && !q.Open && q.Pinned() && !q.Closed && !q.Static {
				p.FailAt(c.Latest, "the image follows every release: with each one all nodes of NodePool %s (%s), which are accelerated, drift and are replaced when AWS publishes, at any hour", q.NodePool.Name, q.At.Place)
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
			if usesClass(x, q, c) {
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
		if !usesClass(x, q, c) {
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
