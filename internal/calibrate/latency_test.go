package calibrate

import (
	"errors"
	"math"
	"strings"
	"testing"

	"assay/internal/figure"
	"assay/internal/model"
	"assay/internal/predict"
	"assay/internal/record"
)

// predicted stands for predict.At: TTFT grows with the load of one replica.
func predicted(_ predict.System, l predict.Load) (predict.Prediction, error) {
	n := float64(l.Concurrency)
	if l.Rate > 0 {
		n = 10 * l.Rate
	}
	ttft, itl := 50+n, 10.0
	e2e := ttft + 199*itl
	return predict.Prediction{
		Concurrency: n, TTFT: figure.Range{Low: 0.5 * ttft, Mid: ttft, High: 2 * ttft}, ITL: figure.Range{Low: 7, Mid: itl, High: 13},
		E2E: figure.Exactly(e2e), OutputTPS: figure.Exactly(200 * n / e2e * 1000), RequestsPerSecond: figure.Exactly(n / e2e * 1000),
	}, nil
}

func fitted(t *testing.T, run record.Run) *Bound {
	t.Helper()
	c, err := FromRecord("RUN", run)
	if err != nil {
		t.Fatal(err)
	}
	a := named(t, "llama-3.1-8b")
	b, err := c.bind(a, model.Format{}, nil, predicted)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func near(got, want float64) bool { return math.Abs(got-want) <= 1e-6*math.Abs(want) }

// TTFT was measured at 1.2 and 1.5 times what is predicted, ITL at 1.1 and 1.1.
func TestARunMovesPredictions(t *testing.T) {
	b := fitted(t, runOn("L4", level(10, 72, 61), level(50, 150, 61)))
	f := b.factors
	if mid := math.Sqrt(1.2 * 1.5); !near(f.TTFT.Low, 1.2) || !near(f.TTFT.High, 1.5) || !near(f.TTFT.Mid, mid) || f.Levels != 2 || !near(f.ITL.Mid, 6.1) {
		t.Fatalf("%+v", f)
	}
	load := predict.Load{Concurrency: 20, ISL: 100, OSL: 200}
	s := predict.System{Model: b.arch, Chip: chip(t, "L4"), TP: 1, Engine: "vllm"}
	p, _ := predicted(s, load)
	got := b.Adjust(s, load, p)
	if !near(got.TTFT.Low, 70*1.2) || !near(got.TTFT.High, 70*1.5) || !near(got.ITL.Mid, 61) || !near(got.ITL.Low, 61*0.95) {
		t.Errorf("TTFT %v, ITL %v", got.TTFT, got.ITL)
	}
	if want := got.TTFT.Mid + 199*61; !near(got.E2E.Mid, want) || !near(got.RequestsPerSecond.Mid, 20/want*1000) || got.OutputTPS.Low >= got.OutputTPS.High {
		t.Errorf("E2E %v, %v requests a second, %v tokens", got.E2E, got.RequestsPerSecond, got.OutputTPS)
	}
	if n := len(got.Figures); n != 2 || got.Figures[0].Kind != figure.Measured || !strings.Contains(got.Figures[1].Source.Title, "RUN") {
		t.Errorf("%+v", got.Figures)
	}
}

func TestWhatOfARunCarriesOver(t *testing.T) {
	b := fitted(t, runOn("L4", level(10, 120, 61)))
	load := predict.Load{Concurrency: 10, ISL: 100, OSL: 200}
	for name, c := range map[string]struct {
		system predict.System
		want   Carry
	}{
		"the same system": {predict.System{Chip: chip(t, "L4"), TP: 1, Engine: "vllm"}, Whole},
		"two GPUs":        {predict.System{Chip: chip(t, "L4"), TP: 2, Engine: "vllm"}, Factor},
		"another GPU":     {predict.System{Chip: chip(t, "H100"), TP: 1, Engine: "vllm"}, Nothing},
		"another engine":  {predict.System{Chip: chip(t, "L4"), TP: 1, Engine: "sglang"}, Nothing},
	} {
		p, _ := predicted(c.system, load)
		got := b.Adjust(c.system, load, p)
		if b.Carries(c.system) != c.want {
			t.Errorf("%s: %v carries over, want %v", name, b.Carries(c.system), c.want)
		}
		switch c.want {
		case Nothing:
			if got.TTFT != p.TTFT || got.ITL != p.ITL || len(got.Figures) != 0 {
				t.Errorf("%s: %v, want the prediction as it was", name, got.TTFT)
			}
		case Factor:
			if !near(got.TTFT.Mid, 120) || !near(got.TTFT.High/got.TTFT.Low, p.TTFT.High/p.TTFT.Low) {
				t.Errorf("%s: %v, want it moved, as wide as before", name, got.TTFT)
			}
		case Whole:
			if !near(got.TTFT.Mid, 120) || !near(got.TTFT.High, 120*1.15) {
				t.Errorf("%s: %v, want the measured TTFT within 15 %%", name, got.TTFT)
			}
		}
	}
}

// What was measured at 10 requests of 100 tokens says little of the spread elsewhere.
func TestFarFromTheMeasuredLoadsTheRangeStaysWide(t *testing.T) {
	b := fitted(t, runOn("L4", level(10, 120, 61)))
	s := predict.System{Chip: chip(t, "L4"), TP: 1, Engine: "vllm"}
	for name, l := range map[string]predict.Load{
		"more in flight": {Concurrency: 21, ISL: 100, OSL: 200}, "longer prompts": {Concurrency: 10, ISL: 201, OSL: 200}, "shorter answers": {Concurrency: 10, ISL: 100, OSL: 99},
	} {
		p, _ := predicted(s, l)
		got := b.Adjust(s, l, p)
		if !near(got.ITL.Mid, 61) || !near(got.ITL.High/got.ITL.Low, p.ITL.High/p.ITL.Low) {
			t.Errorf("%s: %v, want it moved, as wide as before", name, got.ITL)
		}
	}
}

// Two replicas of one GPU each share the load; a prefix cache spoils the TTFT.
func TestWhatAFactorIsOf(t *testing.T) {
	two := runOn("L4", level(20, 120, 61))
	two.Platform.Count = ptr(2)
	if got := fitted(t, two).factors.TTFT.Mid; !near(got, 2) {
		t.Errorf("10 requests a replica are predicted with 60 ms and measured with 120: a factor of %g", got)
	}
	cached := level(10, 12, 61)
	cached.Cached = ptr(int64(9_000))
	b := fitted(t, runOn("L4", cached))
	if f := b.factors; f.TTFT != figure.Exactly(1) || !near(f.ITL.Mid, 6.1) || !strings.Contains(strings.Join(b.Remarks, " "), "prefix cache") {
		t.Errorf("%+v, %q", f, b.Remarks)
	}
	rate := level(1, 120, 61)
	rate.Load = record.Load{Kind: record.ByRate, Value: 1}
	if got := fitted(t, runOn("L4", rate)).factors.TTFT.Mid; !near(got, 2) {
		t.Errorf("a rate of 1: a factor of %g", got)
	}
}

func TestFactorsThatCannotBe(t *testing.T) {
	c, err := FromRecord("RUN", runOn("L4", level(10, 60*25, 61)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.bind(named(t, "llama-3.1-8b"), model.Format{}, nil, predicted); err == nil || !strings.Contains(err.Error(), "25 times") {
		t.Errorf("a TTFT of 25 times the prediction: %v", err)
	}
	refused := errors.New("no coefficients")
	at := func(predict.System, predict.Load) (predict.Prediction, error) { return predict.Prediction{}, refused }
	if _, err := c.bind(named(t, "llama-3.1-8b"), model.Format{}, nil, at); !errors.Is(err, refused) || !strings.Contains(err.Error(), "level c") {
		t.Errorf("a level that is not predicted: %v", err)
	}
}
