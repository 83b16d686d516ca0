package karpenter

import (
	"slices"
	"strings"
	"sync"

	"assay/internal/facts"
)

// Pinned says that the pool's requirements let in nothing but accelerated types, so that
// the catalogue knows all that it could launch: a GPU or accelerator is asked for, or
// only families and categories that have one.
func (p NodePool) Pinned() bool {
	return slices.ContainsFunc(p.Requirements, func(r Requirement) bool {
		name, ours := strings.CutPrefix(r.Key, own+"instance-")
		switch {
		case ours && (strings.HasPrefix(name, "gpu-") || strings.HasPrefix(name, "accelerator-")):
			return r.Operator != "NotIn" && r.Operator != "DoesNotExist" && !slices.Contains(r.Values, "0") && !atLeastNone(r)
		case r.Operator != "In" || len(r.Values) == 0:
			return false
		case r.Key == own+"instance-category":
			return !slices.ContainsFunc(r.Values, func(v string) bool { return !hasValue(r.Key, v) })
		case r.Key == own+"instance-family":
			return !slices.ContainsFunc(r.Values, func(v string) bool { return !hasValue(r.Key, v) })
		case r.Key == "node.kubernetes.io/instance-type":
			return !slices.ContainsFunc(r.Values, func(v string) bool { return !FamilyKnown(v) })
		}
		return false
	})
}

// atLeastNone says that a bound lets in types without any.
func atLeastNone(r Requirement) bool { return r.Operator == "Lt" || r.Operator == "Lte" }

var allValues = sync.OnceValue(func() map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, i := range types() {
		for k, v := range labels(i) {
			if all[k] == nil {
				all[k] = map[string]bool{}
			}
			all[k][v] = true
		}
	}
	return all
})

// hasValue says that a type of the catalogue has a label with a value.
func hasValue(key, value string) bool { return allValues()[key][value] }

// Values are those that the types of the catalogue have of a label, in order.
func Values(key string) []string {
	var all []string
	for v := range allValues()[keyOf(key)] {
		all = append(all, v)
	}
	slices.Sort(all)
	return all
}

// FamilyKnown says that a type's name is of a family in the catalogue, which then holds
// all sizes of it.
func FamilyKnown(typeName string) bool {
	family, _, ok := strings.Cut(typeName, ".")
	return ok && hasValue(own+"instance-family", family)
}

// TypeKnown says that a type is in the catalogue.
func TypeKnown(name string) bool { return hasValue("node.kubernetes.io/instance-type", name) }

// Together says whether requirements on one label can all hold.
func Together(all []Requirement) bool { return together(all) }

// Choices is how many values of a requirement's label the pool's types have.
func (p NodePool) Choices(r Requirement) int { return p.choices(p.Types(), r) }

// Roomy is the pool without its limits.
func (p NodePool) Roomy() NodePool { return p.withoutLimits() }

// Capacities are the capacity types that the pool's requirements leave.
func (p NodePool) Capacities() []string {
	return slices.DeleteFunc([]string{facts.OnDemand, facts.Spot, Reserved}, func(c string) bool {
		return slices.ContainsFunc(p.Requirements, func(r Requirement) bool { return r.Key == capacityKey && !r.meets(c, true) })
	})
}

// Takes says whether a requirement alone lets in any type of the catalogue.
func (r Requirement) Takes() bool {
	return slices.ContainsFunc(types(), func(i facts.Instance) bool { v, has := labels(i)[r.Key]; return r.meets(v, has) })
}

// labelsOfNodes are those under Karpenter's own names that a node can have. Source: its
// AWS provider v1.14.0, pkg/apis/v1/labels.go, read 2026-11-30.
var labelsOfNodes = []string{
	"karpenter.sh/nodepool", "karpenter.sh/capacity-type", "karpenter.sh/initialized", "karpenter.sh/registered", "karpenter.sh/do-not-sync-taints",
	own + "capacity-reservation-id", own + "capacity-reservation-type", own + "capacity-reservation-interruptible", own + "ec2nodeclass",
	own + "instance-accelerator-count", own + "instance-accelerator-manufacturer", own + "instance-accelerator-name",
	own + "instance-capability-flex", own + "instance-category", own + "instance-cpu", own + "instance-cpu-manufacturer",
	own + "instance-cpu-sustained-clock-speed-mhz", own + "instance-ebs-bandwidth", own + "instance-encryption-in-transit-supported",
	own + "instance-family", own + "instance-generation", own + "instance-gpu-count", own + "instance-gpu-manufacturer",
	own + "instance-gpu-memory", own + "instance-gpu-name", own + "instance-hypervisor", own + "instance-local-nvme",
	own + "instance-memory", own + "instance-network-bandwidth", own + "instance-size", own + "instance-tenancy",
	own + "placement-group-id", own + "placement-group-partition",
}

// Labels are those under Karpenter's own names that a node can have.
func Labels() []string { return slices.Clone(labelsOfNodes) }
