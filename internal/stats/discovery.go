package stats

import "slices"

// Discoveries says which of many tests count as shown when at most the given
// share of what is shown may be chance (the false discovery rate): the step-up
// rule of Benjamini and Hochberg (1995), which holds for independent tests and
// for tests that lean the same way, as the percentiles of one latency do. Where
// nothing has changed, one comparison in 1/share shows anything at all.
func Discoveries(p []float64, share float64) []bool {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	last := -1
	for k, i := range order {
		if p[i] <= share*float64(k+1)/float64(len(p)) {
			last = k
		}
	}
	out := make([]bool, len(p))
	for _, i := range order[:last+1] {
		out[i] = true
	}
	return out
}
