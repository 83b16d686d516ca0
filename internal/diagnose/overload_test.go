package diagnose

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/record"
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
