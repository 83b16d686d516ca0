package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPoolIsExactWhileItIsSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var p Pool
	var samples []float64
	for range 5000 {
		x := rng.ExpFloat64() * 20
		samples = append(samples, x)
		p.Add(x)
	}
	p.Add(math.NaN())
	if diff := cmp.Diff(SummarizeInOrder(samples), p.Dist()); diff != "" {
		t.Errorf("(-all at once +one by one):\n%s", diff)
	}
}

func TestALargePoolHoldsThreeDigits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var p Pool
	samples := make([]float64, 0, exactUpTo+1000)
	for range exactUpTo + 1000 {
		x := 1e4 + rng.ExpFloat64()*20 // far from zero: the deviation must keep its digits
		samples = append(samples, x)
		p.Add(x)
	}
	if p.exact != nil {
		t.Fatal("a large pool keeps its samples")
	}
	want, got := Summarize(samples), p.Dist()
	if got.N != want.N || *got.Min != *want.Min || *got.Max != *want.Max {
		t.Errorf("n, min, max: %d %g %g, want %d %g %g", got.N, *got.Min, *got.Max, want.N, *want.Min, *want.Max)
	}
	for _, c := range []struct {
		name      string
		got, want *float64
		within    float64
	}{
		{"mean", got.Mean, want.Mean, 1e-9}, {"std", got.Std, want.Std, 1e-6},
		{"p50", got.P50, want.P50, 1e-3}, {"p90", got.P90, want.P90, 1e-3}, {"p95", got.P95, want.P95, 1e-3}, {"p99", got.P99, want.P99, 1e-3},
	} {
		if off := math.Abs(*c.got / *c.want - 1); off > c.within {
			t.Errorf("%s is %g, want %g", c.name, *c.got, *c.want)
		}
	}
}

func TestAPoolOfNothing(t *testing.T) {
	var p Pool
	if d := p.Dist(); d.N != 0 || d.Mean != nil || d.P50 != nil {
		t.Errorf("%+v", d)
	}
}
