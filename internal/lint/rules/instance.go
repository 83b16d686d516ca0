package rules

import (
	"assay/internal/facts"
	"assay/internal/karpenter"
	"assay/internal/lint"
	"assay/internal/lint/source"
)

// nodes are the instance types onto which a pod's own nodeSelector and required node
// affinity let it.
type nodes struct {
	Types []facts.Instance
	At    source.Value // what pins them
}

// instancesOf are the types that a pod is pinned to. ok is false where nothing pins it,
// or where a type is named that the catalogue lacks or that is filled in later.
func instancesOf(p *lint.Pod) (nodes, bool) {
	var n nodes
	common, at, ok := selected(p)
	if !ok {
		return n, false
	}
	n.At = at
	terms := p.Get("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms").Items()
	if len(terms) == 0 {
		n.Types = karpenter.Matching(common)
		return n, at.Exists() && len(n.Types) > 0
	}
	seen := map[string]bool{}
	for _, term := range terms {
		asked, pin, ok := expressions(term)
		if !ok || !pin.Exists() && !at.Exists() {
			return n, false
		}
		if !n.At.Exists() {
			n.At = pin
		}
		for _, i := range karpenter.Matching(append(asked, common...)) {
			if !seen[i.Name] {
				seen[i.Name] = true
				n.Types = append(n.Types, i)
			}
		}
	}
	return n, len(n.Types) > 0
}

// selected are the requirements of the nodeSelector, and the place of the first that
// tells types apart.
func selected(p *lint.Pod) ([]karpenter.Requirement, source.Value, bool) {
	var all []karpenter.Requirement
	var pin source.Value
	for k, v := range p.Get("nodeSelector").Pairs() {
		if !karpenter.Judged(k.Text()) {
			continue
		}
		r := karpenter.Requirement{Key: k.Text(), Operator: "In", Values: []string{v.Text()}}
		if v.Open() || !catalogued(r) {
			return nil, pin, false
		}
		all = append(all, r)
		if !pin.Exists() && tellsTypes(r.Key) {
			pin = v
		}
	}
	return all, pin, true
}

// expressions are those of one term of a node affinity.
func expressions(term source.Value) ([]karpenter.Requirement, source.Value, bool) {
	var all []karpenter.Requirement
	var pin source.Value
	for _, e := range term.Get("matchExpressions").Items() {
		r := karpenter.Requirement{Key: e.Get("key").Text(), Operator: e.Get("operator").Text(), Values: e.Get("values").Texts()}
		if !karpenter.Judged(r.Key) {
			continue
		}
		for _, v := range e.Get("values").Items() {
			if v.Open() {
				return nil, pin, false
			}
		}
		if !catalogued(r) {
			return nil, pin, false
		}
		all = append(all, r)
		if !pin.Exists() && r.Operator == "In" && tellsTypes(r.Key) {
			pin = e.Get("values")
		}
	}
	return all, pin, true
}

// tellsTypes leaves out labels that nearly every type has: an architecture pins none.
func tellsTypes(key string) bool { return key != "kubernetes.io/arch" && key != "kubernetes.io/os" }

// catalogued says that each value asked for is one of a type in the catalogue: a type
// that is missing there would be taken for none.
func catalogued(r karpenter.Requirement) bool {
	if r.Operator != "In" {
		return true
	}
	for _, v := range r.Values {
		if len(karpenter.Matching([]karpenter.Requirement{{Key: r.Key, Operator: "In", Values: []string{v}}})) == 0 {
			return false
		}
	}
	return true
}

// names are those of types, as a list of few words.
func names(types []facts.Instance) string {
	const most = 3
	s := ""
	for i, t := range types {
		if i == most {
			return s + " and others"
		}
		if i > 0 {
			s += ", "
		}
		s += t.Name
	}
	return s
}
