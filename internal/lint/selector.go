package lint

import (
	"slices"

	"assay/internal/lint/source"
)

// Selector is a label selector with the places of its parts.
type Selector struct {
	At     Spot
	Labels []Label // all must be there
	// Expressions are matchExpressions; Open says that one of its values is filled in later.
	Expressions []Expression
	Open        bool
}

// Label is one that a selector asks for.
type Label struct {
	Key, Value string
	At         Spot // of the value
}

// Expression is one of a selector's matchExpressions.
type Expression struct {
	Key, Operator string
	Values        []string
}

// selectorOf reads a selector with matchLabels and matchExpressions, or a mapping of
// labels as Services have it.
func selectorOf(o *Object, v source.Value) Selector {
	s := Selector{}
	if !v.Exists() {
		return s
	}
	s.At = o.Spot(v)
	labels := v
	if v.Get("matchLabels").IsMap() || v.Get("matchExpressions").IsList() {
		labels = v.Get("matchLabels")
	}
	for k, item := range labels.Pairs() {
		s.Open = s.Open || item.Open() || k.Open()
		s.Labels = append(s.Labels, Label{k.Text(), item.Text(), o.Spot(item)})
	}
	for _, e := range v.Get("matchExpressions").Items() {
		s.Expressions = append(s.Expressions, Expression{e.Get("key").Text(), e.Get("operator").Text(), e.Get("values").Texts()})
	}
	return s
}

// Empty says that the selector asks for nothing; what that means differs by kind.
func (s Selector) Empty() bool { return len(s.Labels) == 0 && len(s.Expressions) == 0 }

// Matches says that labels satisfy the selector.
func (s Selector) Matches(labels map[string]string) bool {
	for _, l := range s.Labels {
		if v, ok := labels[l.Key]; !ok || v != l.Value {
			return false
		}
	}
	for _, e := range s.Expressions {
		if !e.matches(labels) {
			return false
		}
	}
	return true
}

func (e Expression) matches(labels map[string]string) bool {
	v, has := labels[e.Key]
	switch e.Operator {
	case "In":
		return has && slices.Contains(e.Values, v)
	case "NotIn":
		return !has || !slices.Contains(e.Values, v)
	case "Exists":
		return has
	}
	return !has // DoesNotExist
}
