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
	have, err := strconv.Atoi(value)
	if !has || err != nil {
		return false
	}
	bound, _ := strconv.Atoi(r.Values[0]) // one number, checked when it was read
	switch r.Operator {
	case "Gt":
		return have > bound
	case "Lt":
		return have < bound
	case "Gte":
		return have >= bound
	}
	return have <= bound
}
