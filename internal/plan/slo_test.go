package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/engine"
	"assay/internal/figure"
	"assay/internal/spec"
)

// TestTailsAreTheEngines repeats in virtual time what the factors from mean to
// percentile were taken from.
func TestTailsAreTheEngines(t *testing.T) {
	ratios := map[string]map[string][]float64{"ttft": {}, "itl": {}, "e2e": {}}
	for _, on := range [][2]string{{"H100", "llama-3.1-8b"}, {"A10G", "llama-3.2-1b"}, {"4xH100", "llama-3.1-70b"}} {
		for _, lengths := range [][2]int{{1000, 300}, {2000, 200}, {200, 800}} {
			cfg, err := engine.Preset(on[0], on[1])
			if err != nil {
				t.Fatal(err)
			}
			cfg.MaxModelLen = 8192
			served := 0.0 // requests a second of a full service
			for _, c := range []int{1, 8, 32, 64} {
				n := max(80, 4*c)
				rng := rand.New(rand.NewPCG(1, uint64(c)))
				all, err := engine.SimulateClosed(cfg, c, n, func(int) engine.Request { return drawn(rng, lengths) })
				if err != nil {
					t.Fatal(err)
				}
				served = float64(n) / last(all).Seconds()
				noteTails(ratios, all[c:])
			}
			for _, share := range []float64{0.2, 0.5, 0.85} {
				rng := rand.New(rand.NewPCG(2, uint64(100*share)))
				var arrivals []engine.Arrival
				at := 0.0
				for range 250 {
					at += rng.ExpFloat64() / (share * served)
					arrivals = append(arrivals, engine.Arrival{At: time.Duration(at * float64(time.Second)), Request: drawn(rng, lengths)})
				}
				all, err := engine.Simulate(cfg, arrivals)
				if err != nil {
					t.Fatal(err)
				}
				noteTails(ratios, all[30:])
			}
		}
	}
	for metric, byPercentile := range tails {
		for percentile, want := range byPercentile {
			got := ratios[metric][percentile]
			slices.Sort(got)
			inside := 0
			for _, x := range got {
				if x >= want.Low && x <= want.High {
					inside++
				}
			}
			if share := float64(inside) / float64(len(got)); share < 0.8 {
				t.Errorf("%s %s: %.2f of %d services lie within %v (5 %%: %.2f, 50 %%: %.2f, 95 %%: %.2f)", metric, percentile, share, len(got), want,
					got[len(got)/20], got[len(got)/2], got[len(got)*19/20])
			}
			if middle := got[len(got)/2]; math.Abs(middle/want.Mid-1) > 0.2 {
				t.Errorf("%s %s: the middle service has %.2f, not %.2f", metric, percentile, middle, want.Mid)
			}
		}
	}
}

func drawn(rng *rand.Rand, lengths [2]int) engine.Request {
	vary := func(n int) int { return max(2, int(float64(n)*math.Exp(0.3*rng.NormFloat64()))) }
	return engine.Request{PromptLen: vary(lengths[0]), MaxTokens: vary(lengths[1]), IgnoreEOS: true}
}

func last(all []engine.Result) time.Duration {
	end := time.Duration(0)
	for _, r := range all {
		end = max(end, r.At+r.E2E())
	}
	return end
}

func noteTails(into map[string]map[string][]float64, all []engine.Result) {
	for metric, of := range map[string]func(engine.Result) time.Duration{"ttft": engine.Result.TTFT, "itl": engine.Result.ITL, "e2e": engine.Result.E2E} {
		var xs []float64
		sum := 0.0
		for _, r := range all {
			xs = append(xs, float64(of(r)))
			sum += float64(of(r))
		}
		slices.Sort(xs)
		for percentile, share := range map[string]float64{"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99} {
			at := xs[min(len(xs)-1, int(share*float64(len(xs))))]
			into[metric][percentile] = append(into[metric][percentile], at/(sum/float64(len(xs))))
		}
	}
}

func TestJudge(t *testing.T) {
	exact := figure.Exactly(100)
	p := Predicted{TTFT: exact, ITL: figure.Range{Low: 40, Mid: 50, High: 70}, E2E: exact}
	for _, c := range []struct {
		slo  spec.Criterion
		want string
	}{
		{spec.Criterion{Metric: "itl", Percentile: "mean", Limit: 71}, Met},
		{spec.Criterion{Metric: "itl", Percentile: "mean", Limit: 60}, Undecided},
		{spec.Criterion{Metric: "itl", Percentile: "mean", Limit: 45}, Undecided},
		{spec.Criterion{Metric: "itl", Percentile: "mean", Limit: 40}, Missed},
		{spec.Criterion{Metric: "ttft", Percentile: "p95", Limit: 240}, Met},
		{spec.Criterion{Metric: "ttft", Percentile: "p95", Limit: 150}, Undecided},
		{spec.Criterion{Metric: "ttft", Percentile: "p95", Limit: 109}, Missed},
	} {
		got := judge(p, []spec.Criterion{c.slo}, nil)
		if got[0].Verdict != c.want {
			t.Errorf("%s: %s with %v, want %s", c.slo, got[0].Verdict, got[0].Value, c.want)
		}
	}
	both := judge(p, []spec.Criterion{{Metric: "itl", Percentile: "mean", Limit: 71}, {Metric: "ttft", Percentile: "mean", Limit: 80}}, nil)
	if overall(both) != Missed || excess(both) != 1.25 {
		t.Errorf("of %+v the worst is %s, by %g", both, overall(both), excess(both))
	}
}
