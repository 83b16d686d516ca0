package karpenter

import (
	"slices"
	"strconv"
)

// operators of a requirement; true: it takes exactly one number.
var operators = map[string]bool{
	"In": false, "NotIn": false, "Exists": false, "DoesNotExist": false,
	"Gt": true, "Lt": true, "Gte": true, "Lte": true,
}

// meets says whether a label meets the requirement. A label that a type does not have
// meets NotIn and DoesNotExist only (Karpenter, scheduling.Requirements.Intersects).
func (r Requirement) meets(value string, has bool) bool {
	switch r.Operator {
	case "In":
		return has && slices.Contains(r.Values, value)
	case "NotIn":
		return !has || !slices.Contains(r.Values, value)
	case "Exists":
		return has
	case "DoesNotExist":
		return !has
	}
	if !has || len(r.Values) != 1 {
		return false
	}
	have, err := strconv.Atoi(value)
	bound, err2 := strconv.Atoi(r.Values[0])
	if err != nil || err2 != nil {
		return false
	}
	switch r.Operator {
	case "Gt":
		return have > bound
	case "Lt":
		return have < bound
	case "Gte":
		return have >= bound
	case "Lte":
		return have <= bound
	}
	return false
}

// NewRequirement is one of a pod, with the label under the name that it is judged by.
func NewRequirement(key, operator string, values []string, at Place) Requirement {
	return Requirement{Key: keyOf(clip(key)), Operator: operator, Values: values, Place: at}
}
