package saturate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/stats"
)

// repeat is a level of 32 slots at that output tokens/s and mean TTFT, of n
// requests whose latencies have a deviation of a fifth.
func repeat(rng *rand.Rand, number int, tokensPerS, ttft float64, n int) Repeat {
	r := Repeat{Level: record.Level{ID: record.RepeatID("s-c32", number), Repeat: number, Scenario: "s",
		Load: record.Load{Kind: record.ByConcurrency, Value: 32}, Validity: record.Validity{Verdict: record.Valid}}}
	r.Level.Throughput.OutputTokensPerS = tokensPerS
	for i := range n {
		r.TTFT = append(r.TTFT, ttft*max(0.1, 1+0.2*rng.NormFloat64()))
		r.Completions = append(r.Completions, Completion{EndS: float64(i) * 0.1, LatencyS: 3.2 * max(0.1, 1+0.2*rng.NormFloat64()), Tokens: 100})
	}
	return r
}

func TestRepeatsThatDisagreeAreUnstable(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	run := func(tokens, ttft []float64, n int) (all []Repeat) {
		for i := range tokens {
			all = append(all, repeat(rng, i+1, tokens[i], ttft[i], n))
		}
		return all
	}
	same := []float64{200, 201, 199}
	for _, tc := range []struct {
		name string
		all  []Repeat
		want string
		why  string
	}{
		// NVIDIA/aicr #1197: one run in three at 84k tokens/s, with no change.
		{"one run of three is slow", run([]float64{123_000, 84_000, 122_500}, same, 400), record.Unstable, "throughput varies by 20"},
		{"they agree", run([]float64{123_000, 122_000, 122_500}, same, 400), record.Stable, "between runs"},
		{"two runs that agree", run([]float64{123_000, 122_000}, same[:2], 400), record.NotKnown, "it takes 3"},
		{"two runs that differ", run([]float64{123_000, 84_000}, same[:2], 400), record.Unstable, ""},
		{"TTFT alone differs", run([]float64{123_000, 122_000, 122_500}, []float64{200, 400, 205}, 400), record.Unstable, "TTFT p95"},
		{"too short to tell noise", run([]float64{123_000, 110_000, 122_500}, same, 8), record.NotKnown, "longer levels"},
	} {
		got := Agree(tc.all, false)
		if got.Verdict != tc.want || !strings.Contains(got.Why, tc.why) || got.N != len(tc.all) {
			t.Errorf("%s: %s of %d (%s), want %s (%s)", tc.name, got.Verdict, got.N, got.Why, tc.want, tc.why)
		}
	}
}

func TestRepeatsCountOnlyValidOnes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	all := []Repeat{repeat(rng, 1, 100, 50, 200), repeat(rng, 2, 40, 50, 200), repeat(rng, 3, 101, 50, 200)}
	all[1].Level.Validity = record.Validity{Verdict: record.ClientLimited, Reasons: []string{"a slow client"}}
	got := Agree(all, false)
	if got.N != 2 || got.Verdict != record.NotKnown || len(got.Levels) != 3 || !strings.Contains(got.Why, "1 of 3 runs not valid") {
		t.Errorf("got %+v", got)
	}
	all[0].Level.Validity.Verdict = record.Invalid
	if got := Agree(all, false); got.N != 1 || got.Throughput != nil || got.Verdict != record.NotKnown {
		t.Errorf("one valid run: %+v", got)
	}
}

func TestRepeatsOfOneTruthAreRarelyUnstable(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	unstable := 0
	const runs = 300
	for range runs {
		var all []Repeat
		for i := range 3 {
			r := repeat(rng, i+1, 0, 200, 150)
			sum := 0.0
			for _, c := range r.Completions {
				sum += c.LatencyS
			}
			// Little's law: 32 slots, 100 tokens in the mean latency.
			r.Level.Throughput.OutputTokensPerS = 32 * 100 / (sum / float64(len(r.Completions)))
			all = append(all, r)
		}
		if Agree(all, false).Verdict == record.Unstable {
			unstable++
		}
	}
	if unstable > runs/50 {
		t.Errorf("%d of %d sets of equal runs are called unstable", unstable, runs)
	}
}

func TestMergeTakesTheMedian(t *testing.T) {
	level := func(base string, n int, tokens, p95 float64, verdict string) record.Level {
		l := record.Level{ID: base, Scenario: "s", Load: record.Load{Kind: record.ByConcurrency, Value: 8}, Validity: record.Validity{Verdict: verdict}}
		if n > 0 {
			l.ID, l.Repeat = record.RepeatID(base, n), n
		}
		l.Throughput.OutputTokensPerS = tokens
		l.TTFT = stats.Dist{N: 200, P95: &p95}
		met := record.Met
		if p95 >= 500 {
			met = record.Missed
		}
		l.SLO = []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Value: &p95, Verdict: met}}
		return l
	}
	valid := record.Valid
	got := Merge([]record.Level{
		level("a", 1, 123, 400, valid), level("b", 0, 9, 100, valid), level("a", 2, 84, 900, valid), level("b", 0, 8, 100, valid), level("a", 3, 122, 450, valid),
	})
	if len(got) != 3 || got[0].ID != "a-rep3" || got[0].At != 4 || got[1].Throughput.OutputTokensPerS != 9 {
		t.Fatalf("merged: %d, the first %s from %d", len(got), got[0].ID, got[0].At)
	}
	m := got[0]
	if m.Throughput.OutputTokensPerS != 122 || *m.TTFT.P95 != 450 || m.SLO[0].Verdict != record.Met || *m.SLO[0].Value != 450 {
		t.Errorf("medians: %v tokens/s, TTFT p95 %v, %+v", m.Throughput.OutputTokensPerS, *m.TTFT.P95, m.SLO[0])
	}
	if want := 1.2533 * 22.23 / 109.67 / 1.7321; fmt.Sprintf("%.3f", m.Between) != fmt.Sprintf("%.3f", want) {
		t.Errorf("between runs %.4f, want %.4f", m.Between, want)
	}

	// One that is not valid moves nothing; a majority of them is the load's.
	got = Merge([]record.Level{level("a", 1, 123, 400, valid), level("a", 2, 10, 900, record.ClientLimited), level("a", 3, 121, 450, valid)})
	if got[0].Throughput.OutputTokensPerS != 122 || got[0].Validity.Verdict != valid {
		t.Errorf("with one of three not valid: %+v", got[0].Throughput)
	}
	got = Merge([]record.Level{level("a", 1, 123, 400, valid), level("a", 2, 10, 900, record.ClientLimited), level("a", 3, 12, 950, record.ClientLimited)})
	if got[0].Validity.Verdict != record.ClientLimited {
		t.Errorf("with two of three not valid: %+v", got[0].Validity)
	}
}

func TestSpreadBetweenRunsWidensTheKnee(t *testing.T) {
	width := func(between float64) float64 {
		levels := hard15.measure(rand.New(rand.NewPCG(1, 2)), grid, 300)
		for i := range levels {
			levels[i].Between = between
		}
		s := Analyse(levels, closed(1))
		if s.Knee == nil {
			t.Fatalf("no knee with a spread of %g", between)
		}
		return s.Knee.High - s.Knee.Low
	}
	if narrow, wide := width(0), width(0.1); wide <= narrow {
		t.Errorf("the knee is %.1f wide with runs 10 %% apart, %.1f with equal ones", wide, narrow)
	}
}

// By the table of Student's distribution 4.30265 for two degrees of freedom.
func TestIntervalOfRepeatsIsOf95Percent(t *testing.T) {
	none := math.NaN()
	s := spreadOf([]float64{10, 12, 14}, []float64{none, none, none}, steadyCV)
	half := 4.30265 * 2 / math.Sqrt(3)
	if math.Abs(s.CI.Low-(12-half)) > 1e-4 || math.Abs(s.CI.High-(12+half)) > 1e-4 {
		t.Errorf("interval %+v, want 12 ± %.4f", *s.CI, half)
	}
}

// Vectors and scores have no output tokens: their repeats agree in requests.
func TestRepeatsWithoutOutputTokensAreOfRequests(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	of := func(rates ...float64) record.Repeats {
		var all []Repeat
		for i, rate := range rates {
			r := repeat(rng, i+1, 0, 200, 400)
			r.Level.Throughput.RequestsPerS, r.TTFT = rate, nil
			all = append(all, r)
		}
		return Agree(all, false)
	}
	if got := of(100, 101, 99); got.Verdict != record.Stable || got.Throughput != nil || got.Requests == nil || got.Requests.Mean != 100 {
		t.Errorf("equal runs: %+v", got)
	}
	if got := of(100, 60, 99); got.Verdict != record.Unstable {
		t.Errorf("one slow run: %s (%s)", got.Verdict, got.Why)
	}
}
