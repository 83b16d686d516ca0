package diagnose_test

import (
	"fmt"
	"testing"
	"time"

	"assay/internal/diagnose"
	"assay/internal/engine"
	"assay/internal/record"
	"assay/internal/saturate"
)

// hold keeps n requests in flight at an engine in virtual time until 12 waves
// have ended, and returns the last ten as both packages take a level.
func hold(t *testing.T, cfg engine.Config, n, prompt, output int) (saturate.Level, record.Level) {
	t.Helper()
	e, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	limits := e.Config()
	submit := func(now time.Duration) {
		if _, err := e.Submit(now, engine.Request{PromptLen: prompt, MaxTokens: output, IgnoreEOS: true, Owner: now}); err != nil {
			t.Fatal(err)
		}
	}
	for range n {
		submit(0)
	}
	var now, begin time.Duration
	var running, runningMax, waitingSamples, kvMax, samples, ended float64
	var before engine.Counters
	var done []saturate.Completion
	for len(done) < 10*n {
		step := e.Step(now)
		if step.Idle {
			now = step.Next
			continue
		}
		if begin > 0 {
			samples++
			running += float64(e.Running())
			runningMax = max(runningMax, float64(e.Running()))
			kvMax = max(kvMax, e.KVUsage())
			if e.Waiting() > 0 {
				waitingSamples++
			}
		}
		now += step.Duration
		for _, o := range step.Outputs {
			if o.Finish == engine.Running {
				continue
			}
			if ended++; ended == float64(2*n) {
				begin, before = now, e.Counters()
			}
			if begin > 0 && now > begin {
				done = append(done, saturate.Completion{EndS: now.Seconds(), LatencyS: (now - o.Owner.(time.Duration)).Seconds(), Tokens: float64(output)})
			}
			submit(now)
		}
	}
	window := (now - begin).Seconds()
	after := e.Counters()
	steps := float64(after.Steps - before.Steps)
	p := func(v float64) *float64 { return &v }
	id := fmt.Sprintf("saturation-c%d", n)
	rate := float64(len(done)) / window
	return saturate.Level{ID: id, Load: float64(n), Pass: record.PassGrid, RequestsPerS: rate, TokensPerS: rate * float64(output), InFlight: float64(n), WindowS: window, Valid: true, Completions: done},
		record.Level{ID: id, Load: record.Load{Kind: record.ByConcurrency, Value: float64(n)}, Validity: record.Validity{Verdict: record.Valid},
			Server: &record.Server{Samples: int(samples), RunningMean: p(running / samples), RunningMax: p(runningMax), WaitingShare: p(waitingSamples / samples),
				KVUsageMax: p(kvMax), Preemptions: p(float64(after.Preemptions - before.Preemptions)),
				IterationTokens: p(float64(after.Tokens-before.Tokens) / steps), StepMS: p(1000 * window / steps),
				PromptTokens: p(float64(prompt * len(done))), Finished: p(float64(len(done))), KVTokens: p(float64((limits.KVBlocks - 1) * limits.BlockSize)),
				MaxNumSeqs: p(float64(limits.MaxNumSeqs)), MaxBatchedTokens: p(float64(limits.MaxBatchedTokens)), Engines: 1}}
}

// The engine's limit is known, so is the answer.
func TestEngineWhoseLimitIsKnown(t *testing.T) {
	for _, c := range []struct {
		name           string
		edit           func(*engine.Config)
		prompt, output int
		verdict        string
		knee           float64 // 0: not checked
	}{
		{"max-num-seqs 32", func(*engine.Config) {}, 128, 64, record.BoundAdmission, 32},
		// A request grows from 8 to 12 blocks of 16: 19 fit for sure, 23 on average.
		{"a KV cache of 230 blocks", func(c *engine.Config) { c.KVBlocks, c.MaxNumSeqs, c.MaxModelLen = 230, 256, 1024 }, 128, 64, record.BoundKVCache, 22},
		// Four requests of 129 to 133 blocks fit, and leave room that no fifth can use.
		{"a KV cache of 600 blocks for long prompts", func(c *engine.Config) { c.KVBlocks, c.MaxNumSeqs, c.MaxModelLen = 600, 256, 4096 }, 2050, 64, record.BoundKVCache, 0},
		{"a token budget of 128", func(c *engine.Config) { c.MaxBatchedTokens, c.MaxNumSeqs = 128, 128 }, 512, 4, record.BoundTokenBudget, 0},
		{"nothing up to 100", func(c *engine.Config) { c.MaxNumSeqs, c.MaxBatchedTokens = 256, 8192 }, 32, 64, record.BoundNotSaturated, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := engine.Demo()
			c.edit(&cfg)
			var curve []saturate.Level
			var levels []record.Level
			for _, n := range []int{1, 5, 10, 20, 50, 100} {
				a, b := hold(t, cfg, n, c.prompt, c.output)
				curve, levels = append(curve, a), append(levels, b)
			}
			opt := saturate.Options{Unit: record.ByConcurrency, Seed: 1}
			for {
				load, _, ok := saturate.Next(curve, opt)
				if !ok {
					break
				}
				a, b := hold(t, cfg, int(load), c.prompt, c.output)
				a.Pass, b.Pass = record.PassRefine, record.PassRefine
				curve, levels = append(curve, a), append(levels, b)
			}
			s := saturate.Analyse(curve, opt)
			b := diagnose.Bound(diagnose.Evidence{Levels: levels, Saturation: &s})
			if b.Verdict != c.verdict {
				t.Errorf("bound %s (%.2f), want %s; evidence %+v; elasticities %.2f", b.Verdict, b.Confidence, c.verdict, b.Evidence, s.Elasticities)
			}
			if c.knee > 0 && (s.Knee == nil || s.Knee.Low > 1.1*c.knee || s.Knee.High < 0.8*c.knee || s.Knee.High > 1.25*c.knee) {
				t.Errorf("knee %+v, want about %v; estimates %+v", s.Knee, c.knee, s.Estimates)
			}
			if s.Knee != nil {
				t.Logf("knee %.1f to %.1f, operating point %+v, bound %s at %.2f", s.Knee.Low, s.Knee.High, s.OperatingPoint, b.Verdict, b.Confidence)
			}
		})
	}
}
