package diagnose

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/stats"
)

// overload makes the top level one that the server fell behind.
func overload(e Evidence, verdict string, reasons ...string) Evidence {
	for i := range e.Levels {
		if l := &e.Levels[i]; l.Load.Value == 100 {
			l.Oversaturated = &record.Oversaturation{Verdict: record.Oversaturated, Why: "a tenth piled up"}
			l.Validity = record.Validity{Verdict: verdict, Reasons: reasons}
		}
	}
	return e
}

// The worst hundredth of a second's waits is no mean: it says little of the
// figures of a level that is valid.
func TestWaitsForACPUAreJudgedByTheirMean(t *testing.T) {
	of := func(p99s, mean float64) string {
		e := run(true, full(), full())
		for i := range e.Levels {
			e.Levels[i].Client.SchedDelay, e.Levels[i].Client.SchedWait = stats.Summarize([]float64{p99s, p99s, p99s}), &mean
		}
		return Bound(e).Verdict
	}
	if got := of(12, 0.1); got != record.BoundAdmission {
		t.Errorf("a client that waits 0.1 ms in the mean and 12 ms at the p99 makes the verdict %s", got)
	}
	if got := of(12, 12); got != record.BoundClient {
		t.Errorf("a client that waits 12 ms in the mean makes the verdict %s", got)
	}
}

func TestAnOverloadedLevelIsEvidence(t *testing.T) {
	const why = "more was asked than the server keeps up with: a tenth piled up"
	if b := Bound(overload(run(true, nil, full()), record.Unstable, why)); b.Verdict != record.BoundAdmission {
		t.Errorf("the top level shows the full batch, and the verdict is %s: %+v", b.Verdict, b.Missing)
	}
	// That the server fell behind is no sign of a slow client.
	b := Bound(overload(run(false, nil, nil), record.ClientLimited, "requests left late", why))
	says := func(e record.Evidence) bool { return strings.Contains(e.Fact, "piled up") }
	if b.Verdict != record.BoundClient || slices.ContainsFunc(b.Evidence, says) || !slices.ContainsFunc(b.Against, says) || b.Confidence > 0.6 {
		t.Errorf("got %+v", b)
	}
}
