package manifest

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/practice"
	"assay/internal/spec"
)

// Labels of nodes that pods are placed by.
const (
	poolLabel     = "assay/pool" // on the nodes of the pools that are rendered
	hostLabel     = "kubernetes.io/hostname"
	instanceLabel = "node.kubernetes.io/instance-type"
	karpenterPool = "karpenter.sh/nodepool"
)

// placement of a pod: which nodes, and how replicas are spread over them.
func (s *server) placement() object {
	o := object{}
	if s.with("nodepool") {
		o = append(o, field{"nodeSelector", object{{poolLabel, s.name(), ""}}, "the nodes of the pool that is rendered beside"})
	}
	o = append(o,
		field{"tolerations", s.tolerations(), "the taint keeps other pods off nodes with accelerators"},
		field{"affinity", s.affinity(), ""},
		field{"topologySpreadConstraints", s.spread(), ""},
	)
	return o
}

// tolerations of the taints that GPU nodes have here, and of those of the plan's pools.
func (s *server) tolerations() []object {
	own := object{{"key", s.resource, ""}, {"operator", "Exists", ""}, {"effect", "NoSchedule", ""}}
	all := []object{own}
	for _, t := range s.Option.Host.Tolerations {
		if t.Key == s.resource && t.Effect == "NoSchedule" {
			continue
		}
		all = append(all, object{{"key", t.Key, ""}, {"operator", t.Operator, ""}, {"value", t.Value, ""}, {"effect", t.Effect, ""}})
	}
	return all
}

// affinity asks for the nodes of the plan where no pool is rendered beside, for the kinds
// of capacity, and for zones.
func (s *server) affinity() object {
	var terms []object
	in := func(key, why string, values ...string) {
		terms = append(terms, object{{"key", key, why}, {"operator", "In", ""}, {"values", values, ""}})
	}
	pools := s.Option.Host.NodePools
	switch {
	case s.with("nodepool"):
	case len(pools) > 0:
		in(karpenterPool, "the pools that the plan looked at", pools...)
		in(instanceLabel, "what the plan chose", s.instance.Name)
	default:
		in(instanceLabel, "what the plan chose", s.instance.Name)
	}
	in(practice.CapacityLabel, s.whyCapacity(), s.capacity...)
	if zones := s.zones(); len(zones) > 0 {
		in(practice.ZoneLabel, s.whyZones(), zones...)
	}
	return object{
		{"nodeAffinity", object{{"requiredDuringSchedulingIgnoredDuringExecution", object{
			{"nodeSelectorTerms", []object{{{"matchExpressions", terms, ""}}}, ""},
		}, ""}}, ""},
		{"podAffinity", s.together(), ""},
	}
}

// groupLabel is what the controller of LeaderWorkerSets gives all pods of one group: its
// GroupUniqueHashLabelKey.
const groupLabel = "leaderworkerset.sigs.k8s.io/group-key"

// together keeps the pods of one replica in one zone, where none is named.
func (s *server) together() object {
	if s.nodes == 1 || len(s.zones()) > 0 {
		return nil
	}
	return object{{"requiredDuringSchedulingIgnoredDuringExecution", []object{{
		{"topologyKey", practice.ZoneLabel, "all nodes of a replica in one zone, whichever: they are close to each other, and traffic between zones costs"},
		{"labelSelector", object{{"matchLabels", s.selector(), ""}}, ""},
		{"matchLabelKeys", []string{groupLabel}, "of this replica; other replicas may be elsewhere"},
	}}, ""}}
}

func (s *server) whyCapacity() string {
	switch {
	case len(s.capacity) == 1:
		return ""
	case s.replicas < 2 || s.nodes > 1:
		return "Karpenter takes them in this order while each has room"
	}
	return "Karpenter takes them in this order while each has room; the spread below keeps some of each"
}

// zones that pods may be in: one where their volume lies in one. That of FSx is its
// subnet's, which does not say which zone it is of.
func (s *server) zones() []string {
	if s.weights.kind == spec.OnEBS || s.nodes > 1 {
		return s.Spec.Zones[:min(len(s.Spec.Zones), 1)]
	}
	return s.Spec.Zones
}

func (s *server) whyZones() string {
	switch {
	case s.zonal() && len(s.zones()) == 1:
		return "the weights' volume lies in one zone"
	case s.nodes > 1:
		return "the nodes of a replica are close to each other, and traffic between zones costs"
	}
	return ""
}

// spread keeps replicas apart, as far as there is capacity: a pod in the wrong place is
// better than one that waits.
func (s *server) spread() []object {
	if s.replicas < 2 || s.nodes > 1 {
		return nil
	}
	constraint := func(key, why string, skew int) object {
		return object{
			{"topologyKey", key, why},
			{"maxSkew", skew, ""},
			{"whenUnsatisfiable", "ScheduleAnyway", ""},
			{"labelSelector", object{{"matchLabels", s.selector(), ""}}, ""},
			{"matchLabelKeys", []string{"pod-template-hash"}, "each rollout by itself: pods that are leaving count for nothing"},
		}
	}
	var all []object
	if len(s.zones()) != 1 && !s.zonal() {
		all = append(all, constraint(practice.ZoneLabel, "a zone that fails takes as few of them as can be"+s.whySkew(), s.onNode))
	}
	all = append(all, constraint(hostLabel, "a node that fails takes as few of them as can be"+s.whySkew(), s.onNode))
	if len(s.capacity) > 1 {
		all = append(all, constraint(practice.CapacityLabel, s.whyCapacitySpread(), 1))
	}
	return all
}

func (s *server) whyCapacitySpread() string {
	shared := strings.Join(s.capacity, " and ") + " capacity share the replicas"
	if s.onSpot() {
		shared += ": those on " + s.steady() + " stay when Spot is taken back"
	}
	return shared
}

// shared are the nodes that replicas take when each kind of capacity has its part.
func (s *server) shared() int { return s.nodesOf(s.replicas) }

// nodesOf are the nodes of so many replicas.
func (s *server) nodesOf(replicas int) int {
	if s.nodes > 1 {
		return replicas * s.nodes
	}
	nodes, kinds, onNode := 0, max(1, len(s.capacity)), max(1, s.instance.Count/s.each)
	for i := range kinds {
		part := (replicas + i) / kinds
		nodes += (part + onNode - 1) / onNode
	}
	return nodes
}

// whySkew is why replicas are not spread further: a node is filled before the next.
func (s *server) whySkew() string {
	if s.onNode == 1 {
		return ""
	}
	return fmt.Sprintf("; %d may stand together, as many as a node holds, or nodes would be half empty that the plan counts as full", s.onNode)
}

// steady is the capacity that nobody takes back.
func (s *server) steady() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(s.capacity), func(c string) bool { return c == "spot" }), " and ")
}
