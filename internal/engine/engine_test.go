package engine

import (
	"testing"
	"time"
)

func TestDemoStream(t *testing.T) {
	for _, c := range []int{1, 8, 16, 24, 32, 48, 64} {
		results, err := SimulateClosed(Demo(), c, 20*c, func(i int) Request {
			return Request{PromptLen: 128, MaxTokens: 64, IgnoreEOS: true, Seed: uint64(i)}
		})
		if err != nil {
			t.Fatal(err)
		}
		var last, sum, e2e time.Duration
		for _, r := range results {
			last = max(last, r.Tokens[len(r.Tokens)-1])
			sum += r.TTFT()
			e2e += r.E2E()
		}
		n := time.Duration(len(results))
		t.Logf("c=%d: %.0f req/s, TTFT %v, E2E %v", c, float64(n)/last.Seconds(), sum/n, e2e/n)
	}
}

func BenchmarkTokens(b *testing.B) {
	cfg := Demo()
	cfg.MaxNumSeqs = 256
	tokens := 0
	for b.Loop() {
		results, err := SimulateClosed(cfg, 256, 2000, func(i int) Request {
			return Request{PromptLen: 256, MaxTokens: 256, IgnoreEOS: true, Seed: uint64(i)}
		})
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range results {
			tokens += len(r.Tokens)
		}
	}
	b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
}
