package load

import (
	"math"
	"runtime/metrics"

	"assay/internal/stats"
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

// edge is bound i, or the nearest finite one.
func (h Histogram) edge(i int) float64 {
	for ; i > 0; i-- {
		if !math.IsInf(h.Bounds[i], 0) {
			return h.Bounds[i]
		}
	}
	return 0
}

// dist summarises the histogram in milliseconds. Each value stands at its
// bucket's upper bound, so nothing is understated.
func (h Histogram) dist() stats.Dist {
	total := h.total()
	d := stats.Dist{N: int(total)}
	if total == 0 {
		return d
	}
	var sum float64
	lowest := math.Inf(1)
	for i, c := range h.Counts {
		if c > 0 {
			sum += float64(c) * h.edge(i+1)
			lowest = min(lowest, h.edge(i+1))
		}
	}
	mean := sum / float64(total)
	var squares float64
	for i, c := range h.Counts {
		squares += float64(c) * (h.edge(i+1) - mean) * (h.edge(i+1) - mean)
	}
	ms := func(s float64) *float64 { s *= 1e3; return &s }
	d.Mean, d.Min, d.Max = ms(mean), ms(lowest), ms(h.quantile(1))
	d.Std = ms(math.Sqrt(squares / float64(total)))
	for _, p := range []struct {
		at   float64
		into **float64
	}{{50, &d.P50}, {90, &d.P90}, {95, &d.P95}, {99, &d.P99}} {
		if d.N < stats.SupportedAt(p.at) {
			d.Unsupported = append(d.Unsupported, stats.Name(p.at))
			continue
		}
		*p.into = ms(h.quantile(p.at / 100))
	}
	return d
}
