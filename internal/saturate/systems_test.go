package saturate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/record"
)

// system is a server whose truth is known: throughput over concurrency, one
// request a second alone.
type system struct {
	name string
	x    func(n float64) float64
}

// batching is a server whose step takes alpha + beta N: with r = alpha/beta the
// throughput tends to r+1.
func batching(r float64) func(float64) float64 {
	return func(n float64) float64 { return n * (r + 1) / (r + n) }
}

func capped(limit float64, x func(float64) float64) func(float64) float64 {
	return func(n float64) float64 { return x(min(n, limit)) }
}

var (
	hard32      = system{"hard cap 32", capped(32, batching(236))}
	hard15      = system{"hard cap 15", capped(15, batching(236))}
	soft        = system{"soft", batching(20)}
	retrograde  = system{"retrograde, peak 31", func(n float64) float64 { return n / (1 + 0.02*(n-1) + 0.001*n*(n-1)) }}
	saturatedAt = system{"saturated at 3", capped(3, batching(1e9))}
	unsaturated = system{"unsaturated", batching(1000)}
	grid        = []float64{1, 5, 10, 20, 50, 100}
)

// measure holds each load with a noise of 3 % between runs and of a tenth
// between requests.
func (s system) measure(rng *rand.Rand, loads []float64, requests int) []Level {
	var out []Level
	for _, n := range loads {
		out = append(out, s.level(rng, n, requests, record.PassGrid))
	}
	return out
}

func (s system) level(rng *rand.Rand, n float64, requests int, pass string) Level {
	x := s.x(n) * math.Exp(0.03*rng.NormFloat64())
	l := Level{ID: "c" + number(n), Load: n, Pass: pass, RequestsPerS: x, TokensPerS: 64 * x, InFlight: n, Valid: true,
		WindowS: float64(requests) / x}
	for i := range requests {
		l.Completions = append(l.Completions, Completion{
			EndS: float64(i) / x, LatencyS: n / x * (1 + 0.1*rng.NormFloat64()), Tokens: 64})
	}
	return l
}

func closed(seed uint64) Options {
	return Options{Scenario: "saturation", Unit: record.ByConcurrency, Seed: seed}
}

func value(t *testing.T, s record.Saturation, method string) float64 {
	t.Helper()
	i := slices.IndexFunc(s.Estimates, func(e record.KneeEstimate) bool { return e.Method == method })
	if i < 0 {
		return math.NaN()
	}
	return *s.Estimates[i].Value
}

// The table of what six noisy levels show of servers whose truth is known.
func TestKnownSystems(t *testing.T) {
	for _, c := range []struct {
		system
		knee      float64 // where throughput stops growing, for those with an edge
		xmax      float64 // X_max/X(1) without noise
		saturated float64 // the least share of runs that must say so
		atMost    float64
	}{
		{hard32, 32, 28.3, 0.97, 1},
		{hard15, 15, 14.2, 0.99, 1},
		{soft, 0, 17.5, 0, 0.5}, // at 100 an elasticity of 0.22 is near the limit, and says so in some runs
		{retrograde, 0, 11.5, 1, 1},
		{saturatedAt, 3, 3, 1, 1},
		{unsaturated, 0, 91, 0, 0.01},
	} {
		t.Run(c.name, func(t *testing.T) {
			const runs = 60
			said, inside := 0, 0
			var xmax, sticks []float64
			for seed := range uint64(runs) {
				rng := rand.New(rand.NewPCG(seed, 99))
				s := Analyse(c.measure(rng, grid, 200), closed(seed))
				if (s.Knee != nil) != s.Saturated {
					t.Fatalf("saturated %v, knee %v", s.Saturated, s.Knee)
				}
				if !s.Saturated {
					continue
				}
				said++
				xmax = append(xmax, value(t, s, MethodAsymptotic))
				sticks = append(sticks, value(t, s, MethodBrokenStick))
				if 0.9*s.Knee.Low <= c.knee && c.knee <= 1.1*s.Knee.High {
					inside++
				}
			}
			share := float64(said) / runs
			if share < c.saturated || share > c.atMost {
				t.Errorf("said saturated in %.0f %% of runs, want %.0f to %.0f %%", 100*share, 100*c.saturated, 100*c.atMost)
			}
			if said == 0 {
				return
			}
			slices.Sort(xmax)
			slices.Sort(sticks)
			m := xmax[len(xmax)/2]
			t.Logf("saturated in %.0f %%; X_max/X(1) median %.1f, broken stick median %.1f [%.1f, %.1f]; edge inside the interval in %.0f %%",
				100*share, m, sticks[len(sticks)/2], sticks[len(sticks)/20], sticks[len(sticks)-1-len(sticks)/20], 100*float64(inside)/float64(said))
			if math.Abs(m/c.xmax-1) > 0.06 {
				t.Errorf("median X_max/X(1) = %.1f, want %.1f within 6 %%", m, c.xmax)
			}
			if c.knee > 0 && float64(inside) < 0.9*float64(said) {
				t.Errorf("the true edge %v lay in the knee's interval (7 %% wider) in %d of %d runs, want 90 %%", c.knee, inside, said)
			}
		})
	}
}

// With the levels that Next adds, the edge is found within 10 %.
func TestRefinementFindsTheEdge(t *testing.T) {
	for _, c := range []struct {
		system
		knee float64
		grid []float64
	}{
		{hard32, 32, grid},
		{hard15, 15, grid},
		{system{"hard cap 64", capped(64, batching(400))}, 64, append(slices.Clone(grid), 200)},
	} {
		t.Run(c.name, func(t *testing.T) {
			const runs = 24
			var miss []float64
			for seed := range uint64(runs) {
				rng := rand.New(rand.NewPCG(seed, 5))
				levels := c.measure(rng, c.grid, 200)
				for added := 0; ; added++ {
					load, why, ok := Next(levels, closed(seed))
					if !ok {
						break
					}
					if added == DefaultRefine {
						t.Fatalf("Next asks for level %d: %s", added+1, why)
					}
					if load != math.Round(load) || why == "" {
						t.Fatalf("Next = %v, %q", load, why)
					}
					levels = append(levels, c.level(rng, load, 200, record.PassRefine))
				}
				s := Analyse(levels, closed(seed))
				if !s.Saturated {
					t.Fatalf("seed %d: not saturated: %v", seed, s.Remarks)
				}
				miss = append(miss, math.Abs(value(t, s, MethodBrokenStick)/c.knee-1))
			}
			slices.Sort(miss)
			t.Logf("broken stick off by %.1f %% in the median, %.1f %% in the 90th percentile", 100*miss[runs/2], 100*miss[runs*9/10])
			if miss[runs/2] > 0.10 {
				t.Errorf("off by %.1f %% in the median, want at most 10 %%", 100*miss[runs/2])
			}
		})
	}
}

func TestUSLFindsARetrogradePeak(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := Analyse(retrograde.measure(rng, grid, 500), closed(1))
	if got := value(t, s, MethodUSL); math.Abs(got-31) > 4 {
		t.Errorf("USL peak = %v, want 31; estimates %+v", got, s.Estimates)
	}
	if s := Analyse(unsaturated.measure(rng, grid, 500), closed(1)); !math.IsNaN(value(t, s, MethodUSL)) {
		t.Error("a peak for a system that has none in sight")
	}
}

// Without noise the law's own parameters come back.
func TestUSLRecovers(t *testing.T) {
	want := record.USL{Lambda: 3, Sigma: 0.02, Kappa: 0.001}
	var x []float64
	for _, n := range grid {
		x = append(x, want.Lambda*retrograde.x(n))
	}
	got, sse, ok := fitUSL(grid, x)
	if !ok || sse > 1e-12 || math.Abs(got.Lambda-3) > 1e-6 || math.Abs(got.Sigma-0.02) > 1e-6 || math.Abs(got.Kappa-0.001) > 1e-7 {
		t.Errorf("fitUSL = %+v (%v, %v), want %+v", got, sse, ok, want)
	}
}

func TestKneedle(t *testing.T) {
	bend := func(s system) []float64 {
		var x []float64
		for _, n := range grid {
			x = append(x, s.x(n))
		}
		return x
	}
	for _, c := range []struct {
		system
		want float64
	}{{hard32, 50}, {hard15, 20}, {retrograde, 20}, {saturatedAt, 5}} {
		if got, ok := kneedle(grid, bend(c.system)); !ok || got != c.want {
			t.Errorf("%s: %v, %v; want %v", c.name, got, ok, c.want)
		}
	}
	if got, ok := kneedle(grid, bend(unsaturated)); ok {
		t.Errorf("unsaturated: %v, want none", got)
	}
}
