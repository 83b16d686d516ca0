package rules

import (
	"slices"
	"strings"

	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
	"assay/internal/spelling"
)

// nodeKeys calls for each label of nodes that a pod asks about: its key, the operator
// (In for a nodeSelector), and the values.
func nodeKeys(p *lint.Pod, each func(key source.Value, operator string, values []source.Value)) {
	for k, v := range p.Get("nodeSelector").Pairs() {
		each(k, "In", []source.Value{v})
	}
	terms := required(p)
	for _, t := range p.Get("affinity", "nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution").Items() {
		terms = append(terms, t.Get("preference"))
	}
	for _, term := range terms {
		for _, e := range term.Get("matchExpressions").Items() {
			each(e.Get("key"), e.Get("operator").Text(), e.Get("values").Items())
		}
	}
}

// capacityValues are the values of labels that say how a node is bought.
var capacityValues = map[string][]string{
	practice.CapacityLabel: {"spot", "on-demand", "reserved"},
	nodeGroupCapacity:      {"SPOT", "ON_DEMAND", "CAPACITY_BLOCK"},
}

func capacityValue(pass *lint.Pass, p *lint.Pod) {
	nodeKeys(p, func(key source.Value, _ string, values []source.Value) {
		known := capacityValues[key.Text()]
		for _, v := range values {
			if known != nil && !slices.Contains(known, v.Text()) && !v.Open() && len(practice.Marks(v.Text())) == 0 {
				pass.Fail(v, "%s is never %q: it is %s", key.Text(), v.Text(), strings.Join(known, ", "))
			}
		}
	})
}

func capacityMixed(pass *lint.Pass, p *lint.Pod) {
	mixed := func(keys []source.Value) bool {
		karpenters := slices.ContainsFunc(keys, func(k source.Value) bool { return strings.HasPrefix(k.Text(), "karpenter.") })
		for _, k := range keys {
			if karpenters && (k.Text() == nodeGroupCapacity || k.Text() == "eks.amazonaws.com/nodegroup") {
				pass.Fail(k, "%s is a label of node groups, and the same node is to have one of Karpenter's", k.Text())
				return true
			}
		}
		return false
	}
	var common []source.Value
	for k := range p.Get("nodeSelector").Pairs() {
		common = append(common, k)
	}
	if mixed(common) {
		return
	}
	for _, term := range required(p) {
		keys := slices.Clone(common)
		for _, e := range term.Get("matchExpressions").Items() {
			if e.Get("operator").Text() == "In" {
				keys = append(keys, e.Get("key"))
			}
		}
		if mixed(keys) {
			return
		}
	}
}

// nodeLabels are well-known labels of nodes on EKS.
var nodeLabels = append([]string{
	practice.ZoneLabel, "topology.kubernetes.io/region", "kubernetes.io/hostname", "kubernetes.io/arch", "kubernetes.io/os",
	"node.kubernetes.io/instance-type", nodeGroupCapacity, "eks.amazonaws.com/nodegroup",
	"topology.k8s.aws/zone-id", "topology.k8s.aws/network-node-layer-1", "topology.k8s.aws/network-node-layer-2", "topology.k8s.aws/network-node-layer-3",
	"beta.kubernetes.io/instance-type", "beta.kubernetes.io/arch", "beta.kubernetes.io/os", "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region",
}, karpenter.Labels()...)

// wrongLabels are names that are met for well-known labels, and what is meant.
var wrongLabels = map[string]string{
	"kubernetes.io/zone": practice.ZoneLabel, "topology.kubernetes.io/availability-zone": practice.ZoneLabel, "failure-domain.kubernetes.io/zone": practice.ZoneLabel,
	"kubernetes.io/instance-type": "node.kubernetes.io/instance-type", "karpenter.sh/instance-type": "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-type": "node.kubernetes.io/instance-type",
	"node.kubernetes.io/hostname":     "kubernetes.io/hostname",
	"karpenter.k8s.aws/capacity-type": practice.CapacityLabel, "node.kubernetes.io/capacity-type": practice.CapacityLabel,
}

// meant is the well-known label that a key is written for; ok is false where it is one,
// or one of the user's.
func meant(key string) (string, bool) {
	if slices.Contains(nodeLabels, key) || len(key) > 100 || key == provisionerLabel {
		return "", false
	}
	if label, wrong := wrongLabels[key]; wrong {
		return label, true
	}
	if name, under := strings.CutPrefix(key, "karpenter.sh/instance-"); under {
		return "karpenter.k8s.aws/instance-" + name, true
	}
	domain, _, _ := strings.Cut(key, "/")
	for _, label := range nodeLabels {
		if theirs, _, _ := strings.Cut(label, "/"); domain != theirs && spelling.Distance(domain, theirs) > 2 {
			continue
		}
		// Names of one letter's difference, such as network-node-layer-4, may be real.
		if d := spelling.Distance(key, label); d <= 2 && key[len(key)-1] >= 'a' {
			return label, true
		}
	}
	if domain == "karpenter.sh" || domain == "karpenter.k8s.aws" {
		return nearest(key, karpenter.Labels()) // nobody else adds labels under these
	}
	return "", false
}

func labelMisspelt(pass *lint.Pass, p *lint.Pod) {
	nodeLabelsOf(p, func(at source.Value) { labelMeant(pass, at) })
}

// labelMeant reports a label of nodes that is written for another.
func labelMeant(pass *lint.Pass, at source.Value) {
	if label, wrong := meant(at.Text()); wrong && !at.Open() {
		pass.Fail(at, "nodes have no label %s: %s is meant", at.Text(), label).Edits = pass.SetScalar(at, label)
	}
}

// nodeLabelsOf calls for each label of nodes that a pod names: in selectors, constraints
// and affinities.
func nodeLabelsOf(p *lint.Pod, each func(source.Value)) {
	nodeKeys(p, func(key source.Value, _ string, _ []source.Value) { each(key) })
	for _, c := range p.Get("topologySpreadConstraints").Items() {
		each(c.Get("topologyKey"))
	}
	for _, kind := range []string{"podAffinity", "podAntiAffinity"} {
		for _, t := range p.Get("affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution").Items() {
			each(t.Get("topologyKey"))
		}
		for _, t := range p.Get("affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution").Items() {
			each(t.Get("podAffinityTerm", "topologyKey"))
		}
	}
}
