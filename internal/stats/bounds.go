package stats

import "math"

// Bounds are one-sided upper confidence bounds (99 %) of a Dist's percentiles,
// in its unit: the true percentile lies above one in at most 1 % of levels. nil
// where the sample gives none.
//
// A bound is an order statistic, so it takes no distribution for granted: the
// smallest sample that fewer than the allowed number exceed. It is the
// early-stopping estimate of MLPerf Inference's LoadGen with zero tolerance.
type Bounds struct {
	P50 *float64 `json:"p50"`
	P90 *float64 `json:"p90"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
	// EffectiveN is how many independent samples tell as much as these, at the
	// percentile where it is least: see designEffect.
	EffectiveN int `json:"effective_n"`
}

// SummarizeInOrder is Summarize for samples in order of time, which also gives
// the bounds of the percentiles: they need the order.
func SummarizeInOrder(samples []float64) Dist {
	d := Summarize(samples)
	d.Bounds = boundsOf(d, samples)
	return d
}

// boundsOf are the bounds of the percentiles that d gives; nil for none.
func boundsOf(d Dist, samples []float64) *Bounds {
	if d.P50 == nil {
		return nil
	}
	defined, sorted := Order(samples)
	b := &Bounds{EffectiveN: d.N}
	for _, c := range []struct {
		p     float64
		value *float64
		bound **float64
	}{{50, d.P50, &b.P50}, {90, d.P90, &b.P90}, {95, d.P95, &b.P95}, {99, d.P99, &b.P99}} {
		if c.value == nil {
			continue
		}
		effective := int(float64(d.N) / designEffect(defined, *c.value))
		b.EffectiveN = min(b.EffectiveN, effective)
		if v, ok := UpperBound(sorted, c.p, effective); ok {
			*c.bound = &v
		}
	}
	return b
}

// UpperBound is the one-sided 99 % upper confidence bound of percentile p
// (0 < p < 100) from sorted samples that tell as much as effective independent
// ones do; ok is false where even the largest is none.
//
// With j the largest number for which P(Bin(effective, 1-p) <= j) <= 1 %, the
// bound is exceeded by j of effective samples, hence by j n / effective of n.
func UpperBound(sorted []float64, p float64, effective int) (bound float64, ok bool) {
	n := len(sorted)
	effective = min(effective, n)
	q := 1 - p/100
	if n == 0 || binomialAtMost(0, effective, q) > 1-Confidence {
		return math.NaN(), false
	}
	low, high := 0, effective // low may exceed the bound, high may not
	for high-low > 1 {
		if mid := (low + high) / 2; binomialAtMost(mid, effective, q) <= 1-Confidence {
			low = mid
		} else {
			high = mid
		}
	}
	exceed := int(math.Floor(float64(low) * float64(n) / float64(effective)))
	return sorted[n-1-min(exceed, n-1)], true
}

// designEffect is by how much the samples' dependence widens what is known of
// the share of them at or above a value: the variance of the count in blocks of
// consecutive samples over that of as many independent ones, never below 1.
//
// Requests of one level share batches and queues, so slow ones come in clumps,
// and n of them tell less than n independent ones. Blocks are of sqrt(n)
// samples, the usual length for batch means (Flegal and Jones, 2010).
func designEffect(samples []float64, value float64) float64 {
	n := len(samples)
	length := int(math.Sqrt(float64(n)))
	if length < 2 {
		return 1
	}
	blocks := n / length
	counts := make([]float64, blocks)
	for i, x := range samples[:blocks*length] {
		if x >= value {
			counts[i/length]++
		}
	}
	mean, std := MeanStd(counts)
	share := mean / float64(length)
	if share <= 0 || share >= 1 {
		return 1
	}
	return max(1, std*std/(float64(length)*share*(1-share)))
}
