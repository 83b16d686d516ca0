package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSupportedAt(t *testing.T) {
	for _, c := range []struct {
		p    float64
		want int
	}{{50, 11}, {90, 64}, {95, 130}, {97, 219}, {99, 662}, {99.9, 6636}} {
		if got := SupportedAt(c.p); got != c.want {
			t.Errorf("SupportedAt(%v) = %d, want %d", c.p, got, c.want)
		}
	}
}

// The rule itself, checked by its definition: with n samples the second largest
// is below the true percentile in at most 1 % of draws, with n-1 in more.
func TestSupportedAtBoundsThePercentile(t *testing.T) {
	for _, p := range []float64{50, 90, 95, 97, 99, 99.9} {
		f := p / 100
		miss := func(n int) float64 {
			return math.Pow(f, float64(n)) + float64(n)*(1-f)*math.Pow(f, float64(n-1))
		}
		n := SupportedAt(p)
		if miss(n) > 0.01 || miss(n-1) <= 0.01 {
			t.Errorf("p%v: miss(%d) = %v, miss(%d) = %v, want the 1 %% between", p, n, miss(n), n-1, miss(n-1))
		}
	}
}

func TestPercentileIsNearestRank(t *testing.T) {
	thousand := make([]float64, 1000)
	for i := range thousand {
		thousand[i] = float64(i + 1)
	}
	for _, c := range []struct {
		sorted []float64
		p      float64
		want   float64
	}{
		{thousand, 50, 500},
		{thousand, 95, 950},
		{thousand, 99, 990},
		{thousand, 99.9, 999},
		{thousand, 100, 1000},
		{thousand[:7], 50, 4},
		{thousand[:1], 1, 1},
	} {
		if got := Percentile(c.sorted, c.p); got != c.want {
			t.Errorf("Percentile(%d samples, %v) = %v, want %v", len(c.sorted), c.p, got, c.want)
		}
	}
	if got := Percentile(nil, 50); !math.IsNaN(got) {
		t.Errorf("Percentile(nil) = %v, want NaN", got)
	}
}

func TestSummarize(t *testing.T) {
	ptr := func(x float64) *float64 { return &x }
	ramp := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = float64(n - i)
		}
		return s
	}
	for _, c := range []struct {
		name string
		in   []float64
		want Dist
	}{
		{"none", nil, Dist{Unsupported: []string{"p50", "p90", "p95", "p99"}}},
		{"only undefined", []float64{math.NaN()}, Dist{Unsupported: []string{"p50", "p90", "p95", "p99"}}},
		{"one", []float64{7}, Dist{N: 1, Mean: ptr(7), Min: ptr(7), Max: ptr(7), Std: ptr(0),
			Unsupported: []string{"p50", "p90", "p95", "p99"}}},
		{"129 of p95's 130", ramp(129), Dist{N: 129, Mean: ptr(65), Min: ptr(1), Max: ptr(129), Std: ptr(math.Sqrt(1397.5)),
			P50: ptr(65), P90: ptr(117), Unsupported: []string{"p95", "p99"}}},
		{"130", ramp(130), Dist{N: 130, Mean: ptr(65.5), Min: ptr(1), Max: ptr(130), Std: ptr(math.Sqrt(1419.1666666666667)),
			P50: ptr(65), P90: ptr(117), P95: ptr(124), Unsupported: []string{"p99"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })
			if d := cmp.Diff(c.want, Summarize(c.in), near); d != "" {
				t.Errorf("Summarize: -want +got\n%s", d)
			}
		})
	}
}

func TestSummarizeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SliceOfN(rapid.Float64Range(0, 1e6), 1, 1000).Draw(t, "samples")
		before := slices.Clone(in)
		d := Summarize(in)
		if !slices.Equal(in, before) {
			t.Fatal("Summarize changed its input")
		}
		if *d.Min > *d.Mean+1e-6 || *d.Mean > *d.Max+1e-6 {
			t.Fatalf("min %v, mean %v, max %v out of order", *d.Min, *d.Mean, *d.Max)
		}
		last := *d.Min
		for i, p := range []*float64{d.P50, d.P90, d.P95, d.P99} {
			if (p != nil) != (d.N >= SupportedAt(reported[i])) {
				t.Fatalf("p%v with n = %d: %v", reported[i], d.N, p)
			}
			if p == nil {
				continue
			}
			if *p < last || *p > *d.Max {
				t.Fatalf("p%v = %v out of order", reported[i], *p)
			}
			if !slices.Contains(in, *p) {
				t.Fatalf("p%v = %v is not a sample", reported[i], *p)
			}
			last = *p
		}
	})
}

func BenchmarkSummarizeMillion(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	samples := make([]float64, 1e6)
	for i := range samples {
		samples[i] = rng.ExpFloat64()
	}
	b.ReportAllocs()
	for b.Loop() {
		Summarize(samples)
	}
}
