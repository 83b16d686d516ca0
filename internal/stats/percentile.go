package stats

import (
	"math"
	"slices"
	"strconv"
)

// Confidence is the one-sided confidence of every bound in this package that
// does not say otherwise.
const Confidence = 0.99

// reported are the percentiles that a Dist holds.
var reported = []float64{50, 90, 95, 99}

// Summarize folds samples into their distribution. NaN stands for "undefined
// for this request" and is not counted. The samples are not modified.
func Summarize(samples []float64) Dist {
	_, sorted := Order(samples)
	return summarizeSorted(sorted)
}

// Order are the samples that are defined, as they came and sorted.
func Order(samples []float64) (defined, sorted []float64) {
	defined = make([]float64, 0, len(samples))
	for _, x := range samples {
		if !math.IsNaN(x) {
			defined = append(defined, x)
		}
	}
	sorted = slices.Clone(defined)
	slices.Sort(sorted)
	return defined, sorted
}

func summarizeSorted(sorted []float64) Dist {
	d := Dist{N: len(sorted)}
	slots := []**float64{&d.P50, &d.P90, &d.P95, &d.P99}
	for i, p := range reported {
		if len(sorted) < SupportedAt(p) {
			d.Unsupported = append(d.Unsupported, Name(p))
			continue
		}
		v := Percentile(sorted, p)
		*slots[i] = &v
	}
	if d.N == 0 {
		return d
	}
	mean, std := MeanStd(sorted)
	low, high := sorted[0], sorted[d.N-1]
	d.Mean, d.Std, d.Min, d.Max = &mean, &std, &low, &high
	return d
}

// Name is a percentile's name: 95 is "p95", 99.9 is "p99.9".
func Name(p float64) string { return "p" + strconv.FormatFloat(p, 'f', -1, 64) }

// Percentile is the exact nearest-rank percentile p (0 < p <= 100) of sorted
// samples: the smallest sample that at least p percent of them do not exceed.
// NaN for an empty slice. It does not ask whether the samples support it: see
// SupportedAt.
func Percentile(sorted []float64, p float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	// The slack keeps 99.9 % of 1,000 at rank 999 in binary arithmetic.
	rank := int(math.Ceil(p*float64(len(sorted))/100 - 1e-9))
	return sorted[min(max(rank, 1), len(sorted))-1]
}

// SupportedAt is the smallest number of samples that supports percentile p
// (0 < p < 100) at 99 % confidence: 11 for p50, 64 for p90, 130 for p95, 219
// for p97, 662 for p99, 6,636 for p99.9.
//
// The rule: the second largest sample must be an upper confidence bound of the
// percentile, so that the bound lies inside the sample and does not rest on the
// single worst request. It is one unless at most one of n independent samples
// exceeds the true percentile, which happens with probability
// P(Bin(n, 1-p) <= 1) = p^n + n (1-p) p^(n-1). This is also the first step of
// the early-stopping rule of MLPerf Inference with zero tolerance.
func SupportedAt(p float64) int {
	supported := func(n int) bool { return binomialAtMost(1, n, 1-p/100) <= 1-Confidence }
	high := 2
	for !supported(high) {
		high *= 2
	}
	low := high / 2 // not supported, or 1
	for high-low > 1 {
		if mid := (low + high) / 2; supported(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// MeanStd is the mean and the sample standard deviation (divisor n-1; 0 for a
// single sample), by Welford's update, which does not cancel.
func MeanStd(samples []float64) (mean, std float64) {
	var m2 float64
	for i, x := range samples {
		d := x - mean
		mean += d / float64(i+1)
		m2 += d * (x - mean)
	}
	if len(samples) > 1 {
		std = math.Sqrt(m2 / float64(len(samples)-1))
	}
	return mean, std
}

// Median is the median of samples, the mean of the two middle ones for an even
// number; NaN for none. The samples are not modified.
func Median(samples []float64) float64 {
	if len(samples) == 0 {
		return math.NaN()
	}
	s := slices.Clone(samples)
	slices.Sort(s)
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}
