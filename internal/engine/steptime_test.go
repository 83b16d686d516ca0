package engine

import (
	"assay/internal/model"
	"math"
	"testing"
	"time"
)

func preset(t *testing.T, gpu, name string) Config {
	t.Helper()
	cfg, err := Preset(gpu, name)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Jitter = 0
	return cfg
}

// decode is the time of one step in which that many sequences of a context
// generate a token each.
func decode(cfg Config, sequences, context int) time.Duration {
	timer := newTimer(cfg.resolved())
	kv := float64(sequences) * timer.steps.KVBytes(context)
	d, _ := timer.of(batch{tokens: sequences, Pass: Pass{Sequences: sequences, Decode: sequences, Sampled: sequences, KVBytes: kv}})
	return d
}

func prefill(cfg Config, tokens int) time.Duration {
	timer := newTimer(cfg.resolved())
	d, _ := timer.of(batch{tokens: tokens, Pass: Pass{Sequences: 1, Prompt: tokens, Sampled: 1, AttentionFLOPs: timer.steps.AttentionFLOPs(0, tokens)}})
	return d
}

func TestStepTimesAreOfTheRightSize(t *testing.T) {
	h := preset(t, "H100", "llama-3.1-8b")
	for _, tc := range []struct {
		what   string
		got    time.Duration
		lo, hi time.Duration
	}{
		// 15 GB of weights at 3.35 TB/s are 4.5 ms; engines reach 6 to 8 ms.
		{"8B on H100, one sequence", decode(h, 1, 500), 6 * time.Millisecond, 8 * time.Millisecond},
		// 2 * 8e9 * 8192 FLOP at two thirds of 989 TFLOP/s.
		{"8B on H100, prefill of 8192", prefill(h, 8192), 170 * time.Millisecond, 280 * time.Millisecond},
		// An eighth of the weights each, with 160 all-reduces.
		{"70B on 8 H100", decode(preset(t, "8xH100", "llama-3.3-70b"), 1, 500), 9 * time.Millisecond, 14 * time.Millisecond},
		{"8B on A10G would take", decode(preset(t, "2xA10G", "llama-3.1-8b"), 1, 500), 15 * time.Millisecond, 30 * time.Millisecond},
	} {
		if tc.got < tc.lo || tc.got > tc.hi {
			t.Errorf("%s: %v, want %v to %v", tc.what, tc.got, tc.lo, tc.hi)
		}
	}
}

func TestWhatBindsAStep(t *testing.T) {
	cfg := preset(t, "H100", "llama-3.1-8b")
	slowMemory, slowClock, slowHost := cfg, cfg, cfg
	slowMemory.BandwidthScale = 0.5
	slowClock.ComputeScale = 0.5
	slowHost.Overheads.Step += 20 * time.Millisecond
	ratio := func(a, b time.Duration) float64 { return float64(a) / float64(b) }
	if r := ratio(decode(slowMemory, 8, 2000), decode(cfg, 8, 2000)); r < 1.7 {
		t.Errorf("half the bandwidth slows decode by %.2f only", r)
	}
	if r := ratio(decode(slowClock, 8, 2000), decode(cfg, 8, 2000)); r > 1.01 {
		t.Errorf("half the clock slows decode by %.2f: it should be bound by memory", r)
	}
	if r := ratio(prefill(slowClock, 8192), prefill(cfg, 8192)); r < 1.9 {
		t.Errorf("half the clock slows prefill by %.2f only", r)
	}
	if d := decode(slowHost, 1, 100) - decode(cfg, 1, 100); d != 20*time.Millisecond {
		t.Errorf("20 ms of host time add %v", d)
	}
	if a, b := decode(cfg, 64, 8000)-decode(cfg, 64, 0), decode(cfg, 64, 16000)-decode(cfg, 64, 0); math.Abs(ratio(b, a)-2) > 0.01 {
		t.Errorf("reading twice the KV takes %.2f times as long", ratio(b, a))
	}
	fp8 := cfg
	fp8.Format = model.Uniform(1)
	if r := ratio(decode(cfg, 1, 0), decode(fp8, 1, 0)); r < 1.5 {
		t.Errorf("FP8 weights are read only %.2f times as fast", r)
	}
}

func TestTensorParallelPaysForCollectives(t *testing.T) {
	one := decode(preset(t, "H100", "llama-3.2-1b"), 1, 100)
	eight := decode(preset(t, "8xH100", "llama-3.2-1b"), 1, 100)
	if eight > one || float64(eight) < 0.5*float64(one) {
		t.Errorf("a 1B model on 8 GPUs: %v against %v on one; overheads and all-reduces should eat most of the gain", eight, one)
	}
}

func TestJitterHasMeanOne(t *testing.T) {
	cfg := preset(t, "H100", "llama-3.1-8b")
	want := decode(cfg, 4, 100).Seconds()
	cfg.Jitter = 0.3
	timer := newTimer(cfg.resolved())
	const n = 20000
	sum := 0.0
	for range n {
		d, _ := timer.of(batch{tokens: 4, Pass: Pass{Sequences: 4, Decode: 4, Sampled: 4, KVBytes: 4 * timer.steps.KVBytes(100)}})
		sum += d.Seconds()
	}
	if got := sum / n; math.Abs(got/want-1) > 0.01 { // standard error 0.2 %
		t.Errorf("mean %g s, want %g s", got, want)
	}
}
