package trace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The first requests of a real trace; the figures were computed apart.
func TestExcerptOfAzure(t *testing.T) {
	r, err := Open("testdata/azure-2023-code.csv", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	got, err := Analyse(r, "azure", AnalyseOptions{MaxModelLen: 7436})
	if err != nil {
		t.Fatal(err)
	}
	type figures struct {
		Rows, Distinct  int
		SpanS, Mean, CV float64
		ISL, OSL        Lengths
		Context         Fit
		Use             string
	}
	want := figures{
		Rows: 20, Distinct: 20, SpanS: 30.4827, Mean: 1.6043540, CV: 3.9970428,
		ISL:     Lengths{N: 20, Mean: new(2719.65), P50: new(1145), P95: new(7433), Max: new(7436)},
		OSL:     Lengths{N: 20, Mean: new(14.45), P50: new(12), P95: new(26), Max: new(27)},
		Context: Fit{Limit: 7436, Total: 2}, Use: ReplayAsIs,
	}
	have := figures{got.Rows, *got.Distinct, *got.SpanS, *got.Gaps.Mean, *got.Gaps.CV, got.ISL, got.OSL, *got.Context, got.Verdict.Use}
	if diff := cmp.Diff(want, have, within); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

// within is as exact as the figures above are written.
var within = cmpopts.EquateApprox(1e-6, 1e-6)
