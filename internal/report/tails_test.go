package report

import (
	"strings"
	"testing"

	"assay/internal/record"
	"assay/internal/saturate"
)

// repeatedRun holds three loads three times, and the highest one once goes
// wrong.
func repeatedRun() *fixture {
	f := newFixture()
	f.run.Command = []string{"assay", "bench", "--concurrency", "4,12,24", "--repeat", "3", "--num-requests", "300"}
	tired := toy
	tired.slots = 16
	repeats := map[float64][]saturate.Repeat{}
	for pass := 1; pass <= 3; pass++ {
		for _, c := range []int{4, 12, 24} {
			s := toy
			if pass == 2 {
				s = tired
			}
			from := len(f.requests)
			l := f.add(s, "steps", record.PassGrid, c, 300)
			l.ID, l.Repeat = record.RepeatID(l.ID, pass), pass
			r := saturate.Repeat{Level: *l}
			for i := range f.requests[from:] {
				q := &f.requests[from+i]
				q.Level = l.ID
				if q.Phase == record.Measured {
					ms, _ := q.TTFT()
					r.TTFT = append(r.TTFT, ms)
					r.Completions = append(r.Completions, saturate.Completion{EndS: float64(q.EndUS) / 1e6, LatencyS: float64(q.EndUS-q.SentUS) / 1e6, Tokens: 64})
				}
			}
			repeats[float64(c)] = append(repeats[float64(c)], r)
		}
	}
	for _, c := range []float64{4, 12, 24} {
		f.run.Repeats = append(f.run.Repeats, saturate.Agree(repeats[c], false))
	}
	f.run.Bound = record.Bound{Verdict: record.BoundNotSaturated, Confidence: 0.8}
	f.run.SLO = record.SLO{Met: ptr(true), Given: true, Criteria: []record.Criterion{judged("ttft", "p95", 500, ptr(210.0))}}
	return f
}

// refutedRun is a saturation run whose knee an open loop does not hold.
func refutedRun() *fixture {
	f := saturationRun()
	rate := 41.2
	f.run.Saturation.KneeRate = &rate
	for i, share := range saturate.ConfirmShares {
		l := f.add(toy, "saturation-confirm", record.PassConfirm, 60+i, 300)
		l.Load = record.Load{Kind: record.ByRate, Value: share * rate, Arrival: "poisson"}
		why := "requests in flight grew by 3.1 a second: 9 % of the arrivals piled up"
		l.Oversaturated = &record.Oversaturation{Verdict: record.Oversaturated, Why: why, WindowS: 24, Offered: ptr(share * rate), Delivered: ptr(0.91)}
		l.Validity = record.Validity{Verdict: record.Unstable, Reasons: []string{"more was asked than the server keeps up with: " + why + ", so its latencies depend on how long one looks"}}
		f.run.Saturation.Confirmation = append(f.run.Saturation.Confirmation,
			record.Confirmation{Share: share, Rate: share * rate, Level: l.ID, Held: ptr(false), Why: why, Offered: ptr(share * rate), Delivered: ptr(0.91)})
	}
	return f
}

func TestAKneeThatDoesNotHoldIsLoud(t *testing.T) {
	in := refutedRun().input()
	for name, got := range map[string]string{"text": text(t, in, TextOptions{}), "markdown": markdown(t, in), "html": htmlOf(t, in)} {
		got = strings.Join(strings.Fields(got), " ")
		for _, want := range []string{"is not held", "The knee does not hold", "closed loop and open loop disagree"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s does not say %q", name, want)
			}
		}
	}
	// Held at 0.8 and not at 0.95 is no alarm.
	in.Run.Saturation.Confirmation[0].Held = ptr(true)
	got := strings.Join(strings.Fields(text(t, in, TextOptions{})), " ")
	if strings.Contains(got, "The knee does not hold") || !strings.Contains(got, "held at 0.8 of the knee's rate and not at 0.95") {
		t.Errorf("held at 0.8 alone:\n%s", got)
	}
}

func TestHitsOfPromptsThatShareNothingAreLoud(t *testing.T) {
	f := saturationRun()
	for i := range f.run.Levels {
		f.run.Levels[i].Cache = &record.Cache{CachedShare: ptr(0.02 * float64(i)), ExpectedShare: ptr(0.1), Expected: record.ReuseNone, Verdict: record.CacheAsExpected}
	}
	f.run.Levels[3].Cache.Verdict, f.run.Levels[3].Cache.CachedShare = record.CacheUnexpected, ptr(0.48)
	in := f.input()
	for name, got := range map[string]string{"text": text(t, in, TextOptions{}), "markdown": markdown(t, in), "html": htmlOf(t, in)} {
		if got = strings.Join(strings.Fields(got), " "); !strings.Contains(got, "came from its prefix cache, saturation, 20 in flight: up to 48 % of their tokens, where what they share explains 10 %") {
			t.Errorf("%s does not say that prompts were cached", name)
		}
	}
	if page := htmlOf(t, in); !strings.Contains(page, "unexpected hits") {
		t.Error("the table of tokens does not mark the level")
	}
}

func TestRunsThatDisagreeAreLoud(t *testing.T) {
	in := repeatedRun().input()
	for name, got := range map[string]string{"text": text(t, in, TextOptions{}), "markdown": markdown(t, in), "html": htmlOf(t, in)} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), "The runs at 24 in flight disagree, with nothing changed") {
			t.Errorf("%s does not say that runs disagree", name)
		}
		if !strings.Contains(strings.Join(strings.Fields(got), " "), "Runs agree at 4 in flight and 12 in flight") {
			t.Errorf("%s does not say which runs agree", name)
		}
	}
}

func TestTheTableHasOneRowForALoad(t *testing.T) {
	s := text(t, repeatedRun().input(), TextOptions{})
	if got := strings.Count(s, "✓ valid"); got != 3 {
		t.Errorf("%d rows of levels, want one for each of 3 loads:\n%s", got, s)
	}
}

// Failures of a repeat that the medians do not stand for are not hidden.
func TestFailuresOfEachRepeatAreShown(t *testing.T) {
	f := repeatedRun()
	for i := range f.run.Levels {
		if l := &f.run.Levels[i]; l.Load.Value == 12 {
			l.Requests.Failed, l.Errors = i, map[string]int{"reset": i}
		}
	}
	in := f.input()
	for name, got := range map[string]string{"text": text(t, in, TextOptions{}), "markdown": markdown(t, in), "html": htmlOf(t, in)} {
		if !strings.Contains(strings.Join(strings.Fields(got), " "), "Level 12 in flight: 12 of 912 failed: reset 12.") {
			t.Errorf("%s does not say what failed", name)
		}
	}
}
