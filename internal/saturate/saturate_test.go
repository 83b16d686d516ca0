package saturate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"assay/internal/record"
)

// exact measures a system without noise.
func exact(s system, loads ...float64) []Level {
	var out []Level
	for _, n := range loads {
		x := s.x(n)
		l := Level{ID: "c" + number(n), Load: n, Pass: record.PassGrid, RequestsPerS: x, TokensPerS: 64 * x, InFlight: n, Valid: true, WindowS: 30}
		for i := range 60 {
			l.Completions = append(l.Completions, Completion{EndS: float64(i) / x, LatencyS: n / x, Tokens: 64})
		}
		out = append(out, l)
	}
	return out
}

func ptr(v float64) *float64 { return &v }

// judged gives each level one criterion, ttft.p95 below 500 ms; a negative
// value stands for undecided without a value.
func judged(levels []Level, values ...float64) []Level {
	for i, v := range values {
		c := record.Criterion{Metric: "ttft", Percentile: "p95", Limit: 500, Value: ptr(v), Verdict: record.Met}
		switch {
		case v < 0:
			c.Value, c.Verdict = nil, record.Undecided
		case v >= 500:
			c.Verdict = record.Missed
		}
		levels[i].Criteria = []record.Criterion{c}
	}
	return levels
}

// alsoJudged adds a second criterion, itl.p95 below 50 ms.
func alsoJudged(levels []Level, values ...float64) []Level {
	second := judged(slices.Clone(levels), values...)
	for i := range levels {
		c := second[i].Criteria[0]
		c.Metric, c.Limit = "itl", 50
		if c.Value != nil && *c.Value >= 50 {
			c.Verdict = record.Missed
		}
		levels[i].Criteria = append(slices.Clone(levels[i].Criteria), c)
	}
	return levels
}

func without(levels []Level, loads ...float64) []Level {
	for i := range levels {
		if slices.Contains(loads, levels[i].Load) {
			levels[i].Valid, levels[i].Why = false, "client-limited"
		}
	}
	return levels
}

func TestOperatingPoint(t *testing.T) {
	linear32 := system{"", capped(32, batching(1e9))}
	fine := append([]float64{25, 32, 40}, grid...)
	for _, c := range []struct {
		name   string
		levels []Level
		load   float64 // 0: none
		by     string
		why    string
	}{
		{"knee, no SLO", exact(linear32, fine...), 25, LimitedByKnee, ""}, // 0.8 x 32 = 25.6
		// Between 20 and 50 only the chord is known, which lies below the truth.
		{"knee on a coarse grid", exact(linear32, grid...), 20, LimitedByKnee, ""},
		{"SLO well above the knee", judged(exact(linear32, grid...), 10, 10, 10, 10, 100, 400), 20, LimitedByKnee, ""},
		{"SLO below the knee", judged(exact(linear32, grid...), 50, 125, 1000, 2000, 4000, 8000), 7, LimitedBySLO, ""}, // 5 to 10, 125 to 1000: 500 at 5 x 2^(2/3) = 7.9
		{"undecided levels below a met one", judged(exact(linear32, grid...), -1, -1, 100, 1000, 2000, 4000), 16, LimitedBySLO, ""},
		{"undecided above: nothing claimed", judged(exact(linear32, grid...), 100, 100, -1, -1, 2000, 4000), 5, LimitedBySLO, ""},
		{"met above a missed level does not count", judged(exact(linear32, grid...), 100, 900, 100, 100, 900, 900), 3, LimitedBySLO, ""},
		{"each criterion is met, both at no level", alsoJudged(judged(exact(linear32, grid...), 10, 100, 100, -1, 2000, 4000), -1, -1, -1, 20, 80, 90), 10, LimitedBySLO, ""},
		{"the second criterion limits", alsoJudged(judged(exact(linear32, grid...), 1, 1, 1, 1, 2000, 4000), 10, 25, 100, 200, 200, 200), 7, LimitedBySLO, ""},
		{"the second criterion is missed at once", alsoJudged(judged(exact(linear32, grid...), 1, 1, 1, 1, 2000, 4000), 77, 10, 10, 10, 10, 10), 0, "", "itl.p95 is to be below 50 ms, and is 77 ms"},
		{"the second criterion is never decided", alsoJudged(judged(exact(linear32, grid...), 1, 1, 1, 1, 2000, 4000), -1, -1, -1, -1, -1, -1), 0, "", "itl.p95"},
		{"invalid in the middle", without(judged(exact(linear32, grid...), 50, 125, 1, 1000, 4000, 8000), 10), 12, LimitedBySLO, ""}, // 5 to 20, 125 to 1000: 500 at 5 x 4^(2/3) = 12.6
		{"invalid at the top", without(judged(exact(unsaturated, grid...), 1, 1, 1, 1, 1, 1000), 100), 50, LimitedByGrid, ""},
		{"missed at once", judged(exact(linear32, grid...), 812, 900, 900, 900, 900, 900), 0, "", "ttft.p95 is to be below 500 ms, and is 812 ms"},
		{"never decided", judged(exact(linear32, grid...), -1, -1, -1, -1, -1, -1), 0, "", "undecided at every level"},
		{"no knee, SLO met throughout", judged(exact(unsaturated, grid...), 1, 1, 1, 1, 1, 1), 100, LimitedByGrid, ""},
		{"no knee, SLO missed late", judged(exact(unsaturated, grid...), 1, 1, 1, 1, 250, 1000), 70, LimitedBySLO, ""},
		{"saturated by one request", exact(system{"", capped(1, batching(1e9))}, grid...), 0, "", "a single request"},
		{"saturated below the grid", exact(system{"", capped(5, batching(1e9))}, 10, 20, 50, 100), 0, "", "measure lower loads"},
		{"no level", nil, 0, "", "no level is valid"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Analyse(c.levels, closed(1))
			if c.load == 0 {
				if s.OperatingPoint != nil || !strings.Contains(s.WhyNoPoint, c.why) {
					t.Fatalf("operating point %+v, why %q; want none, because of %q", s.OperatingPoint, s.WhyNoPoint, c.why)
				}
				return
			}
			op := s.OperatingPoint
			if op == nil || op.Concurrency != c.load || op.LimitedBy != c.by {
				t.Fatalf("operating point %+v (%s), want %v by %s", op, s.WhyNoPoint, c.load, c.by)
			}
			if s.Knee != nil && op.OutputTokensPerS > headroom*s.Peak.OutputTokensPerS+1e-9 {
				t.Errorf("%v tokens/s are more than 0.8 of the peak's %v", op.OutputTokensPerS, s.Peak.OutputTokensPerS)
			}
			if math.Abs(op.OutputTokensPerS/op.RequestsPerS-64) > 1e-6 {
				t.Errorf("%v tokens/s and %v requests/s do not belong together", op.OutputTokensPerS, op.RequestsPerS)
			}
		})
	}
}

func TestSaysThatALevelAboveAMissedOneIsMet(t *testing.T) {
	s := Analyse(judged(exact(hard32, grid...), 100, 900, 100, 100, 900, 900), closed(1))
	if want := "ttft.p95 is missed at 5 and met again at 10, 20"; !strings.Contains(strings.Join(s.Remarks, "; "), want) {
		t.Errorf("remarks %q do not say %q", s.Remarks, want)
	}
}

func TestInvalidLevelsDoNotCount(t *testing.T) {
	levels := exact(hard32, append(grid, 200)...)
	levels[6].Valid, levels[6].Why, levels[6].TokensPerS = false, "client-limited", 1e6
	s := Analyse(levels, closed(1))
	want := Analyse(exact(hard32, grid...), closed(1))
	if d := cmp.Diff(want.Knee, s.Knee); d != "" {
		t.Errorf("an invalid level moved the knee: %s", d)
	}
	if len(s.Remarks) == 0 || s.Remarks[0] != "level c200 is left out: client-limited" {
		t.Errorf("remarks %q do not say what was left out", s.Remarks)
	}
}

func TestWithoutLevelOne(t *testing.T) {
	s := Analyse(exact(hard32, grid[1:]...), closed(1))
	if e := s.Estimates[0]; e.Method != MethodAsymptotic || !strings.Contains(e.Note, "scaled from 5") {
		t.Errorf("first estimate %+v does not say that X(1) is scaled", e)
	}
	s = Analyse(exact(hard32, 28, 50, 100, 200), closed(1))
	if !s.Saturated || !math.IsNaN(value(t, s, MethodAsymptotic)) {
		t.Errorf("X_max/X(1) from a lowest level at the knee: %+v", s.Estimates)
	}
}

func TestOpenLoop(t *testing.T) {
	opt := Options{Unit: record.ByRate, Seed: 1}
	var levels []Level
	for _, r := range []float64{2, 4, 8, 10, 12, 16} {
		x := min(r, 10)
		l := Level{ID: "r" + number(r), Load: r, RequestsPerS: x, TokensPerS: 64 * x, InFlight: 3 * x, Valid: true}
		for i := range 100 {
			l.Completions = append(l.Completions, Completion{EndS: float64(i) / x, LatencyS: 3, Tokens: 64})
		}
		levels = append(levels, l)
	}
	s := Analyse(levels, opt)
	if !s.Saturated || s.Unit != "requests/s" || s.USL != nil {
		t.Fatalf("saturated %v in %q, USL %v", s.Saturated, s.Unit, s.USL)
	}
	if s.Knee.Low > 10.2 || s.Knee.High < 9.8 || s.Knee.High > 12 {
		t.Errorf("knee %+v, want about 10", s.Knee)
	}
	op := s.OperatingPoint
	if op == nil || op.RequestsPerS > 8.1 || op.RequestsPerS < 7.5 || math.Abs(op.Concurrency-3*op.RequestsPerS) > 0.1 {
		t.Errorf("operating point %+v, want 8 requests/s with 24 in flight", op)
	}
	if s := Analyse(levels[:3], opt); s.Saturated {
		t.Error("saturated where each rate was delivered")
	}
}

func TestNext(t *testing.T) {
	flatEnd := exact(system{"", func(n float64) float64 { return math.Pow(min(n, 60), 0.9) }}, 1, 10, 50, 70, 90)
	for i := range flatEnd {
		flatEnd[i].Completions = flatEnd[i].Completions[:3] // no bootstrap: the error is the floor
	}
	refined := func(levels []Level, loads ...float64) []Level {
		for _, l := range exact(hard32, loads...) {
			l.Pass = record.PassRefine
			levels = append(levels, l)
		}
		return levels
	}
	for _, c := range []struct {
		name   string
		levels []Level
		want   float64 // 0: nothing
		why    string
	}{
		{"around the knee", exact(hard32, grid...), 32, "the knee lies between 20 and 50"},
		{"then the SLO's crossing", judged(refined(exact(hard32, grid...), 25, 28), 50, 400, 4000, 4000, 4000, 4000, 4000, 4000), 7, "the SLO stops being met between 5 and 10"},
		{"not an SLO above the knee", judged(refined(exact(hard32, grid...), 28, 31), 1, 1, 1, 1, 1, 1000, 1, 1), 0, ""},
		{"the budget is spent", refined(exact(hard32, grid...), 25, 28, 33), 0, ""},
		{"no knee, no SLO", exact(unsaturated, grid...), 0, ""},
		{"no knee, SLO crossing", judged(exact(unsaturated, grid...), 1, 1, 1, 1, 250, 1000), 71, "between 50 and 100"},
		{"flat, but not surely", flatEnd, 79, "seems flat from 70 to 90"},
		{"too few levels", exact(hard32, 1, 5), 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			load, why, ok := Next(c.levels, closed(1))
			if ok != (c.want != 0) || load != c.want || !strings.Contains(why, c.why) {
				t.Errorf("Next = %v, %q, %v; want %v, %q", load, why, ok, c.want, c.why)
			}
		})
	}
}

func TestNextDoesNotRepeatAnInvalidLoad(t *testing.T) {
	levels := exact(hard32, grid...)
	spoiled := exact(hard32, 32)[0]
	spoiled.Valid, spoiled.Pass = false, record.PassRefine
	if load, why, ok := Next(append(levels, spoiled), closed(1)); ok && math.Abs(load-32) < 2 {
		t.Errorf("Next = %v (%s), which was measured and spoiled", load, why)
	}
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		levels := judged(hard32.measure(rand.New(rand.NewPCG(seed, 1)), grid, 40), 1, 2, 3, 400, 900, 2000)
		shuffled := rapid.Permutation(levels).Draw(t, "levels")
		if d := cmp.Diff(Analyse(levels, closed(seed)), Analyse(shuffled, closed(seed)), cmpopts.EquateNaNs()); d != "" {
			t.Fatalf("another order, another answer: %s", d)
		}
	})
}

// Throughput in other units gives the same knee and the same operating load.
func TestScaleDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		scale := rapid.Float64Range(1e-3, 1e3).Draw(t, "scale")
		levels := hard15.measure(rand.New(rand.NewPCG(seed, 1)), grid, 40)
		scaled := make([]Level, len(levels))
		for i, l := range levels {
			scaled[i] = l
			scaled[i].TokensPerS *= scale
			scaled[i].Completions = nil
			for _, d := range l.Completions {
				d.Tokens *= scale
				scaled[i].Completions = append(scaled[i].Completions, d)
			}
		}
		a, b := Analyse(levels, closed(seed)), Analyse(scaled, closed(seed))
		near := cmpopts.EquateApprox(1e-6, 0)
		if d := cmp.Diff(a.Knee, b.Knee, near); d != "" {
			t.Fatalf("the knee moved with the unit: %s", d)
		}
		if d := cmp.Diff(a.Elasticities, b.Elasticities, near); d != "" {
			t.Fatalf("the elasticities moved with the unit: %s", d)
		}
		if a.OperatingPoint.Concurrency != b.OperatingPoint.Concurrency {
			t.Fatalf("operating point at %v and %v", a.OperatingPoint.Concurrency, b.OperatingPoint.Concurrency)
		}
	})
}
