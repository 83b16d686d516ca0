package stats

import "math"

// PercentileError is the standard error of percentile p (0 < p < 100) of samples
// in order of time: half the distance between the samples one standard error of
// their count above and below it (Woodruff, 1952), with the samples' dependence
// counted in. NaN where the samples do not reach as far.
func PercentileError(samples []float64, p float64) float64 {
	defined, sorted := Order(samples)
	n := len(sorted)
	if n < SupportedAt(p) {
		return math.NaN()
	}
	effective := float64(n) / designEffect(defined, Percentile(sorted, p))
	off := 100 * math.Sqrt(p/100*(1-p/100)/effective)
	if p-off <= 0 || p+off > 100 {
		return math.NaN()
	}
	return (Percentile(sorted, p+off) - Percentile(sorted, p-off)) / 2
}

// NormalQuantile is the z below which the given share (0 < share < 1) of a
// standard normal distribution lies: 1.96 for 0.975.
func NormalQuantile(share float64) float64 { return math.Sqrt2 * math.Erfinv(2*share-1) }
