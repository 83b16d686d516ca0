package practice

import "assay/internal/facts"

// Names of resources and labels that pods which train over EFA meet.
const (
	EFAResource       = "vpc.amazonaws.com/efa" // as the EFA device plugin offers interfaces
	HugePagesResource = "hugepages-2Mi"
	ZoneLabel         = "topology.kubernetes.io/zone"
	CapacityLabel     = "karpenter.sh/capacity-type"
)

// EFAJudgement is what asking for a number of EFA interfaces comes to on the instance
// types that a pod may be given.
type EFAJudgement int

// What it comes to.
const (
	EFARight  EFAJudgement = iota
	EFAAbsent              // no such type has EFA
	EFATooMany
	EFATooFew // a pod that takes all accelerators of a node leaves interfaces idle
)

// JudgeEFA holds a pod's interfaces and accelerators against the types; most is how many
// interfaces the best of them has. accelerators of 0 are not known. A pod on a part of a
// node may take any part of its interfaces.
func JudgeEFA(types []facts.Instance, interfaces, accelerators int) (verdict EFAJudgement, most int) {
	idle := accelerators > 0
	for _, i := range types {
		most = max(most, i.EFA)
		idle = idle && i.Count == accelerators && i.EFA > interfaces
	}
	switch {
	case most == 0:
		return EFAAbsent, most
	case interfaces > most:
		return EFATooMany, most
	case idle && interfaces > 0:
		return EFATooFew, most
	}
	return EFARight, most
}
