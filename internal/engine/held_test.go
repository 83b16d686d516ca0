package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatHoldsBack(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(*Config)
		prompt int
		want   func(Held) bool
	}{
		"nothing":          {nil, 4, func(h Held) bool { return h == Held{} }},
		"sequences":        {func(c *Config) { c.MaxNumSeqs = 1 }, 4, func(h Held) bool { return h.Sequences > 0 && h.Budget == 0 && h.KV == 0 }},
		"the token budget": {func(c *Config) { c.MaxBatchedTokens = 8 }, 20, func(h Held) bool { return h.Budget > 0 && h.Sequences == 0 && h.KV == 0 }},
		"the KV cache":     {func(c *Config) { c.MaxBatchedTokens = 512 }, 100, func(h Held) bool { return h.KV > 0 && h.Sequences == 0 && h.Budget == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, small(tc.change))
			for range 3 {
				submit(t, e, "", Request{PromptLen: tc.prompt, MaxTokens: 4})
			}
			for e.Open() > 0 {
				e.Step(0)
			}
			if h := e.Counters().Held; !tc.want(h) {
				t.Errorf("%+v", h)
			}
		})
	}
}

// A limit that held nothing back can be raised without any effect.
func TestALimitThatHoldsNothingBackDoesNotMatter(t *testing.T) {
	run := func(change func(*Config)) ([]Result, Held) {
		cfg := small(change)
		e := start(t, cfg)
		arrivals := make([]Arrival, 6)
		for i := range arrivals {
			arrivals[i].Request = Request{PromptLen: 9, MaxTokens: 5, IgnoreEOS: true}
		}
		for range arrivals {
			submit(t, e, "", arrivals[0].Request)
		}
		for e.Open() > 0 {
			e.Step(0)
		}
		results, err := Simulate(cfg, arrivals)
		if err != nil {
			t.Fatal(err)
		}
		return results, e.Counters().Held
	}
	base, held := run(nil)
	if held != (Held{}) {
		t.Fatalf("held back: %+v", held)
	}
	more, _ := run(func(c *Config) { c.MaxNumSeqs, c.MaxBatchedTokens, c.KVBlocks = 16, 128, 20 })
	if diff := cmp.Diff(base, more); diff != "" {
		t.Errorf("higher limits changed what none of them held:\n%s", diff)
	}
}
