package engine

import (
	"testing"
	"time"
)

// One worker that takes 1 ms for a token cannot send more than 1,000 a second,
// whatever the engine makes; two can send twice as many.
func TestFewFrontendWorkersBind(t *testing.T) {
	rate := func(workers int) float64 {
		cfg := small(func(c *Config) {
			c.Frontend = Frontend{Workers: workers, OutputToken: time.Millisecond}
		})
		results, err := SimulateClosed(cfg, 8, 80, func(int) Request { return Request{PromptLen: 4, MaxTokens: 10, IgnoreEOS: true} })
		if err != nil {
			t.Fatal(err)
		}
		var end time.Duration
		tokens := 0
		for _, r := range results {
			end = max(end, r.At+r.E2E())
			tokens += len(r.Tokens)
			for i := 1; i < len(r.Tokens); i++ {
				if r.Tokens[i] <= r.Tokens[i-1] {
					t.Fatalf("tokens at %v", r.Tokens)
				}
			}
		}
		return float64(tokens) / end.Seconds()
	}
	one, two, unlimited := rate(1), rate(2), rate(0)
	if one < 900 || one > 1001 || two < 1800 || two > 2001 || unlimited < 5000 {
		t.Errorf("%.0f tokens/s with one worker, %.0f with two, %.0f with as many as it takes; want 1000, 2000, over 5000", one, two, unlimited)
	}
}

func TestFrontendCountsItsCPUTime(t *testing.T) {
	for _, workers := range []int{0, 1, 3} {
		e := start(t, small(func(c *Config) {
			c.Frontend = Frontend{Workers: workers, Request: time.Millisecond, PromptToken: 10 * time.Microsecond, OutputToken: 100 * time.Microsecond}
		}))
		for range 3 {
			submit(t, e, "", Request{PromptLen: 20, MaxTokens: 5})
		}
		for now := time.Duration(0); e.Open() > 0; now += time.Millisecond {
			e.Step(now)
		}
		if got, want := e.Counters().FrontendCPU, 3*(1000+200+500)*time.Microsecond; got != want {
			t.Errorf("%d workers used %v, want %v", workers, got, want)
		}
	}
}

// A long prompt in one worker does not hold up what comes to another.
func TestFrontendLetsTheQuickPass(t *testing.T) {
	e := start(t, small(func(c *Config) {
		c.Frontend = Frontend{Workers: 2, PromptToken: time.Millisecond}
	}))
	long := submit(t, e, "long", Request{PromptLen: 100, MaxTokens: 1})
	short := submit(t, e, "short", Request{PromptLen: 4, MaxTokens: 1})
	if long.Queued != 100*time.Millisecond || short.Queued != 4*time.Millisecond {
		t.Fatalf("queued at %v and %v, want 100 and 4 ms", long.Queued, short.Queued)
	}
	step := e.Step(4 * time.Millisecond)
	if len(step.Outputs) != 1 || step.Outputs[0].Sequence != short {
		t.Errorf("the short prompt waits for the long one: %+v", step)
	}
}
