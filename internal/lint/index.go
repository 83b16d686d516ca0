package lint

import (
	"assay/internal/karpenter"
	"assay/internal/lint/source"
)

// Index is what rules across objects know of all of them: a few fields of each, with
// their places. The objects themselves are gone.
type Index struct {
	Workloads      []Workload
	NodePools      []NodePool
	NodeClasses    []NodeClass
	Claims         []Claim
	Volumes        []Volume
	StorageClasses []StorageClass
	Services       []Service
	PodBudgets     []PodBudget
	Monitors       []Monitor
	Scalers        []Scaler
	Balancers      []Balancer
	Namespaces     []Namespace
	Queues         []Queue
	Counters       []Counters
	Counted        []Counted
	Named          map[Ref]Spot // every object by its name, APIVersion without the version
	Twice          []Twice      // objects that one file holds more than once

	memo memo // of rules, when all is read
}

// Twice is an object whose name the same file had given to another before.
type Twice struct{ First, Again Spot }

// add takes what the index keeps of an object.
func (x *Index) add(o *Object) {
	x.name(o)
	x.Counters = append(x.Counters, countersOf(o)...)
	x.Counted = append(x.Counted, countedOf(o)...)
	for _, p := range PodsOf(o) {
		x.Workloads = append(x.Workloads, workloadOf(p))
	}
	if keep, ok := kept[o.Kind]; ok {
		keep(x, o)
	}
}

// kept are the kinds of which the index keeps more than their pods.
var kept = map[string]func(*Index, *Object){
	"NodePool":                (*Index).nodePool,
	"EC2NodeClass":            (*Index).nodeClass,
	"NodeClass":               (*Index).nodeClass,
	"PersistentVolumeClaim":   (*Index).claim,
	"PersistentVolume":        (*Index).volume,
	"StorageClass":            (*Index).storageClass,
	"Service":                 (*Index).service,
	"Ingress":                 (*Index).ingress,
	"Namespace":               (*Index).namespace,
	"PodDisruptionBudget":     (*Index).podBudget,
	"ServiceMonitor":          (*Index).monitor,
	"PodMonitor":              (*Index).monitor,
	"HorizontalPodAutoscaler": (*Index).autoscaler,
	"ScaledObject":            (*Index).scaledObject,
	"LocalQueue":              (*Index).queue,
	"ClusterQueue":            (*Index).queue,
	"ResourceFlavor":          (*Index).queue,
}

func (x *Index) name(o *Object) {
	if x.Named == nil {
		x.Named = map[Ref]Spot{}
	}
	x.named(Ref{o.Group(), o.Kind, o.Namespace, o.Name}, o.Spot(o.Get("metadata", "name")))
}

func (x *Index) named(ref Ref, at Spot) {
	if first, ok := x.Named[ref]; ok && ref.Name != "" && first.File == at.File {
		x.Twice = append(x.Twice, Twice{first, at})
		return
	}
	x.Named[ref] = at
}

// SameNamespace says that two objects may lie in one namespace: one that says none
// goes where it is applied.
func SameNamespace(a, b Ref) bool {
	return a.Namespace == b.Namespace || a.Namespace == "" || b.Namespace == ""
}

// within is a place of the object of a spot, as package karpenter keeps it.
func (s Spot) within(at karpenter.Place) Spot {
	if at.Line > 0 {
		s.Line, s.Column = at.Line, at.Column
	}
	return s
}

// texts is a mapping of scalars.
func texts(v source.Value) map[string]string {
	m := map[string]string{}
	for k, item := range v.Pairs() {
		m[k.Text()] = item.Text()
	}
	return m
}
