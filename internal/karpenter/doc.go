// Package karpenter answers from Karpenter's NodePools, as files, which instance types
// they could launch, why not others, what pods must tolerate there and how many fit
// under their limits. It knows the labels that Karpenter's AWS provider gives to types
// (v1.14.0, read 2026-11-30), those of EKS Auto Mode too, and reads a few fields of its
// own instead of Karpenter's module. What the catalogue of types does not hold, such as
// zones, is not judged, and said.
//
//	pools, err := karpenter.Read("nodepools.yaml")
//	ok, why := pools[0].Allows(instance, facts.Spot)
package karpenter
