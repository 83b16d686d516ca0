package lint

import (
	"assay/internal/karpenter"
	"assay/internal/lint/source"
)

// Index is what rules across objects know of all of them: a few fields of each, with
// their places. The objects themselves are gone.
type Index struct {
	Workloads []Workload
	NodePools []NodePool
	Counters  []Counters
	Counted   []Counted
	Named     map[Ref]Spot // every object by its name, APIVersion without the version
}

// Workload is a pod template as rules across objects need it.
type Workload struct {
	At     Spot
	Role   string
	Labels map[string]string
}

// NodePool is Karpenter's, with the places of what is judged.
type NodePool struct {
	At Spot
	karpenter.NodePool
}

// add takes what the index keeps of an object.
func (x *Index) add(o *Object) {
	if x.Named == nil {
		x.Named = map[Ref]Spot{}
	}
	x.Named[Ref{o.Group(), o.Kind, o.Namespace, o.Name}] = o.Spot(o.Get("metadata", "name"))
	x.Counters = append(x.Counters, countersOf(o)...)
	x.Counted = append(x.Counted, countedOf(o)...)
	for _, p := range PodsOf(o) {
		x.Workloads = append(x.Workloads, workload(p))
	}
}

func workload(p *Pod) Workload {
	w := Workload{At: p.Object.Spot(p.Object.Get("metadata", "name")), Role: p.Role}
	w.Labels = texts(p.Meta.Get("labels"))
	return w
}

// texts is a mapping of scalars.
func texts(v source.Value) map[string]string {
	m := map[string]string{}
	for k, item := range v.Pairs() {
		m[k.Text()] = item.Text()
	}
	return m
}
