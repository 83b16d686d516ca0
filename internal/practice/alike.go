package practice

import "assay/internal/facts"

// Alike are the other types on which the same pod runs as fast: as many of the same
// accelerator, no fewer cores and no less memory.
func Alike(first facts.Instance) []facts.Instance {
	var all []facts.Instance
	for _, i := range facts.Instances() {
		if i.Name != first.Name && i.Accelerator == first.Accelerator && i.Count == first.Count && i.ChipMemory == first.ChipMemory &&
			i.Architecture() == first.Architecture() && i.VCPU >= first.VCPU && i.Memory >= first.Memory && (i.NVMe > 0) == (first.NVMe > 0) {
			all = append(all, i)
		}
	}
	return all
}
