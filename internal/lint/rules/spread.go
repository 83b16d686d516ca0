package rules

import (
	"slices"
	"strings"

	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

var (
	podSpread      = facts.Source{Title: "Kubernetes, pod topology spread constraints", URL: "https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/", Date: "2026-11-30"}
	karpenterNodes = facts.Source{Title: "Karpenter, scheduling: well-known labels", URL: "https://karpenter.sh/docs/concepts/scheduling/", Date: "2026-11-30"}
	podBudgets     = facts.Source{Title: "Kubernetes, disruptions", URL: "https://kubernetes.io/docs/concepts/workloads/pods/disruptions/", Date: "2026-11-30"}
	podResources   = facts.Source{Title: "Kubernetes, resource management for pods and containers", URL: "https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/", Date: "2026-11-30"}
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
		ID: "request-beyond-limit", Severity: lint.Error, Subject: lint.Spread,
		Title:     "More is requested than the limit allows",
		Why:       "The API server refuses the pod. A workload is taken, and none of its pods is made.",
		Fix:       "Raise the limit, or request no more than it.",
		Sources:   []facts.Source{podResources},
		Container: requestBeyondLimit,
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

// requestBeyondLimit compares CPU, memory and storage; GPUs have a rule of their own.
func requestBeyondLimit(p *lint.Pass, c *lint.Container) {
	for _, name := range []string{"cpu", "memory", "ephemeral-storage"} {
		asked, limit := c.Get("resources", "requests", name), c.Get("resources", "limits", name)
		a, isA := karpenter.Quantity(asked.Text())
		l, isL := karpenter.Quantity(limit.Text())
		if asked.Exists() && limit.Exists() && isA && isL && a > l {
			p.Fail(asked, "%s of %s is requested, and the limit is %s", asked.Text(), name, limit.Text())
		}
	}
}
