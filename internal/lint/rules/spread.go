package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
	"assay/internal/spelling"
)

var (
	podSpread      = facts.Source{Title: "Kubernetes, pod topology spread constraints", URL: "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/", Date: "2026-11-30"}
	karpenterNodes = facts.Source{Title: "Karpenter, scheduling: well-known labels", URL: "https://karpenter.sh/docs/concepts/scheduling/", Date: "2026-11-30"}
	podBudgets     = facts.Source{Title: "Kubernetes, disruptions", URL: "https://kubernetes.io/docs/concepts/workloads/pods/disruptions/", Date: "2026-11-30"}
	evictions      = facts.Source{Title: "Kubernetes, API-initiated eviction", URL: "https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/", Date: "2026-11-30"}
	karpenterDrain = facts.Source{Title: "Karpenter, disruption: nodes are drained by the Eviction API", URL: "https://karpenter.sh/docs/concepts/disruption/", Date: "2026-11-30"}
)

var spreadRules = []*lint.Rule{
	{
		ID: "spread-selector", Severity: lint.Warning, Subject: lint.Spread,
		Title:   "A spread constraint does not count the pods that it is written for",
		Why:     "A constraint counts the pods that its labelSelector finds. Where that is none of these pods, they are put anywhere, on one node too.",
		Fix:     "Let labelSelector match the labels of the pod template.",
		Sources: []facts.Source{podSpread},
		Pod:     spreadSelector,
	},
	{
		ID: "spread-unmeetable", Severity: lint.Error, Subject: lint.Spread,
		Title:   "Pods are to lie in more zones than they may",
		Why:     "A hard constraint with fewer zones than it needs is met by no node: the pods that are too many stay pending.",
		Fix:     "Let the pods into more zones, lower minDomains, or make the constraint a preference.",
		Sources: []facts.Source{podSpread},
		Pod:     spreadUnmeetable,
	},
	{
		ID: "capacity-type-value", Severity: lint.Error, Subject: lint.Spread,
		Title:   "A way to buy nodes that no label says",
		Why:     "karpenter.sh/capacity-type is spot, on-demand or reserved; eks.amazonaws.com/capacityType of node groups is SPOT, ON_DEMAND or CAPACITY_BLOCK. No node has another value: the pod stays pending.",
		Fix:     "Write one of them as it is.",
		Sources: []facts.Source{karpenterNodes},
		Pod:     capacityValue,
	},
	{
		ID: "capacity-label-mixed", Severity: lint.Error, Subject: lint.Spread,
		Title:   "Labels of Karpenter's nodes and of node groups are asked of one node",
		Why:     "eks.amazonaws.com/capacityType and eks.amazonaws.com/nodegroup are labels of managed node groups, karpenter.sh/… and karpenter.k8s.aws/… of nodes that Karpenter launches. No node has both: the pod stays pending.",
		Fix:     "Under Karpenter write karpenter.sh/capacity-type: spot, on-demand or reserved.",
		Sources: []facts.Source{karpenterNodes},
		Pod:     capacityMixed,
	},
	{
		ID: "node-label-misspelt", Severity: lint.Error, Subject: lint.Spread, Fixable: true,
		Title:   "A label of nodes is written as no node has it",
		Why:     "A selector on a label that no node has keeps the pod pending; a spread or an affinity by it does nothing, or keeps the pod pending as well.",
		Fix:     "Write the well-known label.",
		Sources: []facts.Source{{Title: "Kubernetes, well-known labels", URL: "https://kubernetes.io/docs/reference/labels-annotations-taints/", Date: "2026-11-30"}, karpenterNodes},
		Pod:     labelMisspelt,
	},
	{
		ID: "spot-replicas-unspread", Severity: lint.Warning, Subject: lint.Spread,
		Title:   "All replicas may lie on one Spot node",
		Why:     "Where a node has GPUs for several replicas, the scheduler may put all of them onto one. A Spot notice then takes the whole service within two minutes.",
		Fix:     "Spread them over hosts: topologySpreadConstraints by kubernetes.io/hostname with maxSkew 1.",
		Sources: []facts.Source{podSpread, spotNotice},
		Across:  spotUnspread,
	},
	{
		ID: "pdb-blocks-drains", Severity: lint.Error, Subject: lint.Spread,
		Title:   "A PodDisruptionBudget that allows no eviction",
		Why:     "With maxUnavailable 0, or minAvailable 100 %, no pod is ever evicted: nodes cannot be drained, upgraded or consolidated, and a Spot node takes its pods with it without a drain.",
		Fix:     "Allow one: maxUnavailable: 1.",
		Sources: []facts.Source{podBudgets, evictions},
		Kinds:   []string{"PodDisruptionBudget"},
		Object:  budgetBlocks,
	},
	{
		ID: "pdb-equals-replicas", Severity: lint.Error, Subject: lint.Spread,
		Title:   "A PodDisruptionBudget asks for all replicas",
		Why:     "With minAvailable as many as there are replicas no pod may be evicted: nodes cannot be drained, upgraded or consolidated, and a Spot node takes its pods with it without a drain.",
		Fix:     "Write maxUnavailable: 1, which holds for any number of replicas, or run one more.",
		Sources: []facts.Source{podBudgets, evictions},
		Across:  budgetWhole,
	},
	{
		ID: "pdb-selects-nothing", Severity: lint.Warning, Subject: lint.Spread,
		Title:   "A PodDisruptionBudget that finds none of the pods beside it",
		Why:     "A budget protects the pods that its selector finds. These have other labels: all replicas may be evicted at once.",
		Fix:     "Let the selector match the labels of the pod template.",
		Sources: []facts.Source{podBudgets},
		Across:  budgetOfNone,
	},
	{
		ID: "pdb-twice", Severity: lint.Error, Subject: lint.Spread,
		Title:   "Two PodDisruptionBudgets over the same pods",
		Why:     "The Eviction API answers 500 for a pod of two budgets: it cannot be evicted, and its node not be drained.",
		Fix:     "Keep one of them.",
		Sources: []facts.Source{evictions},
		Across:  budgetTwice,
	},
	{
		ID: "pdb-against-spot", Severity: lint.Warning, Subject: lint.Spread,
		Title:   "A Spot node may hold more pods than their budget lets go at once",
		Why:     "A node is drained by evictions, which obey the budget. What is beyond maxUnavailable waits until a replacement is ready, for minutes, and the node is gone two minutes after its notice: only the first pods drain.",
		Fix:     "Keep the pods on hosts of their own (spread or anti-affinity by kubernetes.io/hostname), or raise maxUnavailable to what one node holds.",
		Sources: []facts.Source{karpenterDrain, evictions, spotNotice},
		Across:  budgetSpot,
	},
}

// setByControllers are prefixes of labels that pods get from what makes them.
var setByControllers = []string{"leaderworkerset.", "jobset.", "batch.kubernetes.io/", "job-name", "controller-uid", "statefulset.kubernetes.io/", "apps.kubernetes.io/", "pod-template-hash", "controller-revision-hash", "training.kubeflow.org/", "kueue.", "rollouts-pod-template-hash"}

func setByController(key string) bool {
	return slices.ContainsFunc(setByControllers, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

func spreadSelector(pass *lint.Pass, p *lint.Pod) {
	labels := p.Meta.Get("labels")
	for _, c := range p.Get("topologySpreadConstraints").Items() {
		selector := c.Get("labelSelector")
		if !selector.Exists() {
			pass.Fail(orElse(c.Get("topologyKey"), c), "the constraint has no labelSelector: it counts no pod")
			continue
		}
		for k, v := range selector.Get("matchLabels").Pairs() {
			have := labels.Get(k.Text())
			byOther := !have.Exists() && setByController(k.Text())
			if have.Text() == v.Text() || byOther || v.Open() || have.Open() || k.Open() {
				continue
			}
			if !have.Exists() {
				pass.Fail(v, "the constraint counts pods with %s: %s, and these have no label %s", k.Text(), v.Text(), k.Text())
			} else {
				pass.Fail(v, "the constraint counts pods with %s: %s, and these have %s", k.Text(), v.Text(), have.Text())
			}
			break
		}
	}
}

// zonesOf are the zones that a pod's own requirements leave; ok is false where they
// leave any.
func zonesOf(p *lint.Pod) (zones []string, ok bool) {
	if v := p.NodeSelector(practice.ZoneLabel); v.Exists() {
		return []string{v.Text()}, !v.Open()
	}
	terms := required(p)
	for _, term := range terms {
		in := false
		for _, e := range term.Get("matchExpressions").Items() {
			if e.Get("key").Text() == practice.ZoneLabel && e.Get("operator").Text() == "In" {
				in = true
				for _, v := range e.Get("values").Items() {
					if v.Open() {
						return nil, false
					}
					if !slices.Contains(zones, v.Text()) {
						zones = append(zones, v.Text())
					}
				}
			}
		}
		if !in {
			return nil, false
		}
	}
	return zones, len(terms) > 0
}

func spreadUnmeetable(pass *lint.Pass, p *lint.Pod) {
	zones, ok := zonesOf(p)
	if !ok || !p.Counted {
		return
	}
	for _, c := range p.Get("topologySpreadConstraints").Items() {
		least, number := c.Get("minDomains").Int()
		skew, _ := c.Get("maxSkew").Int()
		if number && c.Get("topologyKey").Text() == practice.ZoneLabel && c.Get("whenUnsatisfiable").Text() == "DoNotSchedule" &&
			len(zones) < least && p.Replicas > skew*len(zones) {
			pass.Fail(c.Get("minDomains"), "%d zones are needed, and the pods may lie in %s: %d of %d replicas stay pending", least, strings.Join(zones, ", "), p.Replicas-skew*len(zones), p.Replicas)
		}
	}
	for _, t := range p.Get("affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution").Items() {
		if t.Get("topologyKey").Text() == practice.ZoneLabel && matchesOwn(p, t.Get("labelSelector")) && p.Replicas > len(zones) {
			pass.Fail(t.Get("topologyKey"), "one replica a zone, and the pods may lie in %s: %d of %d replicas stay pending", strings.Join(zones, ", "), p.Replicas-len(zones), p.Replicas)
		}
	}
}

// matchesOwn says that a selector of labels alone finds the pod itself.
func matchesOwn(p *lint.Pod, selector source.Value) bool {
	n := 0
	for k, v := range selector.Get("matchLabels").Pairs() {
		if p.Label(k.Text()) != v.Text() {
			return false
		}
		n++
	}
	return n > 0 && !selector.Get("matchExpressions").Exists()
}

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

// room is how many pods of a workload a node of a type holds, by what they ask for.
func room(w lint.Workload, t facts.Instance) int {
	name, count := karpenter.Resource(t)
	if name != gpuResource || w.Asks[gpuResource] < 1 {
		return 0
	}
	n := float64(count) / w.Asks[gpuResource]
	if cpu := w.Asks["cpu"]; cpu > 0 {
		n = min(n, float64(t.VCPU)/cpu)
	}
	if memory := w.Asks["memory"]; memory > 0 {
		n = min(n, float64(t.Allocatable())/memory)
	}
	return int(n)
}

// perNode is how many pods of a workload one node of the types that it is pinned to
// holds, and such a type; 0: not known.
func perNode(w lint.Workload) (most int, on string) {
	if w.Asks[gpuResource] < 1 || w.Open {
		return 0, ""
	}
	terms := w.Terms
	if len(terms) == 0 {
		terms = [][]karpenter.Requirement{nil}
	}
	for _, term := range terms {
		all := slices.Concat(w.Requirements, term)
		if !slices.ContainsFunc(all, func(r karpenter.Requirement) bool {
			return r.Operator == "In" && (r.Key == "node.kubernetes.io/instance-type" || r.Key == "karpenter.k8s.aws/instance-size")
		}) {
			return 0, ""
		}
		for _, t := range karpenter.Matching(all) {
			if n := room(w, t); n > most {
				most, on = n, t.Name
			}
		}
	}
	return most, on
}

// spotOnly says that a workload's nodes are Spot alone, or may be.
func spotOf(w lint.Workload) (may, only bool) {
	is := func(r karpenter.Requirement) (spot, alone bool) {
		if r.Key != practice.CapacityLabel || r.Operator != "In" || !slices.Contains(r.Values, facts.Spot) {
			return false, false
		}
		return true, len(r.Values) == 1
	}
	for _, r := range w.Requirements {
		if spot, alone := is(r); spot {
			return true, alone
		}
	}
	for _, term := range w.Terms {
		for _, r := range term {
			if spot, alone := is(r); spot {
				return true, alone && len(w.Terms) == 1
			}
		}
	}
	return false, false
}

// onOneSpotNode is how many pods of a workload one Spot node may hold, and which: of the types
// that the pods are pinned to, else of the NodePools that they may use, where all types
// of those have room for as many.
func onOneSpotNode(x *lint.Index, w lint.Workload) (n int, on string) {
	if may, _ := spotOf(w); may {
		if n, on := perNode(w); n > 0 {
			return n, on
		}
	}
	if !takes(w, facts.Spot) {
		return 0, ""
	}
	for _, q := range x.NodePools {
		if !slices.Contains(q.Capacities(), facts.Spot) || !mayUse(w, q) {
			continue
		}
		for _, t := range q.Types() {
			launched, _ := q.Allows(t, facts.Spot)
			if holds := room(w, t); launched && holds > 0 && matches(w, t) && (n == 0 || holds < n) {
				n, on = holds, fmt.Sprintf("%s of NodePool %s", t.Name, q.NodePool.Name)
			}
		}
	}
	return n, on
}

// takes says that a workload's own requirements let its nodes be bought in a way.
func takes(w lint.Workload, capacity string) bool {
	excludes := func(r karpenter.Requirement) bool {
		in := slices.Contains(r.Values, capacity)
		return r.Key == practice.CapacityLabel && (r.Operator == "In" && !in || r.Operator == "NotIn" && in)
	}
	return !slices.ContainsFunc(w.Requirements, excludes) && !slices.ContainsFunc(w.Terms, func(t []karpenter.Requirement) bool { return slices.ContainsFunc(t, excludes) })
}

// matches says that a workload's own requirements let it onto a type.
func matches(w lint.Workload, t facts.Instance) bool {
	terms := w.Terms
	if len(terms) == 0 {
		terms = [][]karpenter.Requirement{nil}
	}
	return slices.ContainsFunc(terms, func(term []karpenter.Requirement) bool {
		return slices.ContainsFunc(karpenter.Matching(slices.Concat(w.Requirements, term)), func(m facts.Instance) bool { return m.Name == t.Name })
	})
}

func spotUnspread(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		n, on := perNode(w)
		_, only := spotOf(w)
		if !only || n < 2 || !w.ServesVLLM || w.Apart || !w.Fixed || w.Replicas < 2 || n < w.Replicas || len(budgetsOf(x, w)) > 0 {
			continue
		}
		p.FailAt(w.Spec, "%d replicas of %.0f GPUs on Spot, and %s has GPUs for %d: one interruption may take all", w.Replicas, w.Asks[gpuResource], on, n)
	}
}

func budgetBlocks(p *lint.Pass, o *lint.Object) {
	most, least := o.Get("spec", "maxUnavailable"), o.Get("spec", "minAvailable")
	switch {
	case most.Text() == "0" || most.Text() == "0%":
		p.Fail(most, "maxUnavailable is %s: no pod may be evicted", most.Text())
	case least.Text() == "100%":
		p.Fail(least, "minAvailable is 100%%: no pod may be evicted")
	}
}

// budgetsOf are those that find a workload's pods.
func budgetsOf(x *lint.Index, w lint.Workload) []lint.PodBudget {
	var all []lint.PodBudget
	for _, b := range x.PodBudgets {
		if lint.SameNamespace(b.At.Object, w.At.Object) && !b.Selector.Open && b.Selector.Matches(w.Labels) {
			all = append(all, b)
		}
	}
	return all
}

// replicasOf are the pods of a budget, and who they are of; ok is false where their
// number is not written, or is an autoscaler's.
func replicasOf(x *lint.Index, b lint.PodBudget) (n int, whose string, ok bool) {
	found := 0
	for _, w := range x.Workloads {
		if !lint.SameNamespace(b.At.Object, w.At.Object) || b.Selector.Empty() || b.Selector.Open || !b.Selector.Matches(w.Labels) {
			continue
		}
		if !w.Counted || !w.Fixed || scaled(x, w) {
			return 0, "", false
		}
		found++
		n += w.Replicas
		whose = w.Named()
	}
	return n, whose, found == 1
}

func scaled(x *lint.Index, w lint.Workload) bool {
	return slices.ContainsFunc(x.Scalers, func(s lint.Scaler) bool {
		return s.Kind == w.At.Object.Kind && s.Target == w.At.Object.Name && lint.SameNamespace(s.At.Object, w.At.Object)
	})
}

// letGo is how many of n pods a budget lets be evicted at once: percentages round up.
func letGo(b lint.PodBudget, n int) (int, bool) {
	of := func(text string) (int, bool) {
		if percent, ok := strings.CutSuffix(text, "%"); ok {
			v, err := strconv.ParseFloat(percent, 64)
			return int(math.Ceil(v / 100 * float64(n))), err == nil && v >= 0 && v <= 100
		}
		v, err := strconv.Atoi(text)
		return v, err == nil
	}
	if b.MaxUnavailable != "" {
		return of(b.MaxUnavailable)
	}
	least, ok := of(b.MinAvailable)
	return max(0, n-least), ok && b.MinAvailable != ""
}

func budgetWhole(p *lint.Pass, x *lint.Index) {
	for _, b := range x.PodBudgets {
		n, whose, ok := replicasOf(x, b)
		allowed, known := letGo(b, n)
		if !ok || !known || n == 0 || allowed > 0 || b.MinAvailable == "" || b.MinAvailable == "100%" {
			continue
		}
		p.FailAt(b.ValueAt, "minAvailable is %s, and %s has %s: no pod may be evicted", b.MinAvailable, whose, replicas(n))
	}
}

func replicas(n int) string {
	if n == 1 {
		return "1 replica"
	}
	return fmt.Sprintf("%d replicas", n)
}

// budgetOfNone looks for the workload that a budget is written for: one of its file
// whose labels have a key of the selector, with another value that is near it or is its
// name.
func budgetOfNone(p *lint.Pass, x *lint.Index) {
	for _, b := range x.PodBudgets {
		if b.Selector.Empty() || b.Selector.Open || len(b.Selector.Expressions) > 0 {
			continue
		}
		var near *lint.Workload
		var label lint.Label
		matched := false
		for i, w := range x.Workloads {
			if !lint.SameNamespace(b.At.Object, w.At.Object) {
				continue
			}
			matched = matched || b.Selector.Matches(w.Labels)
			for _, l := range b.Selector.Labels {
				v, has := w.Labels[l.Key]
				if near == nil && w.At.File == b.At.File && has && v != l.Value && (spelling.Distance(v, l.Value) <= 2 || w.At.Object.Name == b.At.Object.Name) {
					near, label = &x.Workloads[i], l
				}
			}
		}
		if !matched && near != nil {
			p.FailAt(label.At, "the budget is of pods with %s: %s, and those of %s have %s", label.Key, label.Value, near.Named(), near.Labels[label.Key])
		}
	}
}

func budgetTwice(p *lint.Pass, x *lint.Index) {
	said := map[lint.Ref]bool{}
	for _, w := range x.Workloads {
		all := budgetsOf(x, w)
		for i := 1; i < len(all); i++ {
			first, again := all[0].At, all[i].At
			if !all[i].Selector.Empty() && !all[0].Selector.Empty() && first.Object != again.Object && !said[again.Object] {
				said[again.Object] = true
				p.FailAt(all[i].At, "the pods of %s are of the budget %s too", w.Named(), first.Object.Name)
			}
		}
	}
}

func budgetSpot(p *lint.Pass, x *lint.Index) {
	for _, w := range x.Workloads {
		if w.Apart || w.Asks[gpuResource] < 1 {
			continue
		}
		budgets := budgetsOf(x, w)
		if len(budgets) == 0 {
			continue
		}
		most, on := onOneSpotNode(x, w)
		for _, b := range budgets {
			if most < 2 {
				break
			}
			n, _, ok := replicasOf(x, b)
			allowed, known := letGo(b, n)
			if !ok && b.MaxUnavailable != "" && !strings.HasSuffix(b.MaxUnavailable, "%") {
				n, ok = most, true // however many there are
			}
			if held := min(most, n); ok && known && allowed > 0 && held > allowed {
				p.FailAt(b.ValueAt, "%d of the pods of %s may lie on one Spot %s, and the budget lets %d go at once", held, w.Named(), on, allowed)
				break
			}
		}
	}
}
