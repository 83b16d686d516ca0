package load

import (
	"math"
	"runtime/metrics"
)

// Histogram counts durations in buckets: Counts[i] of them lie in
// [Bounds[i], Bounds[i+1]), seconds.
type Histogram struct {
	Bounds []float64
	Counts []uint64
}

// since is what a cumulative histogram gained between two readings.
func since(from, to *metrics.Float64Histogram) Histogram {
	h := Histogram{Bounds: to.Buckets, Counts: make([]uint64, len(to.Counts))}
	for i, n := range to.Counts {
		if i < len(from.Counts) {
			n -= from.Counts[i]
		}
		h.Counts[i] = n
	}
	return h
}

func (h Histogram) total() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// quantile is the upper bound of the bucket that holds the quantile, seconds:
// the truth is at most that. 0 for an empty histogram.
func (h Histogram) quantile(q float64) float64 {
	total := h.total()
	if total == 0 {
		return 0
	}
	rank := max(1, uint64(math.Ceil(q*float64(total))))
	var seen uint64
	for i, c := range h.Counts {
		if seen += c; seen >= rank {
			return h.edge(i + 1)
		}
	}
	return h.edge(len(h.Counts))
}

// mean by the middle of each bucket, seconds; false for an empty histogram.
func (h Histogram) mean() (float64, bool) {
	total := h.total()
	if total == 0 {
		return 0, false
	}
	var sum float64
	for i, c := range h.Counts {
		sum += float64(c) * (h.edge(i) + h.edge(i+1)) / 2
	}
	return sum / float64(total), true
}

// edge is bound i, or the nearest finite one.
func (h Histogram) edge(i int) float64 {
	for ; i > 0; i-- {
		if !math.IsInf(h.Bounds[i], 0) {
			return h.Bounds[i]
		}
	}
	return 0
}
