package rules

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/practice"
)

// miss is a workload that no NodePool of those read would give a node to.
type miss struct {
	work  lint.Workload
	pool  lint.NodePool // that comes nearest
	fit   karpenter.Fit
	said  string // why each does not
	pools int
}

// misses are the workloads that can be judged and get no node.
func misses(x *lint.Index) []miss {
	return lint.OnceAcross(x, "misses", func() []miss { return missesOf(x) })
}

func missesOf(x *lint.Index) []miss {
	if len(x.NodePools) == 0 || slices.ContainsFunc(x.NodePools, func(p lint.NodePool) bool { return p.Open }) {
		return nil
	}
	var all []miss
	for _, w := range x.Workloads {
		if m, ok := missOf(x, w); ok {
			all = append(all, m)
		}
	}
	return all
}

func missOf(x *lint.Index, w lint.Workload) (miss, bool) {
	if !w.Accelerated() || w.Open || w.Elsewhere() || w.At.Object.Kind == "DaemonSet" || namesOther(x, w) || namesNoType(w) || namesNoLabel(w) {
		return miss{}, false
	}
	if fit := w.Alone(); fit.Obstacle != karpenter.NoObstacle && w.PinsTypes() && fit.Resource != "cpu" && fit.Resource != "memory" {
		return miss{}, false // other rules speak of the accelerators that the pod asks of its own types
	}
	pod := w.Pod
	for _, z := range volumeZones(x, w) {
		pod.Requirements = append(slices.Clip(pod.Requirements), z.need)
	}
	m := miss{work: w}
	meant := false // for a pool that was read
	var why []string
	for _, p := range x.NodePools {
		if !p.Offers(pod) {
			continue
		}
		fit := p.Fits(pod)
		if fit.Obstacle == karpenter.NoObstacle {
			return miss{}, false
		}
		if m.pools == 0 || fit.Obstacle > m.fit.Obstacle {
			m.pool, m.fit = p, fit
		}
		meant = meant || !chooses(fit)
		m.pools++
		why = append(why, p.NodePool.Name+": "+fit.Why)
	}
	const most = 4
	if len(why) > most {
		why = append(why[:most], fmt.Sprintf("and %d others", len(why)-most))
	}
	m.said = strings.Join(why, "; ")
	return m, meant
}

// chooses says that what keeps a pod from a pool is that it asks for nodes of another
// kind by name: of a type, a capacity or a label of the user's. A pool of such nodes may
// be there and not have been read.
func chooses(f karpenter.Fit) bool {
	switch f.Requirement.Key {
	case "", practice.ZoneLabel, "topology.k8s.aws/zone-id", "topology.kubernetes.io/region", "kubernetes.io/arch", "kubernetes.io/os":
		return false
	}
	return true
}

// namesOther says that the pod names a NodePool that was not read.
func namesOther(x *lint.Index, w lint.Workload) bool {
	named := func(r karpenter.Requirement) bool {
		return r.Key == "karpenter.sh/nodepool" && r.Operator == "In" && !slices.ContainsFunc(x.NodePools, func(p lint.NodePool) bool { return slices.Contains(r.Values, p.NodePool.Name) })
	}
	return slices.ContainsFunc(w.Requirements, named) || slices.ContainsFunc(w.Terms, func(t []karpenter.Requirement) bool { return slices.ContainsFunc(t, named) })
}

// namesNoType says that the pod names a type that there is not: see unknownType.
func namesNoType(w lint.Workload) bool {
	wrong := func(r karpenter.Requirement) bool {
		return slices.ContainsFunc(r.Values, func(v string) bool { return wrongType(r.Key, v) })
	}
	return slices.ContainsFunc(w.Requirements, wrong) || slices.ContainsFunc(w.Terms, func(t []karpenter.Requirement) bool { return slices.ContainsFunc(t, wrong) })
}

// namesNoLabel says that the pod asks for a label, or a way to buy nodes, that no node
// has: other rules speak of it.
func namesNoLabel(w lint.Workload) bool {
	wrong := func(r karpenter.Requirement) bool {
		_, misspelt := meant(r.Key)
		ways := capacityValues[r.Key]
		return misspelt || r.Key == provisionerLabel || ways != nil && slices.ContainsFunc(r.Values, func(v string) bool { return !slices.Contains(ways, v) })
	}
	return slices.ContainsFunc(w.Requirements, wrong) || slices.ContainsFunc(w.Terms, func(t []karpenter.Requirement) bool { return slices.ContainsFunc(t, wrong) })
}

func podFitsNoPool(p *lint.Pass, x *lint.Index) {
	for _, m := range misses(x) {
		if m.fit.Obstacle == karpenter.ByTaint {
			continue
		}
		who := fmt.Sprintf("none of the %d NodePools that were read gives a node", m.pools)
		if m.pools == 1 {
			who = "the one NodePool that was read and has such accelerators gives no node"
		}
		p.FailAt(m.at(), "%s to %s (%s): %s", who, m.work.Named(), acceleratorsOf(m.work), m.said)
	}
}

// at is what of the workload keeps it from the pool that comes nearest.
func (m miss) at() lint.Spot {
	switch {
	case m.fit.Requirement.Key != "":
		return m.work.PlaceOf(m.fit.Requirement)
	case m.fit.Resource != "":
		return m.work.Asked[m.fit.Resource]
	}
	for _, name := range karpenter.Extended {
		if at, ok := m.work.Asked[name]; ok {
			return at
		}
	}
	return m.work.Spec
}

// acceleratorsOf is what of accelerators a workload asks for.
func acceleratorsOf(w lint.Workload) string {
	var all []string
	for _, name := range karpenter.Extended {
		if n := w.Asks[name]; n > 0 {
			all = append(all, fmt.Sprintf("%.0f %s", n, name))
		}
	}
	return strings.Join(all, ", ")
}

func taintUntolerated(p *lint.Pass, x *lint.Index) {
	for _, m := range misses(x) {
		if m.fit.Obstacle == karpenter.ByTaint {
			p.FailAt(m.work.TolerationsAt, "NodePool %s (%s) would give a node to %s but for its taint %s, which the pods do not tolerate, and no other NodePool that was read does: %s",
				m.pool.NodePool.Name, m.pool.At.Place, m.work.Named(), m.fit.Taint, m.said)
		}
	}
}

func poolNamedAbsent(p *lint.Pass, x *lint.Index) {
	var pools []string
	for _, q := range x.NodePools {
		pools = append(pools, q.NodePool.Name)
	}
	for _, w := range x.Workloads {
		for _, r := range slices.Concat(append([][]karpenter.Requirement{w.Requirements}, w.Terms...)...) {
			if r.Key != "karpenter.sh/nodepool" || r.Operator != "In" {
				continue
			}
			for _, v := range r.Values {
				if near, ok := nearest(v, pools); ok && !slices.Contains(pools, v) {
					p.FailAt(w.PlaceOf(r), "%s asks for a node of NodePool %s, which is not among those read; there is %s", w.Named(), v, near)
				}
			}
		}
	}
}

// mayUse says that pods of a workload may come onto nodes of a pool, as far as that shows:
// they fit, or they name its nodes.
func mayUse(w lint.Workload, q lint.NodePool) bool {
	if q.Open || w.Open {
		return false
	}
	if w.Accelerated() {
		return q.Offers(w.Pod) && q.Fits(w.Pod).Obstacle == karpenter.NoObstacle
	}
	return w.Tolerates(q.NodePool) && w.Chooses(q.NodePool)
}

func poolGraceBelowPod(p *lint.Pass, x *lint.Index) {
	for _, q := range x.NodePools {
		if q.Grace <= 0 {
			continue
		}
		for _, w := range x.Workloads {
			if w.Grace > q.Grace && mayUse(w, q) {
				p.FailAt(q.GraceAt, "terminationGracePeriod %s is shorter than the %s that %s is given to end (%s): its pods are deleted as soon as a node is to go", inHours(q.Grace), inHours(w.Grace), w.Named(), w.GraceAt.Place)
				break
			}
		}
	}
}

func drainNeverEnds(p *lint.Pass, x *lint.Index) {
	for _, q := range x.NodePools {
		if q.Grace > 0 || q.Expire <= 0 || q.Static {
			continue
		}
		for _, w := range x.Workloads {
			if w.Kept.Line == 0 || endsAlone(w) || !mayUse(w, q) {
				continue
			}
			p.FailAt(q.ExpireAt, "nodes of %s expire after %s, and %s forbids to evict its pods (%s): without terminationGracePeriod an expired node waits for them for ever, beside the one that was launched in its place",
				q.NodePool.Name, inHours(q.Expire), w.Named(), w.Kept.Place)
			break
		}
	}
}

// endsAlone says that the workload's pods end by themselves.
func endsAlone(w lint.Workload) bool {
	switch w.At.Object.Kind {
	case "Job", "CronJob", "JobSet", "PyTorchJob", "Pod":
		return true
	}
	return false
}

func gpuPoolUntainted(p *lint.Pass, x *lint.Index) {
	for _, q := range x.NodePools {
		if q.Open || !q.Pinned() || len(q.Tolerations()) > 0 {
			continue
		}
		for _, w := range x.Workloads {
			if w.Accelerated() || w.Open || w.Elsewhere() || len(w.Requirements) > 0 || len(w.Terms) > 0 || w.At.Object.Kind == "DaemonSet" || !w.Counted {
				continue
			}
			p.FailAt(q.Spec, "NodePool %s launches accelerated nodes alone and has no taint: %s (%s), which asks for no accelerator, may run there and keep a node from being removed", q.NodePool.Name, w.Named(), w.At.Place)
			break
		}
	}
}
