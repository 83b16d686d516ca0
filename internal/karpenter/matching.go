package karpenter

import "assay/internal/facts"

// Judged says whether a label of nodes tells instance types of the catalogue apart,
// its older names and those of EKS Auto Mode included.
func Judged(key string) bool { return judged(keyOf(key)) }

// Matching are the types of the catalogue whose labels meet all requirements, as those
// of a pod; what the catalogue does not know of types is taken as met.
func Matching(requirements []Requirement) []facts.Instance {
	var pool NodePool
	for _, r := range requirements {
		r.Key = keyOf(r.Key)
		pool.Requirements = append(pool.Requirements, r)
	}
	return pool.Types()
}
