package report

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{num(0), "0"},
		{num(0.0421), "0.042"},
		{num(1), "1.00"},
		{num(9.996), "10.0"},
		{num(99.96), "100"},
		{num(999.6), "1,000"},
		{num(1234567), "1,234,567"},
		{num(-1234), "-1,234"},
		{num(0.00012), "0.00012"},
		{num(math.NaN()), none},
		{short(28), "28"},
		{short(0.50), "0.5"},
		{short(1000), "1,000"},
		{millis(9999), "9,999 ms"},
		{millis(47_300), "47.3 s"},
		{usd(1.5), "$1.50"},
		{usd(0.346), "$0.346"},
		{span(59 * time.Second), "59 s"},
		{span(112 * time.Second), "1 min 52 s"},
		{span(2*time.Hour + 5*time.Minute), "2 h 5 min"},
		{clock(75), "1:15"},
		{clock(3700), "1 h 01"},
		{list([]string{"a", "b", "c"}), "a, b and c"},
		{shellJoin([]string{"assay", "--slo", "ttft.p95<500ms", "it's"}), `assay --slo 'ttft.p95<500ms' 'it'\''s'`},
		{plain("a\x1b[31m\tb\u202e"), "a [31m b"},
		{sentence("cut at 140"), "Cut at 140."},
		{sentence("saturation-c1: cut at 140"), "saturation-c1: cut at 140."},
		{sentence("production: cut at 140"), "production: cut at 140."},
		{sentence("long-context-p4096 is left out"), "long-context-p4096 is left out."},
		{num(1e308), "1e+308"},
		{num(-1.5e300), "-1.5e+300"},
		{errorsOf(map[string]int{"timeout": 1, "connect": 19}), "connect 19, timeout 1"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// A long list is not cut in the middle of what it says, and none is without end.
func TestPlainLists(t *testing.T) {
	long := strings.Repeat("x", 200)
	if got, want := plains([]string{long, "a\x1b\nb", long}, ", "), long+", a b, "+long; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := plains(slices.Repeat([]string{long}, 1000), ", "); len(got) > mostPlains*202+20 || !strings.HasSuffix(got, ", and 976 more") {
		t.Errorf("%d bytes, %q", len(got), got[len(got)-30:])
	}
}
