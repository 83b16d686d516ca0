package compare

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// TestRunsOfOneServerSeldomDiffer counts the comparisons that show anything at
// all, of some thirty figures each, where there is nothing.
func TestRunsOfOneServerSeldomDiffer(t *testing.T) {
	const pairs = 80
	anything, outside, intervals := 0, 0, 0
	for seed := range uint64(pairs) {
		base, next := pairOf(100+seed, plainServer, plainServer, 200)
		c := runs(t, base, next)
		if c.Verdict != NoDifference {
			anything++
		}
		for _, m := range c.Metrics {
			if m.CI != nil {
				intervals++
				if m.CI.Low > 0 || m.CI.High < 0 {
					outside++
				}
			}
		}
	}
	t.Logf("%d of %d comparisons show something; %d of %d intervals leave out 0", anything, pairs, outside, intervals)
	if anything > pairs/10 {
		t.Errorf("%d of %d comparisons show a difference that is not there", anything, pairs)
	}
	if share := float64(outside) / float64(intervals); share > 0.1 || share == 0 {
		t.Errorf("%.3f of the 95 %% intervals leave out 0, want about 0.05", share)
	}
}

func TestASlowerServerIsWorseInEachDirection(t *testing.T) {
	slower := plainServer
	slower.slower = 1.3
	base, next := pairOf(3, plainServer, slower, 500)
	c := runs(t, base, next)
	if c.Verdict != Worse {
		t.Errorf("verdict %s", c.Verdict)
	}
	for _, name := range []string{"ttft.mean", "ttft.p50", "ttft.p95", "itl.mean", "icl.p95", "e2e.p90", spec.RequestsPerS, spec.OutputTokensPerS, spec.CostPerMillion} {
		m := get(t, c, name)
		want := 30.0
		if name == spec.RequestsPerS || name == spec.OutputTokensPerS {
			want = 100 * (1/1.3 - 1)
		}
		if m.Verdict != Worse || m.CI == nil || m.CI.Low > want || m.CI.High < want {
			t.Errorf("%s: %s, %+.1f %% in %+v, want worse and %+.1f in the interval", name, m.Verdict, *m.DeltaPct, m.CI, want)
		}
	}
	back := runs(t, next, base)
	if back.Verdict != Better || get(t, back, spec.OutputTokensPerS).Verdict != Better {
		t.Errorf("the other way round: %s", back.Verdict)
	}
}

// TestSwapped: a comparison the other way round says the opposite, and a run
// does not differ from itself.
func TestSwapped(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		next := plainServer
		next.slower = rapid.Float64Range(0.7, 1.5).Draw(rt, "slower")
		base, other := pairOf(rapid.Uint64Range(1, 50).Draw(rt, "seed"), plainServer, next, 40)
		there, back := runs(t, base, other), runs(t, other, base)
		opposite := map[string]string{Better: Worse, Worse: Better}
		for i, m := range there.Metrics {
			b := back.Metrics[i]
			want := m.Verdict
			if o, ok := opposite[want]; ok {
				want = o
			}
			if b.Verdict != want {
				rt.Fatalf("%s: %s there, %s back", m.Name, m.Verdict, b.Verdict)
			}
			if m.DeltaPct != nil && !m.Points && math.Abs((1+*m.DeltaPct/100)*(1+*b.DeltaPct/100)-1) > 1e-9 {
				rt.Fatalf("%s: %g %% there, %g %% back", m.Name, *m.DeltaPct, *b.DeltaPct)
			}
		}
		for _, m := range runs(t, base, base).Metrics {
			if m.Verdict == Better || m.Verdict == Worse || m.DeltaPct != nil && *m.DeltaPct != 0 {
				rt.Fatalf("a run differs from itself in %s: %+v", m.Name, m)
			}
		}
	})
}

// TestOrderDoesNotMatter: requests come in the order in which they ended, or in
// any other.
func TestOrderDoesNotMatter(t *testing.T) {
	l := plainServer.closed(stats.NewRand(1, 1), "saturation-c8", 8, 120)
	shuffled := level{l.Level, slices.Clone(l.requests)}
	stats.NewRand(2, 2).Shuffle(len(shuffled.requests), func(i, j int) {
		shuffled.requests[i], shuffled.requests[j] = shuffled.requests[j], shuffled.requests[i]
	})
	other := sideWith("new", plainServer.closed(stats.NewRand(9, 1), "saturation-c8", 8, 120))
	a, err := json.Marshal(runs(t, sideWith("base", l), other))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := json.Marshal(runs(t, sideWith("base", shuffled), other))
	if diff := cmp.Diff(string(a), string(b)); diff != "" {
		t.Error(diff)
	}
}

func TestNotComparable(t *testing.T) {
	change := func(f func(l *record.Level, r *record.Run)) func(*Side) {
		return func(s *Side) { f(&s.Run.Levels[0], &s.Run) }
	}
	invalid := func(verdict, why string, steady bool) func(*Side) {
		return change(func(l *record.Level, _ *record.Run) {
			l.Validity, l.Window.Steady = record.Validity{Verdict: verdict, Reasons: []string{why}}, steady
		})
	}
	for _, c := range []struct {
		name    string
		change  func(*Side)
		metrics []string // not comparable
		not     []string // comparable all the same
		why     string
	}{
		{"another model", change(func(_ *record.Level, r *record.Run) { r.Target.Model = "m-fp8" }),
			[]string{"ttft.p50", spec.OutputTokensPerS, spec.ErrorShare}, nil, "the models differ: m and m-fp8"},
		{"simulated", change(func(_ *record.Level, r *record.Run) { r.Target.Simulated = true }),
			[]string{"ttft.p50"}, nil, "simulated engine"},
		{"longer prompts", change(func(l *record.Level, _ *record.Run) { *l.Got.Prompt *= 1.06 }),
			[]string{"ttft.p50", spec.RequestsPerS}, nil, "prompts are not as long: 64 and 67.84"},
		{"shorter answers", change(func(l *record.Level, _ *record.Run) { *l.Got.Output *= 0.9 }),
			[]string{"e2e.p50"}, nil, "answers are not as long"},
		{"client-limited", invalid(record.ClientLimited, "sends were late", true),
			[]string{"ttft.p50", spec.OutputTokensPerS}, []string{spec.ErrorShare}, "of NEW is client-limited: sends were late"},
		{"invalid", invalid(record.Invalid, "too many errors", true),
			[]string{"ttft.p50"}, []string{spec.ErrorShare}, "too many errors"},
		{"drift", invalid(record.Unstable, "TTFT changed", true),
			[]string{"ttft.p50", spec.OutputTokensPerS}, nil, "is unstable"},
		{"short", invalid(record.Unstable, "no steady state", false),
			[]string{spec.OutputTokensPerS, spec.GoodputPerS}, []string{"ttft.p50"}, "ramp and drain"},
		{"tokens by chunks", change(func(l *record.Level, _ *record.Run) { l.TokensFrom = record.FromChunks }),
			[]string{"itl.p50", spec.OutputTokensPerS, spec.CostPerMillion}, []string{"ttft.p50", spec.RequestsPerS}, "counted by usage in BASE and by chunks in NEW"},
		{"another SLO", change(func(l *record.Level, _ *record.Run) { l.SLO[0].Limit = 300 }),
			[]string{spec.GoodputPerS}, []string{"ttft.p50"}, "different SLOs"},
		{"another tool's ITL", change(func(_ *record.Level, r *record.Run) {
			r.Tool.Name = "vllm"
			r.Definitions = []record.Definition{{Metric: "itl", Comparable: record.DifferentDefinition, Why: "gaps are pooled"}}
		}), []string{"itl.p50"}, []string{"ttft.p50"}, "vllm defines it differently: gaps are pooled"},
		{"unsupported", func(*Side) {}, []string{"ttft.p99"}, []string{"ttft.p95"}, "p99 needs 662 samples; BASE has 150"},
		{"chunks of four", change(func(l *record.Level, _ *record.Run) { l.ICL.N /= 4 }), []string{"icl.p50"}, []string{"itl.p50"}, "chunks do not hold as many tokens"},
	} {
		base, next := pairOf(5, plainServer, plainServer, 150)
		c.change(&next)
		got := runs(t, base, next)
		for _, name := range c.metrics {
			m := get(t, got, name)
			if m.Verdict != NotComparable || !strings.Contains(m.Why, c.why) || m.CI != nil {
				t.Errorf("%s: %s is %s because %q, want %q", c.name, name, m.Verdict, m.Why, c.why)
			}
		}
		for _, name := range c.not {
			if m := get(t, got, name); m.Verdict == NotComparable {
				t.Errorf("%s: %s is not comparable: %s", c.name, name, m.Why)
			}
		}
	}
}

func TestAcrossModels(t *testing.T) {
	base, next := pairOf(5, plainServer, plainServer, 60)
	next.Run.Target.Model = "m-fp8"
	c, err := Runs(base, next, Options{AcrossModels: true})
	if err != nil {
		t.Fatal(err)
	}
	if m := get(t, c, "ttft.p50"); m.CI == nil {
		t.Errorf("not compared: %s", m.Why)
	}
	if want := (Difference{"model", "m", "m-fp8"}); !slices.Contains(c.Differences, want) {
		t.Errorf("differences %v lack the model", c.Differences)
	}
}

// TestOneToolWithItself: what one tool means by a figure is the same in both of
// its files.
func TestOneToolWithItself(t *testing.T) {
	base, next := pairOf(5, plainServer, plainServer, 60)
	for _, s := range []*Side{&base, &next} {
		s.Run.Tool.Name = "vllm"
		s.Run.Definitions = []record.Definition{{Metric: "itl", Comparable: record.DifferentDefinition, Why: "gaps are pooled"}}
	}
	if m := get(t, runs(t, base, next), "itl.p50"); m.Verdict == NotComparable {
		t.Error(m.Why)
	}
}

func TestWithoutSingleRequestsNothingIsShown(t *testing.T) {
	slower := plainServer
	slower.slower = 3
	base, next := pairOf(5, plainServer, slower, 150)
	next.Requests = nil
	m := get(t, runs(t, base, next), "ttft.p50")
	if m.Verdict != NoDifference || m.CI != nil || m.DeltaPct == nil || *m.DeltaPct < 100 || !strings.Contains(m.Why, "NEW holds no single requests") {
		t.Errorf("got %+v", m)
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		failures float64
		want     string
	}{{0.08, Worse}, {0.004, NoDifference}, {0, NoDifference}} {
		next := plainServer
		next.failures = c.failures
		base, other := pairOf(8, plainServer, next, 400)
		m := get(t, runs(t, base, other), spec.ErrorShare)
		if m.Verdict != c.want || !m.Points {
			t.Errorf("%g of the requests fail: %s, %+v points in %+v", c.failures, m.Verdict, *m.DeltaPct, m.CI)
		}
	}
}

func TestOpenLoop(t *testing.T) {
	base := sideWith("base", plainServer.open(stats.NewRand(1, 1), "saturation-r20", 20, 600))
	next := sideWith("new", plainServer.open(stats.NewRand(1, 2), "saturation-r20", 20, 600))
	m := get(t, runs(t, base, next), spec.RequestsPerS)
	if m.CI == nil || m.CI.High-m.CI.Low < 4 || m.CI.High-m.CI.Low > 60 || !strings.Contains(m.Basis, "slices of time") {
		t.Errorf("Poisson arrivals of 600 requests: %+v on %s, want about plus and minus 11 %%", m.CI, m.Basis)
	}
}
