package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Values by exact rational arithmetic.
func TestBinomial(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		q      float64
		atMost float64
	}{
		{0, 10, 0.5, 1.0 / 1024},
		{1, 11, 0.5, 12.0 / 2048},
		{2, 4, 0.25, 243.0 / 256},
		{4, 4, 0.25, 1},
		{-1, 4, 0.25, 0},
		{500, 1000, 0.5, 0.5126125090891802},
	} {
		if got := binomialAtMost(c.k, c.n, c.q); math.Abs(got-c.atMost) > 1e-9 {
			t.Errorf("P(Bin(%d, %v) <= %d) = %v, want %v", c.n, c.q, c.k, got, c.atMost)
		}
		if got := binomialAtLeast(c.k+1, c.n, c.q); math.Abs(got-(1-c.atMost)) > 1e-9 {
			t.Errorf("P(Bin(%d, %v) >= %d) = %v, want %v", c.n, c.q, c.k+1, got, 1-c.atMost)
		}
	}
}

func TestJudgeShare(t *testing.T) {
	for _, c := range []struct {
		n, over int
		p       float64
		want    Verdict
	}{
		{0, 0, 95, Undecided},
		{43, 0, 90, Undecided}, // 0.9^43 = 1.08 %
		{44, 0, 90, Met},       // 0.9^44 = 0.97 %
		{89, 0, 95, Undecided},
		{90, 0, 95, Met},
		{129, 1, 95, Undecided},
		{130, 1, 95, Met},
		{1, 1, 99.9, Missed}, // a chance of one in a thousand
		{1, 1, 95, Undecided},
		{2, 2, 95, Missed},
		{500, 25, 95, Undecided},
		{500, 13, 95, Met},
		{500, 40, 95, Missed},
	} {
		if got := JudgeShare(c.over, c.n, c.p); got != c.want {
			t.Errorf("%d of %d over, p%v: %s, want %s", c.over, c.n, c.p, got, c.want)
		}
	}
}

// A verdict is wrong in at most 1 % of runs, whichever side of the limit the
// truth lies on.
func TestJudgeShareErrs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	truth := -math.Log(0.05) // p95 of the unit exponential
	for _, n := range []int{20, 100, 500} {
		wrong := map[Verdict]int{}
		const runs = 4000
		for range runs {
			over := 0
			for range n {
				if rng.ExpFloat64() >= truth {
					over++
				}
			}
			wrong[JudgeShare(over, n, 95)]++
		}
		for _, v := range []Verdict{Met, Missed} {
			if share := float64(wrong[v]) / runs; share > 0.016 {
				t.Errorf("n = %d: %s in %.2f %% of runs at the limit, want at most 1 %%", n, v, 100*share)
			}
		}
	}
}
