package karpenter

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/facts"
)

// Pod is what decides onto which nodes a pod may be put.
type Pod struct {
	Requirements []Requirement   // its nodeSelector
	Terms        [][]Requirement // required node affinity: one of them must hold; empty: any
	Tolerations  []Toleration
	Asks         map[string]float64 // resource → how much: cores, bytes, counts
}

// Accelerated says that the pod asks for what only types of the catalogue have, so that
// it can be judged.
func (p Pod) Accelerated() bool {
	for _, name := range Extended {
		if p.Asks[name] > 0 {
			return true
		}
	}
	return false
}

// Elsewhere says that the pod asks for something that Karpenter puts onto no node, be
// it a label of a managed node group or a resource that it does not know: what is read
// does not tell whether such a node exists.
func (p Pod) Elsewhere() bool {
	for name := range p.Asks {
		if !knownResource(name) {
			return true
		}
	}
	return slices.ContainsFunc(p.Requirements, elsewhere) ||
		slices.ContainsFunc(p.Terms, func(term []Requirement) bool { return slices.ContainsFunc(term, elsewhere) })
}

func elsewhere(r Requirement) bool {
	switch r.Key {
	case "eks.amazonaws.com/nodegroup", "alpha.eksctl.io/nodegroup-name", "kubernetes.io/hostname", "eks.amazonaws.com/capacityType", "eks.amazonaws.com/compute-type", "sagemaker.amazonaws.com/compute-type":
		return true
	}
	return false
}

// knownResource says that a resource is one by which a type is judged, or one that
// every node has some of.
func knownResource(name string) bool {
	switch name {
	case "cpu", "memory", "ephemeral-storage", "pods":
		return true
	}
	return slices.Contains(Extended, name) || strings.HasPrefix(name, "hugepages-")
}

// Obstacle is what keeps a pod from a pool. The later ones are the nearer misses.
type Obstacle int

// Obstacles, in the order in which they are looked at.
const (
	NoObstacle  Obstacle = iota
	ByLabel              // a label that the pool's nodes do not have
	ByType               // a label that no type of the pool has
	ByResource           // more than any of those types has
	ByLimit              // the pool's limits leave no room for one node
	ByMinValues          // the pool wants more choice than the pod leaves
	ByTaint              // a taint that the pod does not tolerate
)

// Fit is what a pool could give to a pod.
type Fit struct {
	Types       []facts.Instance // on which the pod could run; none where Obstacle is set
	Obstacle    Obstacle
	Why         string      // in words, with the values
	Requirement Requirement // of the pod that is not met, for ByLabel and ByType
	Resource    string      // that is short, for ByResource
	Taint       Taint       // for ByTaint
	MinValues   Requirement // of the pool, for ByMinValues
}

// Fits says which types the pool could launch for a pod, or what keeps the pod away.
func (p NodePool) Fits(pod Pod) Fit {
	terms := pod.Terms
	if len(terms) == 0 {
		terms = [][]Requirement{nil}
	}
	var best Fit
	for i, term := range terms {
		fit := p.fits(pod, slices.Concat(pod.Requirements, term))
		if fit.Obstacle == NoObstacle {
			return fit
		}
		if i == 0 || fit.Obstacle > best.Obstacle {
			best = fit
		}
	}
	return best
}

func (p NodePool) fits(pod Pod, asked []Requirement) Fit {
	for _, r := range asked {
		if !judged(r.Key) && !p.gives(r, asked) {
			return Fit{Obstacle: ByLabel, Requirement: r, Why: p.lacks(r)}
		}
		if r.Key == capacityKey && !p.launches(asked) {
			return Fit{Obstacle: ByLabel, Requirement: r, Why: p.lacks(r)}
		}
	}
	own := p.withoutLimits().Types()
	if len(own) == 0 {
		return Fit{Obstacle: ByType, Why: "no accelerated type meets its requirements"}
	}
	left := own
	for _, r := range asked {
		if !judged(r.Key) {
			continue
		}
		next := keep(left, func(i facts.Instance) bool { v, has := labels(i)[r.Key]; return r.meets(v, has) })
		if len(next) == 0 {
			return Fit{Obstacle: ByType, Requirement: r, Why: fmt.Sprintf("it launches %s, none with %s", Names(left), r)}
		}
		left = next
	}
	for _, name := range sorted(pod.Asks) {
		next := keep(left, func(i facts.Instance) bool { return offers(i, name) >= pod.Asks[name] })
		if len(next) == 0 {
			return Fit{Obstacle: ByResource, Resource: name, Why: short(left, name)}
		}
		left = next
	}
	fit := p.roomFor(left)
	if fit.Obstacle != NoObstacle {
		return fit
	}
	for _, t := range p.Taints {
		if !pod.tolerates(t) {
			return Fit{Obstacle: ByTaint, Taint: t, Why: fmt.Sprintf("its taint %s is not tolerated", t)}
		}
	}
	return fit
}

// roomFor holds types against the pool's limits and its wish for choice.
func (p NodePool) roomFor(left []facts.Instance) Fit {
	roomy := keep(left, func(i facts.Instance) bool { most, _, ok := p.Room(i); return !ok || most > 0 })
	if len(roomy) == 0 {
		_, by, _ := p.Room(left[0])
		return Fit{Obstacle: ByLimit, Why: fmt.Sprintf("its limit of %s, %s, leaves no room for one %s", by.Resource, by.Text, left[0].Name)}
	}
	for _, r := range p.Requirements {
		if n := p.choices(roomy, r); n < r.MinValues {
			return Fit{Obstacle: ByMinValues, MinValues: r, Why: fmt.Sprintf("it wants %d values of %s to choose from, and the pod leaves %d", r.MinValues, r.Key, n)}
		}
	}
	return Fit{Types: roomy}
}

// choices is how many values of a requirement's label types have between them; where
// that is not known, as many as are asked for.
func (p NodePool) choices(of []facts.Instance, r Requirement) int {
	if !judged(r.Key) {
		return r.MinValues
	}
	seen := map[string]bool{}
	for _, i := range of {
		if v, ok := labels(i)[r.Key]; ok {
			seen[v] = true
		}
	}
	return len(seen)
}

// withoutLimits is the pool as if it had room.
func (p NodePool) withoutLimits() NodePool {
	p.Limits = nil
	return p
}

// gives says whether the pool's nodes can have a label that types do not decide.
func (p NodePool) gives(r Requirement, asked []Requirement) bool {
	switch r.Key {
	case capacityKey:
		return true // see launches
	case "karpenter.sh/nodepool":
		return r.meets(p.Name, true)
	}
	same := func(q Requirement) bool { return q.Key == r.Key }
	own := keep(p.Requirements, same)
	if len(own) == 0 {
		return wellKnown(r.Key) || r.meets("", false)
	}
	return together(append(own, keep(asked, same)...))
}

// together says whether requirements on one label can all hold.
func together(all []Requirement) bool {
	var values []string
	exists, absent := false, false
	for _, r := range all {
		if r.Operator == "In" {
			values = append(values, r.Values...)
		}
		exists = exists || r.Operator != "NotIn" && r.Operator != "DoesNotExist"
		absent = absent || r.Operator == "DoesNotExist"
	}
	if len(values) == 0 {
		return !exists || !absent
	}
	return slices.ContainsFunc(values, func(v string) bool {
		return !slices.ContainsFunc(all, func(r Requirement) bool { return !r.meets(v, true) })
	})
}

// launches says whether a capacity type is left by pool and pod together.
func (p NodePool) launches(asked []Requirement) bool {
	all := slices.Concat(p.Requirements, asked)
	return slices.ContainsFunc([]string{facts.OnDemand, facts.Spot, Reserved}, func(c string) bool {
		return !slices.ContainsFunc(all, func(r Requirement) bool { return r.Key == capacityKey && !r.meets(c, true) })
	})
}

// lacks says what the pool has in place of a label that is asked for.
func (p NodePool) lacks(r Requirement) string {
	if r.Key == "karpenter.sh/nodepool" {
		return "it is called " + p.Name
	}
	for _, own := range p.Requirements {
		if own.Key == r.Key {
			return fmt.Sprintf("its nodes have %s", own)
		}
	}
	return "its nodes have no label " + r.Key
}

// offers is how much of a resource a new node of a type has for pods, at most.
func offers(i facts.Instance, resource string) float64 {
	switch resource {
	case "cpu":
		return allocatableCores(i)
	case "memory":
		return float64(i.Allocatable())
	}
	if slices.Contains(Extended, resource) {
		return uses(i, resource)
	}
	return 1e30 // not of the type alone
}

// allocatableCores are a node's cores without those that the kubelet keeps: 6 % of the
// first, 1 % of the second, 0.5 % of the next two, 0.25 % of the others. Source:
// Karpenter's AWS provider v1.14.0, pkg/providers/instancetype/types.go, read 2026-11-30.
func allocatableCores(i facts.Instance) float64 {
	kept := 0.0
	for core := range i.VCPU {
		switch {
		case core == 0:
			kept += 0.06
		case core == 1:
			kept += 0.01
		case core < 4:
			kept += 0.005
		default:
			kept += 0.0025
		}
	}
	return float64(i.VCPU) - kept
}

// short says how much of a resource the best of types has.
func short(of []facts.Instance, resource string) string {
	best := slices.MaxFunc(of, func(a, b facts.Instance) int {
		switch d := offers(a, resource) - offers(b, resource); {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	})
	return fmt.Sprintf("the most %s of its types has %s: %s", resource, best.Name, shown(offers(best, resource), resource))
}

// shown is an amount of a resource in its usual unit.
func shown(v float64, resource string) string {
	switch resource {
	case "memory":
		return fmt.Sprintf("%.0f GiB that pods can use", v/(1<<30))
	case "cpu":
		return fmt.Sprintf("%.1f cores that pods can use", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (p Pod) tolerates(t Taint) bool {
	if t.Effect == "PreferNoSchedule" {
		return true
	}
	return slices.ContainsFunc(p.Tolerations, func(o Toleration) bool {
		if o.Effect != "" && o.Effect != t.Effect {
			return false
		}
		if o.Operator == "Exists" {
			return o.Key == "" || o.Key == t.Key
		}
		return o.Key == t.Key && o.Value == t.Value
	})
}

// String is the taint as kubectl writes it.
func (t Taint) String() string {
	if t.Value == "" {
		return t.Key + ":" + t.Effect
	}
	return t.Key + "=" + t.Value + ":" + t.Effect
}

// Types are the accelerated types that the pool could launch, whatever the capacity.
func (p NodePool) Types() []facts.Instance {
	return keep(types(), func(i facts.Instance) bool {
		if p.unmet(i, "") != nil {
			return false
		}
		most, _, limited := p.Room(i)
		return !limited || most > 0
	})
}

// Names shows types, the first three of many.
func Names(of []facts.Instance) string {
	const most = 3
	var names []string
	for _, i := range of[:min(most, len(of))] {
		names = append(names, i.Name)
	}
	if len(of) > most {
		return fmt.Sprintf("%s and %d others", strings.Join(names, ", "), len(of)-most)
	}
	return strings.Join(names, ", ")
}

func keep[T any](all []T, ok func(T) bool) []T {
	var left []T
	for _, v := range all {
		if ok(v) {
			left = append(left, v)
		}
	}
	return left
}

func sorted(m map[string]float64) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}
