package engine

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSimulate(t *testing.T) {
	cfg := small(func(c *Config) { c.MaxNumSeqs = 1; c.Overheads.Request = 5 * time.Millisecond })
	got, err := Simulate(cfg, []Arrival{
		{2 * time.Millisecond, Request{PromptLen: 10, MaxTokens: 3, IgnoreEOS: true}},
		{0, Request{PromptLen: 10, MaxTokens: 2, IgnoreEOS: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ms := func(d time.Duration) int { return int(d.Round(10*time.Microsecond) / time.Millisecond) }
	// The second arrival comes first: 5 ms in the API server, steps of 1 ms.
	if ttft, e2e := ms(got[1].TTFT()), ms(got[1].E2E()); ttft != 6 || e2e != 7 {
		t.Errorf("first to arrive: TTFT %d ms, E2E %d ms; want 6, 7", ttft, e2e)
	}
	// The first is visible at 7 ms, when the other has just ended.
	if sched, e2e, itl := ms(got[0].Scheduled), ms(got[0].E2E()), ms(got[0].ITL()); sched != 7 || e2e != 8 || itl != 1 {
		t.Errorf("second to arrive: scheduled %d ms, E2E %d ms, ITL %d ms; want 7, 8, 1", sched, e2e, itl)
	}
	if _, err := Simulate(cfg, []Arrival{{0, Request{PromptLen: 1000}}}); err == nil {
		t.Error("an arrival that does not fit is accepted")
	}
}

// A real vLLM 0.32 with these limits (blocks of 128 tokens, 40 of them, 16
// sequences) was given 8 prompts of 12 tokens and 1,500 output tokens each: its
// metrics told of 7 preemptions, 3 of one request and at most 1 of every other.
func TestPreemptsAsOftenAsTheRealEngine(t *testing.T) {
	cfg := small(func(c *Config) {
		c.BlockSize, c.KVBlocks, c.MaxNumSeqs, c.MaxBatchedTokens = 128, 40, 16, 2048
		c.Model.Context, c.MaxModelLen = 2048, 2048
	})
	arrivals := make([]Arrival, 8)
	for i := range arrivals {
		arrivals[i].Request = Request{PromptLen: 12, MaxTokens: 1500, IgnoreEOS: true, Seed: uint64(i)}
	}
	results, err := Simulate(cfg, arrivals)
	if err != nil {
		t.Fatal(err)
	}
	var often []int
	for i, r := range results {
		often = append(often, r.Preemptions)
		if len(r.Tokens) != 1500 {
			t.Errorf("request %d gave %d tokens, want 1,500", i, len(r.Tokens))
		}
	}
	slices.Sort(often)
	if diff := cmp.Diff([]int{0, 0, 0, 1, 1, 1, 1, 3}, often); diff != "" {
		t.Errorf("preemptions of each request (-vLLM +this):\n%s", diff)
	}
}

// demo runs the demo at a concurrency and returns requests per second and the
// mean end-to-end time.
func demo(t testing.TB, concurrency int) (rate float64, e2e time.Duration) {
	t.Helper()
	results, err := SimulateClosed(Demo(), concurrency, 30*concurrency, func(i int) Request {
		return Request{PromptLen: 128, MaxTokens: 64, IgnoreEOS: true, Seed: uint64(i)}
	})
	if err != nil {
		t.Fatal(err)
	}
	var end, sum time.Duration
	for _, r := range results {
		end = max(end, r.At+r.E2E())
		sum += r.E2E()
	}
	return float64(len(results)) / end.Seconds(), sum / time.Duration(len(results))
}

func TestDemoHasItsKneeNearThirty(t *testing.T) {
	if _, e2e := demo(t, 1); e2e < 110*time.Millisecond || e2e > 170*time.Millisecond {
		t.Errorf("one stream takes %v, want 110 to 170 ms", e2e)
	}
	at16, _ := demo(t, 16)
	at32, _ := demo(t, 32)
	at48, _ := demo(t, 48)
	at96, late := demo(t, 96)
	if at32 < 1.7*at16 {
		t.Errorf("from 16 to 32 concurrent throughput grows %.2f times only: the knee comes too early", at32/at16)
	}
	if at96 > 1.03*at48 || at48 > 1.25*at32 {
		t.Errorf("throughput at 32, 48, 96: %.0f, %.0f, %.0f requests/s; want it flat past the knee", at32, at48, at96)
	}
	if late < 300*time.Millisecond {
		t.Errorf("at 96 concurrent a request takes %v: no queue has formed", late)
	}
}

func BenchmarkSimulate(b *testing.B) {
	for name, n := range map[string]int{"1k-requests": 1000, "10k-requests": 10_000} {
		b.Run(name, func(b *testing.B) {
			cfg := Demo()
			cfg.MaxNumSeqs = 256
			tokens := 0
			for b.Loop() {
				results, err := SimulateClosed(cfg, 256, n, func(i int) Request {
					return Request{PromptLen: 256, MaxTokens: 128, IgnoreEOS: true, Seed: uint64(i)}
				})
				if err != nil {
					b.Fatal(err)
				}
				for _, r := range results {
					tokens += len(r.Tokens)
				}
			}
			b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

func TestWhoSeesItMayEndIt(t *testing.T) {
	steps, last := 0, time.Duration(-1)
	results, err := WatchClosed(small(func(*Config) {}), 2, 50, func(int) Request { return Request{PromptLen: 10, MaxTokens: 4, IgnoreEOS: true} },
		func(e *Engine, began time.Duration, s Step) bool {
			if began <= last || s.Idle || e.Open() > 2 {
				t.Errorf("a step at %v after one at %v, idle %v, %d open", began, last, s.Idle, e.Open())
			}
			steps, last = steps+1, began
			return steps < 9
		})
	if err != nil {
		t.Fatal(err)
	}
	ended := 0
	for _, r := range results {
		if r.Finish != Running {
			ended++
		}
	}
	if steps != 9 || ended != 4 { // two at a time, of four steps each
		t.Errorf("%d steps and %d requests, want 9 and 4", steps, ended)
	}
}

// TestRanksOfAttentionStepTogether: the experts' work is of all ranks, and they are
// spread over all.
func TestRanksOfAttentionStepTogether(t *testing.T) {
	step := func(dp int) time.Duration {
		cfg, err := Preset("8xH200", "deepseek-r1")
		if err != nil {
			t.Fatal(err)
		}
		cfg.TP, cfg.DP, cfg.EP, cfg.KVBlocks, cfg.Jitter = 1, dp, dp, 1000, 0
		if cfg, err = cfg.Resolved(); err != nil {
			t.Fatal(err)
		}
		pass := Pass{Sequences: 8, Decode: 8, Sampled: 8}
		got, _ := newTimer(cfg).of(batch{Pass: pass})
		steps := NewStepModel(Shape{Model: cfg.Model, Format: cfg.Format, KVWidth: cfg.KVWidth, Chip: cfg.Chip, TP: 1, DP: dp, EP: dp}, cfg.Coefficients)
		want := steps.Of(pass).Seconds()
		if diff := got.Seconds()/want - 1; diff > 0.01 || diff < -0.01 {
			t.Errorf("%d ranks: a step takes %v, the step model says %.2f ms", dp, got, 1e3*want)
		}
		return got
	}
	if one, eight := step(1), step(8); eight >= one {
		t.Errorf("with experts over eight ranks a step takes %v, over one %v", eight, one)
	}
}
