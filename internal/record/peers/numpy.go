package peers

import (
	"math"
	"slices"
)

// spread is a sample in the statistics that Python's tools give: percentiles by
// linear interpolation between ranks and the population's deviation, as numpy
// has them by default.
type spread struct {
	sorted    []float64
	mean, std float64
}

func spreadOf(samples []float64) spread {
	s := spread{sorted: slices.Sorted(slices.Values(samples))}
	if len(s.sorted) == 0 {
		return s
	}
	for _, x := range s.sorted {
		s.mean += x
	}
	s.mean /= float64(len(s.sorted))
	for _, x := range s.sorted {
		s.std += (x - s.mean) * (x - s.mean)
	}
	s.std = math.Sqrt(s.std / float64(len(s.sorted)))
	return s
}

func (s spread) n() int { return len(s.sorted) }

func (s spread) sum() float64 { return s.mean * float64(len(s.sorted)) }

func (s spread) min() float64 { return s.at(0) }

func (s spread) max() float64 { return s.at(100) }

// at is percentile p, 0 to 100; 0 of an empty sample, as those tools have it.
func (s spread) at(p float64) float64 {
	n := len(s.sorted)
	if n == 0 {
		return 0
	}
	rank := p / 100 * float64(n-1)
	low := int(math.Floor(rank))
	high := min(low+1, n-1)
	return s.sorted[low] + (s.sorted[high]-s.sorted[low])*(rank-float64(low))
}

// percentiles that the other tools give, and that their readers ask for.
var percentiles = []float64{0.1, 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9}
