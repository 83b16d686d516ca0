package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestUpperBoundIsTheOrderStatisticOfTheBinomial(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want float64 // of the samples 1..n
		ok   bool
	}{
		{458, 99, 0, false},  // 0.99^458 > 1 %
		{459, 99, 459, true}, // 0.99^459 <= 1 %: the largest
		{662, 99, 661, true}, // the second largest: SupportedAt's rule
		{64, 90, 63, true},
		{11, 50, 10, true},
		{1000, 50, 538, true}, // 500 + 2.326 sqrt(250), and the half step
	} {
		samples := make([]float64, c.n)
		for i := range samples {
			samples[i] = float64(i + 1)
		}
		got, ok := UpperBound(samples, c.p, c.n)
		if ok != c.ok || ok && math.Abs(got-c.want) > 1e-9 {
			t.Errorf("p%v of %d: bound %v, %v; want %v, %v", c.p, c.n, got, ok, c.want, c.ok)
		}
	}
}

// coverage is the share of levels in which the bound of p95 is not below the
// true percentile of what draw gives.
func coverage(levels, n int, truth float64, draw func(*rand.Rand) func() float64, bound func([]float64) *float64) float64 {
	rng := rand.New(rand.NewPCG(3, 5))
	held := 0
	for range levels {
		next := draw(rng)
		samples := make([]float64, n)
		for i := range samples {
			samples[i] = next()
		}
		if b := bound(samples); b != nil && *b >= truth {
			held++
		}
	}
	return float64(held) / float64(levels)
}

func TestBoundsCoverThePercentile(t *testing.T) {
	ours := func(x []float64) *float64 { return SummarizeInOrder(x).Bounds.P95 }
	naive := func(x []float64) *float64 {
		slices.Sort(x)
		v, _ := UpperBound(x, 95, len(x))
		return &v
	}
	independent := func(rng *rand.Rand) func() float64 { return rng.NormFloat64 }
	// Latencies that remember: an autoregression with a correlation of 0.8.
	dependent := func(rng *rand.Rand) func() float64 {
		const phi = 0.8
		x := rng.NormFloat64()
		return func() float64 {
			x = phi*x + math.Sqrt(1-phi*phi)*rng.NormFloat64()
			return x
		}
	}
	const truth = 1.6448536 // p95 of the normal distribution
	if got := coverage(2000, 500, truth, independent, ours); got < 0.98 {
		t.Errorf("independent samples: %.3f of the levels are covered, want 0.99", got)
	}
	if got := coverage(2000, 1000, truth, dependent, ours); got < 0.96 {
		t.Errorf("dependent samples: %.3f of the levels are covered, want about 0.99", got)
	}
	// The test of the test: taken as independent, they would not be.
	if got := coverage(2000, 1000, truth, dependent, naive); got > 0.95 {
		t.Errorf("dependent samples taken as independent: %.3f are covered, so the case shows nothing", got)
	}
}

func TestClumpsLowerTheEffectiveSample(t *testing.T) {
	spread, clumped := make([]float64, 900), make([]float64, 900)
	for i := range spread {
		spread[i], clumped[i] = float64(i%10), float64(i/90)
	}
	a, b := SummarizeInOrder(spread).Bounds, SummarizeInOrder(clumped).Bounds
	if a.EffectiveN != 900 {
		t.Errorf("evenly spread samples count as %d, want 900", a.EffectiveN)
	}
	if b.EffectiveN > 90 {
		t.Errorf("samples in ten clumps count as %d of 900", b.EffectiveN)
	}
	if b.P99 != nil {
		t.Errorf("p99 of ten clumps is bounded by %v", *b.P99)
	}
}

func TestBoundsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 0, 800).Draw(t, "samples")
		d := SummarizeInOrder(samples)
		if d.P50 == nil {
			if d.Bounds != nil {
				t.Fatalf("bounds %+v of %d samples", d.Bounds, d.N)
			}
			return
		}
		for _, c := range [][2]*float64{{d.P50, d.Bounds.P50}, {d.P90, d.Bounds.P90}, {d.P95, d.Bounds.P95}, {d.P99, d.Bounds.P99}} {
			if c[1] == nil {
				continue
			}
			if c[0] == nil || *c[1] < *c[0] || *c[1] > *d.Max {
				t.Fatalf("bound %v of percentile %v, largest %v", *c[1], c[0], *d.Max)
			}
		}
	})
}
