package predict

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"assay/internal/engine"
	"assay/internal/facts"
	"assay/internal/model"
)

func system(t *testing.T, modelName, chip, format string, tp int) System {
	t.Helper()
	a, err := model.Named(modelName)
	if err != nil {
		t.Fatal(err)
	}
	c, err := facts.ChipNamed(chip)
	if err != nil {
		t.Fatal(err)
	}
	f, err := a.Quantised(format)
	if err != nil {
		t.Fatal(err)
	}
	return System{Model: a, Format: f, Chip: c, TP: tp, Engine: "vllm"}
}

func at(t *testing.T, s System, l Load) Prediction {
	t.Helper()
	p, err := At(s, l)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestWhatIsGuardedHolds(t *testing.T) {
	v := Validate(Published(), false)
	for _, g := range v.Targets {
		if !g.Held {
			t.Errorf("%s: %.3f, guarded is %.3f", g.What, g.Value, g.Guard)
		}
	}
	if v.Rows < 1600 || v.InSample.N < v.Rows*95/100 {
		t.Errorf("%d of %d measurements were predicted", v.InSample.N, v.Rows)
	}
	if left := v.summary("points").All; v.InSample.ITL.Mean >= left.ITL.Mean {
		t.Errorf("in sample %.3f is no better than left out %.3f: the correction does nothing", v.InSample.ITL.Mean, left.ITL.Mean)
	}
}

func TestPredictionsFollowTheSystem(t *testing.T) {
	load := Load{Concurrency: 16, ISL: 1024, OSL: 512}
	small := at(t, system(t, "qwen3-32b", "H200", "fp8", 1), load)
	large := at(t, system(t, "qwen3-32b", "H200", "fp8", 4), load)
	if large.ITL.Mid >= small.ITL.Mid || large.TTFT.Mid >= small.TTFT.Mid {
		t.Errorf("four GPUs: ITL %.1f, TTFT %.0f ms; one: %.1f, %.0f", large.ITL.Mid, large.TTFT.Mid, small.ITL.Mid, small.TTFT.Mid)
	}
	l4 := at(t, system(t, "llama-3.1-8b", "L4", "fp8", 1), load)
	h100 := at(t, system(t, "llama-3.1-8b", "H100", "fp8", 1), load)
	if width(l4.ITL.High, l4.ITL.Low) <= width(h100.ITL.High, h100.ITL.Low) || l4.Note == "" {
		t.Errorf("a chip without measurements: %.2f wide, note %q; with them %.2f", width(l4.ITL.High, l4.ITL.Low), l4.Note, width(h100.ITL.High, h100.ITL.Low))
	}
	unseen := at(t, system(t, "gemma-2-9b", "H100", "fp8", 1), load)
	if a, b := l4.TTFT.High/l4.TTFT.Mid, unseen.TTFT.High/unseen.TTFT.Mid; a <= b {
		t.Errorf("a chip without measurements reaches %.2f up, a model without them on a measured chip %.2f", a, b)
	}
	// 16 GB of weights over 300 GB/s.
	if bf16 := at(t, system(t, "llama-3.1-8b", "L4", "bf16", 1), load); bf16.ITL.Low < 50 {
		t.Errorf("8B in BF16 on L4: as little as %.1f ms, faster than the memory allows", bf16.ITL.Low)
	}
	if got, want := h100.OutputTPS.Mid, 1e3*16*512/h100.E2E.Mid; math.Abs(got/want-1) > 1e-9 {
		t.Errorf("throughput %g, by Little's law %g", got, want)
	}
}

func width(high, low float64) float64 { return high / low }

func TestFullCacheWaits(t *testing.T) {
	s := system(t, "llama-3.1-70b", "H200", "fp8", 1)
	s.KVTokens = 40_000
	p := at(t, s, Load{Concurrency: 64, ISL: 2048, OSL: 1024})
	roomy := s
	roomy.KVTokens = 4_000_000
	q := at(t, roomy, Load{Concurrency: 64, ISL: 2048, OSL: 1024})
	if !p.Waiting || q.Waiting || p.TTFT.Mid < 5*q.TTFT.Mid || p.ITL.Mid > q.ITL.Mid {
		t.Errorf("small cache: waiting %v, TTFT %.0f, ITL %.1f; large: %v, %.0f, %.1f", p.Waiting, p.TTFT.Mid, p.ITL.Mid, q.Waiting, q.TTFT.Mid, q.ITL.Mid)
	}
}

func TestRateIsTheConcurrencyThatServesIt(t *testing.T) {
	s := system(t, "llama-3.1-8b", "H100", "fp8", 1)
	p := at(t, s, Load{Rate: 4, ISL: 1000, OSL: 300})
	if got := 1e3 * p.Concurrency / p.E2E.Mid; math.Abs(got/4-1) > 0.15 {
		t.Errorf("%.1f open for %.0f ms each are %.2f a second, want 4", p.Concurrency, p.E2E.Mid, got)
	}
	for _, f := range p.Figures {
		if f.Name == throughputFigure && (f.Value != 1200 || f.Range != nil) {
			t.Errorf("4 requests a second of 300 tokens: %g %s, range %v", f.Value, f.Unit, f.Range)
		}
	}
	var over *OverloadError
	if _, err := At(s, Load{Rate: 5000, ISL: 1000, OSL: 300}); !errors.As(err, &over) || over.Most <= 0 || over.Most >= 5000 {
		t.Errorf("5,000 requests a second: %v", err)
	}
}

func TestCurveFlattensAtItsKnee(t *testing.T) {
	s := system(t, "llama-3.1-8b", "H100", "fp8", 1)
	s.MaxNumSeqs = 32
	c, err := CurveOf(s, 1000, 300)
	if err != nil {
		t.Fatal(err)
	}
	if k := c.Knee; !(k.Low >= 8 && k.Low <= 34 && k.High >= k.Low && k.High <= 70) {
		t.Errorf("knee %+v with 32 sequences at most", k)
	}
	for i := 1; i < len(c.Points); i++ {
		if c.Points[i].Concurrency <= c.Points[i-1].Concurrency {
			t.Fatalf("loads %d, %d", c.Points[i-1].Concurrency, c.Points[i].Concurrency)
		}
	}
}

func TestRefusals(t *testing.T) {
	var refused *Refused
	bare := system(t, "llama-3.1-8b", "H100", "bf16", 1)
	bare.Model = model.Arch{}
	if _, err := At(bare, Load{Concurrency: 1, ISL: 1, OSL: 1}); !errors.As(err, &refused) {
		t.Errorf("no architecture: %v", err)
	}
	s := system(t, "llama-3.1-8b", "H100", "bf16", 1)
	for _, l := range []Load{{}, {Concurrency: 1, Rate: 1, ISL: 1, OSL: 1}, {Concurrency: 1, ISL: -1, OSL: 1}, {Concurrency: 1, ISL: 1, OSL: maxLength + 1}} {
		if _, err := At(s, l); err == nil {
			t.Errorf("%+v is a load", l)
		}
	}
}

// The closed form is of the same steps as the engine: in a loop without waiting both
// give the same ITL.
func TestSteadyStateAgreesWithTheEngine(t *testing.T) {
	for _, c := range []struct {
		concurrency, isl, osl int
	}{{1, 500, 100}, {8, 1000, 200}, {32, 1000, 200}, {16, 4000, 300}} {
		cfg, err := engine.Preset("H100", "llama-3.1-8b")
		if err != nil {
			t.Fatal(err)
		}
		cfg.Jitter, cfg.NoPrefixCache = 0, true
		results, err := engine.SimulateClosed(cfg, c.concurrency, 6*c.concurrency, func(i int) engine.Request {
			// The first wave is cut, so that slots are out of phase from the start.
			n := c.osl
			if i < c.concurrency {
				n = max(2, c.osl*(i+1)/c.concurrency)
			}
			return engine.Request{PromptLen: c.isl, MaxTokens: n, IgnoreEOS: true}
		})
		if err != nil {
			t.Fatal(err)
		}
		sum, n := 0.0, 0.0
		for _, r := range results[c.concurrency : 5*c.concurrency] {
			sum, n = sum+r.ITL().Seconds(), n+1
		}
		s := system(t, "llama-3.1-8b", "H100", "bf16", 1)
		at, err := siteOf(s)
		if err != nil {
			t.Fatal(err)
		}
		at.Load = Load{Concurrency: c.concurrency, ISL: c.isl, OSL: c.osl}
		f := flowOf(at)
		got := f.steady(engine.Fitted().Of("vllm", s.Chip), Serving{}).itl
		if want := sum / n; math.Abs(got/want-1) > 0.08 {
			t.Errorf("%+v: steady state %.2f ms, engine %.2f ms", c, 1e3*got, 1e3*want)
		}
	}
}

func TestRangesHoldTheirOrder(t *testing.T) {
	names := []string{"llama-3.1-8b", "qwen3-235b-a22b", "deepseek-r1", "gpt-oss-120b", "qwen3.5-397b-a17b"}
	rapid.Check(t, func(r *rapid.T) {
		row := Row{
			Backend: rapid.SampledFrom([]string{"vllm", "sglang", "trtllm", "other"}).Draw(r, "engine"), Model: rapid.SampledFrom(names).Draw(r, "model"),
			System:    rapid.SampledFrom([]string{"h100_sxm", "b200_sxm", "l4", "mi300x", "trn2.48xlarge", "g5.12xlarge"}).Draw(r, "system"),
			Precision: rapid.SampledFrom([]string{"", "fp8", "fp4", "int4"}).Draw(r, "precision"),
			ISL:       rapid.IntRange(1, 200_000).Draw(r, "isl"), OSL: rapid.IntRange(1, 50_000).Draw(r, "osl"), Concurrency: rapid.IntRange(1, maxConcurrency/(8*64)).Draw(r, "concurrency"), // of one of at most 8 × 64 ranks
			TP: rapid.IntRange(0, 80).Draw(r, "tp"), PP: rapid.IntRange(0, 4).Draw(r, "pp"), AttentionDP: rapid.IntRange(0, 16).Draw(r, "dp"),
			MoETP: rapid.IntRange(0, 8).Draw(r, "moe tp"), MoEEP: rapid.IntRange(0, 64).Draw(r, "moe ep"),
		}
		p, err := PredictRow(row, Resolver{})
		if err != nil {
			r.Fatalf("%+v: %v", row, err)
		}
		for _, x := range []struct{ low, mid, high float64 }{{p.ITL.Low, p.ITL.Mid, p.ITL.High}, {p.TTFT.Low, p.TTFT.Mid, p.TTFT.High}, {p.OutputTPS.Low, p.OutputTPS.Mid, p.OutputTPS.High}} {
			if !(x.low > 0 && x.low <= x.mid && x.mid <= x.high) {
				r.Fatalf("%+v: %+v", row, x)
			}
		}
	})
}

func TestSizesInNames(t *testing.T) {
	for name, want := range map[string][2]float64{
		"a/Foo-32B": {32e9, 32e9}, "Foo-235B-A22B-FP8": {235e9, 22e9}, "foo_1.5b-chat": {1.5e9, 1.5e9}, "Foo-1T-A32B": {1e12, 32e9},
	} {
		total, active, ok := statedSize(name)
		if !ok || total != want[0] || active != want[1] {
			t.Errorf("%s: %g, %g, %v", name, total, active, ok)
		}
	}
	if _, _, ok := statedSize("gpt-9-turbo"); ok {
		t.Error("gpt-9-turbo states no size")
	}
}

func TestTheKneeIsWithinWhatRunsAtOnce(t *testing.T) {
	s := system(t, "llama-3.1-8b", "L40S", "bf16", 1)
	for tokens, seqs := range map[int]int{200_000: 256, 20_000: 256, 1_000: 256, 200_001: 12, 2_000_000: 64} {
		s.KVTokens, s.MaxNumSeqs = tokens, seqs
		c, err := CurveOf(s, 1000, 300)
		if err != nil {
			t.Fatal(err)
		}
		most := max(1, min(float64(tokens/1300), float64(seqs)))
		if k := c.Knee; k.High > most || k.Low > k.High || k.Low < 1 {
			t.Errorf("%d tokens, %d sequences: knee %+v, and %.0f run at once", tokens, seqs, k, most)
		}
	}
}
