package stats

// Verdict is what samples say about a condition. The words are those of
// run.json.
type Verdict string

// Verdicts at 99 % one-sided confidence.
const (
	Met       Verdict = "met"
	Missed    Verdict = "missed"
	Undecided Verdict = "undecided" // the samples allow both
)

// JudgeShare tests whether the p-th percentile (0 < p < 100) of what n samples
// were drawn from is below a limit, when over of them are not below it. It is
// usable with any number of samples, also with fewer than SupportedAt(p).
//
// If the percentile were at the limit, the number of samples that are not below
// it would be Bin(n, 1-p). Met means that as few as were seen would come with
// probability <= 1 %, missed that as many would. Samples are taken as
// independent.
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
