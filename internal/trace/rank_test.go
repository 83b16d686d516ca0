package trace

import (
	"slices"

	"assay/internal/stats"
)

// nearestRank is the percentile as package stats has it.
func nearestRank(all []int, p float64) int {
	f := make([]float64, len(all))
	for i, v := range all {
		f[i] = float64(v)
	}
	slices.Sort(f)
	return int(stats.Percentile(f, p))
}
