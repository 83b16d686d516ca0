package load

import (
	"math"
	"runtime/metrics"
	"testing"

	"pgregory.net/rapid"
)

func TestHistogramOfALevelLeavesOutWhatWasBefore(t *testing.T) {
	bounds := []float64{math.Inf(-1), 0.001, 0.002, 0.004, math.Inf(1)}
	from := &metrics.Float64Histogram{Buckets: bounds, Counts: []uint64{5, 5, 5, 5}}
	to := &metrics.Float64Histogram{Buckets: bounds, Counts: []uint64{5, 105, 7, 6}}
	h := since(from, to)
	if got := h.total(); got != 103 {
		t.Errorf("%d events, want 103", got)
	}
	for q, want := range map[float64]float64{0.5: 0.002, 0.98: 0.004, 1: 0.004} {
		if got := h.quantile(q); got != want {
			t.Errorf("quantile %g is %g, want %g", q, got, want)
		}
	}
}

func TestHistogramMean(t *testing.T) {
	h := Histogram{Bounds: []float64{0, 0.002, 0.004, math.Inf(1)}, Counts: []uint64{3, 1, 0}}
	if got, ok := h.mean(); !ok || math.Abs(got-0.0015) > 1e-9 {
		t.Errorf("the mean is %g, %v; want 0.0015", got, ok)
	}
	if _, ok := (Histogram{}).mean(); ok {
		t.Error("the mean of nothing is known")
	}
}

func TestHistogramQuantilesAreUpperBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 8
		bounds := make([]float64, n+1)
		for i := range bounds {
			bounds[i] = float64(i) / 10
		}
		values := rapid.SliceOfN(rapid.Float64Range(0, 0.799), 1, 200).Draw(t, "values")
		h := Histogram{Bounds: bounds, Counts: make([]uint64, n)}
		for _, v := range values {
			h.Counts[int(v*10)]++
		}
		q := rapid.Float64Range(0.01, 1).Draw(t, "q")
		bound, below := h.quantile(q), 0
		for _, v := range values {
			if v <= bound {
				below++
			}
		}
		if float64(below) < q*float64(len(values)) {
			t.Errorf("%d of %d values lie below %g, the bound of quantile %g", below, len(values), bound, q)
		}
	})
}
