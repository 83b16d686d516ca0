package figure

import (
	"math"
	"testing"
)

func TestRangesKeepTheirOrder(t *testing.T) {
	r := Range{2, 4, 8}
	for name, c := range map[string]struct{ got, want Range }{
		"scaled":  {r.Scale(3), Range{6, 12, 24}},
		"plus":    {r.Plus(Range{1, 1, 2}), Range{3, 5, 10}},
		"inverse": {r.Inverse(16), Range{2, 4, 8}},
		"max":     {r.Max(Range{3, 3, 3}), Range{3, 4, 8}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
	if (Range{1, math.NaN(), 2}).Known() || (Range{1, 2, math.Inf(1)}).Known() || !r.Known() {
		t.Error("a range is known when it holds three finite numbers")
	}
}
