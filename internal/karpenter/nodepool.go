package karpenter

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/facts"
)

// Reserved is the capacity type of On-Demand Capacity Reservations and Capacity
// Blocks; facts has the others.
const Reserved = "reserved"

// NodePool is what a NodePool says of the nodes that it may launch.
type NodePool struct {
	Name         string
	Place        Place
	Weight       int // the heavier pool is tried first
	NodeClass    string
	Requirements []Requirement // of spec.template.spec, and the labels of spec.template.metadata
	Taints       []Taint       // startup taints are not among them: Karpenter ignores them
	Limits       []Limit
	Static       bool // it keeps spec.replicas nodes, whatever pods ask for
}

// Place is where something stands in a file.
type Place struct {
	File   string
	Line   int
	Column int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Requirement is one on the labels of a node.
type Requirement struct {
	Key       string
	Operator  string // In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte
	Values    []string
	MinValues int // how many values must remain possible; 0: not asked
	Place     Place
}

func (r Requirement) String() string {
	if len(r.Values) == 0 {
		return r.Key + " " + r.Operator
	}
	return fmt.Sprintf("%s %s [%s]", r.Key, r.Operator, strings.Join(r.Values, ", "))
}

// Taint keeps pods away that do not tolerate it.
type Taint struct {
	Key, Value, Effect string
}

// Toleration is what a pod needs to be put onto a tainted node.
type Toleration struct {
	Key      string `json:"key"`
	Operator string `json:"operator"`
	Value    string `json:"value,omitempty"`
	Effect   string `json:"effect"`
}

// Tolerations are what pods need on the pool's nodes. PreferNoSchedule needs none.
func (p NodePool) Tolerations() []Toleration {
	var all []Toleration
	for _, t := range p.Taints {
		if t.Effect != "NoSchedule" && t.Effect != "NoExecute" {
			continue
		}
		need := Toleration{Key: t.Key, Operator: "Equal", Value: t.Value, Effect: t.Effect}
		if t.Value == "" {
			need.Operator = "Exists"
		}
		all = append(all, need)
	}
	return all
}

// Allows says whether the pool could launch an instance type with a capacity type
// (facts.OnDemand, facts.Spot, Reserved; empty: any), and why not. Requirements on
// what is not known of a type are taken as met; Unjudged lists them.
func (p NodePool) Allows(i facts.Instance, capacity string) (bool, string) {
	if r := p.unmet(i, capacity); r != nil && r.Key == capacityKey {
		return false, fmt.Sprintf("NodePool %s launches no %s capacity: %s (%s)", p.Name, orAny(capacity), r, r.Place)
	} else if r != nil {
		value, has := labels(i)[r.Key]
		return false, fmt.Sprintf("NodePool %s does not take %s, whose %s: %s (%s)", p.Name, i.Name, is(r.Key, value, has), r, r.Place)
	}
	if most, limit, ok := p.Room(i); ok && most == 0 {
		return false, fmt.Sprintf("NodePool %s has no room for one %s: its limit of %s is %s (%s)", p.Name, i.Name, limit.Resource, limit.Text, limit.Place)
	}
	return true, ""
}

// unmet is the first requirement that a type with a capacity type does not meet; nil:
// it meets all.
func (p NodePool) unmet(i facts.Instance, capacity string) *Requirement {
	own := labels(i)
	for n := range p.Requirements {
		r := &p.Requirements[n]
		switch {
		case r.Key == capacityKey:
			if !r.capacity(capacity) {
				return r
			}
		case judged(r.Key):
			if value, has := own[r.Key]; !r.meets(value, has) {
				return r
			}
		}
	}
	return nil
}

func is(key, value string, has bool) string {
	name := key[strings.LastIndex(key, "/")+1:]
	if !has {
		return name + " is not set"
	}
	return name + " is " + value
}

func orAny(capacity string) string {
	if capacity == "" {
		return "known"
	}
	return capacity
}

// capacity says whether the requirement leaves a capacity type; empty: any of them.
func (r Requirement) capacity(want string) bool {
	return slices.ContainsFunc([]string{facts.OnDemand, facts.Spot, Reserved}, func(c string) bool {
		return (want == "" || want == c) && r.meets(c, true)
	})
}

// Unjudged are the pool's requirements that cannot be held against a type, each with
// the reason.
func (p NodePool) Unjudged() []string {
	var all []string
	for _, r := range p.Requirements {
		switch {
		case r.Key != capacityKey && !judged(r.Key) && wellKnown(r.Key):
			all = append(all, fmt.Sprintf("%s (%s) is not judged: it is not in the catalogue of types", r, r.Place))
		case r.MinValues > 1:
			all = append(all, fmt.Sprintf("%s (%s) asks for %d values at least: a pod that names one type does not get a node from it", r, r.Place, r.MinValues))
		}
	}
	if p.Static {
		all = append(all, fmt.Sprintf("it keeps a fixed number of nodes (%s)", p.Place))
	}
	return all
}

// Templated says that a part of the pool that decides what it launches is filled in
// later, as ${VAR} or {{ … }}.
func (p NodePool) Templated() bool {
	for _, r := range p.Requirements {
		for _, v := range append([]string{r.Key}, r.Values...) {
			if strings.Contains(v, "${") || strings.Contains(v, "{{") || strings.Contains(v, "$(") {
				return true
			}
		}
	}
	return false
}
