package stats

import "math"

// Verdict is what samples say about a condition. The words are those of
// run.json.
type Verdict string

// Verdicts at 99 % one-sided confidence.
const (
	Met       Verdict = "met"
	Missed    Verdict = "missed"
	Undecided Verdict = "undecided" // the samples allow both
)

// JudgePercentile tests whether the p-th percentile (0 < p < 100) of what the
// samples were drawn from is below limit. It is usable with any number of
// samples, also with fewer than SupportedAt(p).
//
// If the percentile were at the limit, the number of samples that are not below
// it would be Bin(n, 1-p). Met means that as few as were seen would come with
// probability <= 1 %, missed that as many would. Samples are taken as
// independent. NaN samples are not counted.
func JudgePercentile(samples []float64, p, limit float64) Verdict {
	over, n := 0, 0
	for _, x := range samples {
		if math.IsNaN(x) {
			continue
		}
		n++
		if x >= limit {
			over++
		}
	}
	return JudgeShare(over, n, p)
}

// JudgeShare is JudgePercentile for counts: over of n samples are not below the
// limit of the p-th percentile.
func JudgeShare(over, n int, p float64) Verdict {
	q := 1 - p/100
	switch {
	case n == 0:
		return Undecided
	case binomialAtMost(over, n, q) <= 1-Confidence:
		return Met
	case binomialAtLeast(over, n, q) <= 1-Confidence:
		return Missed
	}
	return Undecided
}

// JudgeMean tests whether the mean of what the samples were drawn from is below
// limit, by Student's t at 99 % one-sided confidence. Fewer than two samples
// decide nothing. NaN samples are not counted.
func JudgeMean(samples []float64, limit float64) Verdict {
	kept := make([]float64, 0, len(samples))
	for _, x := range samples {
		if !math.IsNaN(x) {
			kept = append(kept, x)
		}
	}
	if len(kept) < 2 {
		return Undecided
	}
	mean, std := MeanStd(kept)
	margin := TQuantile(Confidence, len(kept)-1) * std / math.Sqrt(float64(len(kept)))
	switch {
	case mean+margin < limit:
		return Met
	case mean-margin >= limit:
		return Missed
	}
	return Undecided
}

// TQuantile is the p-quantile of Student's t with df degrees of freedom, by the
// Cornish-Fisher expansion about the normal (Abramowitz and Stegun 26.7.5);
// exact for one and two degrees, within 0.5 % from five at the 99 % point.
func TQuantile(p float64, df int) float64 {
	switch df {
	case 1:
		return math.Tan(math.Pi * (p - 0.5))
	case 2:
		return (2*p - 1) * math.Sqrt(2/(4*p*(1-p)))
	}
	z, v := NormalQuantile(p), float64(df)
	z2 := z * z
	g1 := (z2 + 1) * z / 4
	g2 := ((5*z2+16)*z2 + 3) * z / 96
	g3 := (((3*z2+19)*z2+17)*z2 - 15) * z / 384
	g4 := ((((79*z2+776)*z2+1482)*z2-1920)*z2 - 945) * z / 92160
	return z + g1/v + g2/(v*v) + g3/(v*v*v) + g4/(v*v*v*v)
}

// NormalQuantile is the p-quantile of the standard normal distribution.
func NormalQuantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }
