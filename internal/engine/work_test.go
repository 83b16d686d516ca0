package engine

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestWorkAddsUpToTheTimeOfSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cfg, err := Preset(rapid.SampledFrom([]string{"H100", "4xL40S", "2xH100"}).Draw(t, "gpu"), rapid.SampledFrom([]string{"llama-3.2-1b", "qwen3-30b-a3b"}).Draw(t, "model"))
		if err != nil {
			t.Fatal(err)
		}
		cfg.Throttle.Clock = rapid.SampledFrom([]float64{0, 0.4, 0.9}).Draw(t, "clock")
		e, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 30).Draw(t, "requests") {
			if _, err := e.Submit(0, Request{PromptLen: rapid.IntRange(1, 3000).Draw(t, "prompt"), MaxTokens: 4, IgnoreEOS: true}); err != nil {
				t.Fatal(err)
			}
		}
		var now, stepped time.Duration
		for e.Open() > 0 {
			step := e.Step(now)
			if step.Idle {
				now = step.Next
				continue
			}
			now += step.Duration
			stepped += step.Duration
		}
		w := e.Counters().Work
		total := w.Compute + w.Memory + w.Collective + w.Launch + w.Host
		if off := total - stepped; off < -time.Microsecond || off > time.Microsecond {
			t.Fatalf("parts make %v, steps %v: %+v", total, stepped, w)
		}
		if one := cfg.TP == 1; one != (w.Collective == 0) || one != (w.Linked == 0) {
			t.Fatalf("TP %d: %v of collectives, %g bytes", cfg.TP, w.Collective, w.Linked)
		}
		d := cfg.Device(w, now)
		for what, share := range map[string]float64{"engine": d.EngineActive, "SM": d.SMActive, "tensor": d.TensorActive, "DRAM": d.DRAMActive} {
			if !(share > 0 && share <= 1) {
				t.Fatalf("%s active %g", what, share)
			}
		}
	})
}

// account runs n equal requests and returns what the GPUs showed and the work.
func account(t *testing.T, cfg Config, n, prompt, output int) (Device, Work, time.Duration) {
	t.Helper()
	e := start(t, cfg)
	for range n {
		if _, err := e.Submit(0, Request{PromptLen: prompt, MaxTokens: output, IgnoreEOS: true}); err != nil {
			t.Fatal(err)
		}
	}
	var now, began time.Duration
	for e.Open() > 0 {
		step := e.Step(now)
		if step.Idle {
			now, began = step.Next, step.Next
			continue
		}
		now += step.Duration
	}
	w := e.Counters().Work
	return cfg.Device(w, now-began), w, now - began
}

func TestWhatGPUsShow(t *testing.T) {
	h := preset(t, "H100", "llama-3.1-8b")
	decode, w, _ := account(t, h, 64, 16, 200)
	if decode.DRAMActive < 0.45 || decode.DRAMActive > 0.8 || decode.TensorActive > 0.2 || w.Memory < w.Compute {
		t.Errorf("decode: %+v", decode)
	}
	prefill, w, _ := account(t, h, 64, 4000, 1)
	if prefill.TensorActive < 0.4 || prefill.DRAMActive > 0.2 || w.Compute < w.Memory {
		t.Errorf("prefill: %+v", prefill)
	}
	if prefill.Reasons != ReasonPowerCap || prefill.Power != h.Chip.Power || prefill.SMClock >= h.Chip.SMClock {
		t.Errorf("a long prefill is at the power cap: %+v", prefill)
	}
	pcie := preset(t, "4xL40S", "llama-3.1-8b")
	pcie.LinkScale = 0.3
	waits, w, span := account(t, pcie, 32, 2000, 2)
	if w.Collective < span/2 || waits.EngineActive < 0.9 || waits.TensorActive > 0.3 || waits.DRAMActive > 0.3 || waits.LinkSent < 1e9 {
		t.Errorf("slow links: %v of %v; %+v", w.Collective, span, waits)
	}
	slow := h
	slow.Overheads.Step = 30 * time.Millisecond
	gaps, _, _ := account(t, slow, 8, 16, 50)
	if gaps.EngineActive > 0.3 || gaps.Utilization != 1 {
		t.Errorf("a slow host leaves the GPU idle, and utilization does not show it: %+v", gaps)
	}
	if rest := h.Device(Work{}, time.Second); rest.Reasons != ReasonIdle || rest.Utilization != 0 || rest.SMClock >= h.Chip.SMClock/2 {
		t.Errorf("at rest: %+v", rest)
	}
}

func TestThrottle(t *testing.T) {
	cfg := preset(t, "H100", "llama-3.1-8b")
	hot, braked := cfg, cfg
	hot.Throttle = Throttle{Clock: 0.5}
	braked.Throttle = Throttle{Clock: 0.6, Cause: PowerBrake}
	if a, b := prefill(cfg, 8192), prefill(hot, 8192); float64(b) < 1.9*float64(a) {
		t.Errorf("half the clock: prefill takes %v instead of %v", b, a)
	}
	if a, b := decode(cfg, 1, 100), decode(hot, 1, 100); float64(b) < 1.2*float64(a) {
		t.Errorf("half the clock: decode takes %v instead of %v", b, a)
	}
	d, _, _ := account(t, hot, 8, 1000, 10)
	if d.Reasons&ReasonHWThermal == 0 || d.Temperature < 85 || d.SMClock != cfg.Chip.SMClock/2 {
		t.Errorf("hot: %+v", d)
	}
	d, _, _ = account(t, braked, 8, 1000, 10)
	if d.Reasons&ReasonPowerBrake == 0 || d.Reasons&(ReasonHWThermal|ReasonSWThermal) != 0 || d.Temperature > 80 {
		t.Errorf("braked: %+v", d)
	}
	if rest := hot.Device(Work{}, time.Second); rest.Reasons != ReasonIdle|ReasonHWSlowdown|ReasonHWThermal || rest.Temperature < 85 {
		t.Errorf("hot and idle: %+v", rest)
	}
	e := start(t, cfg)
	if err := e.SetThrottle(Throttle{Clock: 2}); err == nil {
		t.Error("a clock of twice the highest is accepted")
	}
	if err := e.SetThrottle(Throttle{Clock: 0.5}); err != nil || e.Config().Throttle.Clock != 0.5 {
		t.Errorf("throttled to %+v: %v", e.Config().Throttle, err)
	}
}
