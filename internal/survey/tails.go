package survey

import (
	"math"
	"slices"

	"assay/internal/stats"
	"assay/internal/telemetry"
)

// Tail is how long the slowest of a window took, as far as the engine's buckets
// tell: a value lies above one boundary and at or below the next.
type Tail struct {
	Metric string `json:"metric"` // ttft, itl or e2e
	N      int    `json:"n"`      // observations in the window
	// Percentile is the highest that N supports, empty where it supports none; it
	// is above AboveS and at most AtMostS. nil: beyond the last boundary.
	Percentile string   `json:"percentile,omitempty"`
	AboveS     float64  `json:"above_s"`
	AtMostS    *float64 `json:"at_most_s"`
	// MaxAtMostS is the boundary that nothing passed.
	MaxAtMostS *float64 `json:"max_at_most_s"`
}

// tailsIn reads the buckets that grew over a segment.
func tailsIn(segment []telemetry.Snapshot) []Tail {
	d := telemetry.Delta(segment[0], segment[len(segment)-1])
	var tails []Tail
	for _, q := range []telemetry.Quantity{telemetry.TTFT, telemetry.ITL, telemetry.E2E} {
		_, n, ok := d.Histogram(q)
		if !ok {
			continue
		}
		cumulative := map[float64]float64{math.Inf(1): n}
		for _, le := range d.Boundaries(q) {
			if share, ok := d.Share(q, le); ok {
				cumulative[le] = math.Round(share * n)
			}
		}
		if t, ok := tailOf(string(q), cumulative); ok {
			tails = append(tails, t)
		}
	}
	return tails
}

// tailOf reads a tail from cumulative counts by boundary, +Inf among them.
func tailOf(metric string, cumulative map[float64]float64) (Tail, bool) {
	bounds := make([]float64, 0, len(cumulative))
	for b := range cumulative {
		bounds = append(bounds, b)
	}
	slices.Sort(bounds)
	n := 0.0
	if k := len(bounds); k > 0 && math.IsInf(bounds[k-1], 1) {
		n = cumulative[bounds[k-1]]
	}
	if n < 1 || n > 1<<52 {
		return Tail{}, false
	}
	t := Tail{Metric: metric, N: int(n)}
	for _, p := range []float64{99, 95, 90, 50} {
		if t.N >= stats.SupportedAt(p) {
			t.Percentile = stats.Name(p)
			t.AboveS, t.AtMostS = bucketOf(bounds, cumulative, math.Ceil(p*n/100-1e-9))
			break
		}
	}
	_, t.MaxAtMostS = bucketOf(bounds, cumulative, n)
	return t, true
}

// bucketOf is the bucket that the observation of that rank lies in.
func bucketOf(bounds []float64, cumulative map[float64]float64, rank float64) (above float64, atMost *float64) {
	for _, b := range bounds {
		if cumulative[b] >= rank {
			if math.IsInf(b, 1) {
				return above, nil
			}
			return above, &b
		}
		above = b
	}
	return above, nil
}
