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
	"assay/internal/practice"
	"assay/internal/spelling"
)

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
		p.FailAt(b.ValueAt, "minAvailable is %s, and %s has %s: no pod may be evicted", b.MinAvailable, whose, counted(n, "replica"))
	}
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
