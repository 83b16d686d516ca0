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
