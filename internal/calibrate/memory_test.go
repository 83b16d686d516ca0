package calibrate

import (
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/memory"
	"assay/internal/model"
)

func named(t *testing.T, name string) model.Arch {
	t.Helper()
	a, err := model.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func chip(t *testing.T, name string) facts.Chip {
	t.Helper()
	c, err := facts.ChipNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bind reads a log of testdata and takes it for a plan of that model.
func bind(t *testing.T, log, name string) *Bound {
	t.Helper()
	c, err := Read(filepath.Join("testdata", log))
	if err != nil {
		t.Fatal(err)
	}
	a := named(t, name)
	b, err := c.For(a, a.Format, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The log's own configuration comes out as logged: 4.12 GiB of KV cache are 33,744
// tokens of Llama 3.1 8B in blocks of 16.
func TestALogReplacesEstimates(t *testing.T) {
	b := bind(t, "vllm-0.32-gpu.log", "llama-3.1-8b")
	c := memory.Config{Model: b.arch, Chip: chip(t, "A10G"), MaxModelLen: 8192, MaxNumSeqs: 256, MaxBatchedTokens: 2048}
	a, measured, err := b.Memory(c)
	if err != nil || !measured {
		t.Fatalf("measured %v, %v", measured, err)
	}
	if got := float64(a.Weights) / facts.GiB; math.Abs(got-14.99) > 0.001 {
		t.Errorf("weights of %.3f GiB, logged 14.99", got)
	}
	if got := float64(a.KV) / facts.GiB; math.Abs(got-4.12) > 0.001 {
		t.Errorf("KV cache of %.3f GiB, logged 4.12", got)
	}
	if off := math.Abs(float64(a.KVTokens)/33744 - 1); off > 0.01 {
		t.Errorf("%d tokens, logged 33,744", a.KVTokens)
	}
	sum := float64(a.Weights+a.Activation+a.Graphs+a.Other+a.KV) / facts.GiB
	if math.Abs(sum-20.4) > 0.05 {
		t.Errorf("the parts come to %.2f GiB, the engine was given 20.4", sum)
	}
	// Each measured figure stands in the place of the estimate.
	for name, want := range map[string]int64{weightsFigure: a.Weights, activationFigure: a.Activation, graphsFigure: a.Graphs, otherFigure: a.Other, kvFigure: a.KV} {
		found := 0
		for _, f := range a.Figures {
			if f.Name != name {
				continue
			}
			found++
			if f.Kind != figure.Measured || f.Value != float64(want) || !strings.Contains(f.Source.Title, "vllm-0.32-gpu.log") {
				t.Errorf("%s: %+v, want %d, measured", name, f, want)
			}
		}
		if found != 1 {
			t.Errorf("%s stands among the figures %d times", name, found)
		}
	}
}

// A plan with other limits differs from the log by as much as the estimates do.
func TestOtherLimitsMoveWhatWasMeasured(t *testing.T) {
	b := bind(t, "vllm-0.32-gpu.log", "llama-3.1-8b")
	c := memory.Config{Model: b.arch, Chip: chip(t, "A10G"), MaxModelLen: 8192, MaxNumSeqs: 256, MaxBatchedTokens: 2048}
	same, _, err := b.Memory(c)
	if err != nil {
		t.Fatal(err)
	}
	c.Utilization = 0.95
	more, measured, err := b.Memory(c)
	if err != nil || !measured {
		t.Fatal(measured, err)
	}
	want := 0.03 * float64(c.Chip.Usable)
	if got := float64(more.KV - same.KV); math.Abs(got-want) > 0.01*want {
		t.Errorf("3 %% more of the memory leave %.2f GiB more, want %.2f", got/facts.GiB, want/facts.GiB)
	}
}

func TestWhatALogDoesNotCarryOverTo(t *testing.T) {
	b := bind(t, "vllm-0.32-gpu.log", "llama-3.1-8b")
	cpu := bind(t, "vllm-0.32-cpu.log", "llama-3.1-8b")
	for name, c := range map[string]struct {
		bound  *Bound
		config memory.Config
	}{
		"a larger chip":                  {b, memory.Config{Chip: chip(t, "H100")}},
		"two GPUs":                       {b, memory.Config{Chip: chip(t, "A10G"), TP: 2}},
		"two stages":                     {b, memory.Config{Chip: chip(t, "A10G"), PP: 2}},
		"a chip that would leave 22 GiB": {bind(t, "vllm-0.10-gpu-tp2.log", "qwen3-32b"), memory.Config{Chip: chip(t, "H200"), TP: 2}},
		"a log of a CPU":                 {cpu, memory.Config{Chip: chip(t, "L4")}},
	} {
		c.config.Model, c.config.MaxModelLen = c.bound.arch, 4096
		got, measured, err := c.bound.Memory(c.config)
		want, errWant := memory.Of(c.config)
		if err != nil || errWant != nil || measured || got.KV != want.KV || got.Weights != want.Weights {
			t.Errorf("%s: measured %v, %v: KV cache %d, estimated %d", name, measured, err, got.KV, want.KV)
		}
	}
}

func TestALogOfAnotherModelIsRefused(t *testing.T) {
	c, err := Read(filepath.Join("testdata", "vllm-0.32-gpu.log"))
	if err != nil {
		t.Fatal(err)
	}
	var mismatch *MismatchError
	if _, err := c.For(named(t, "qwen3-32b"), model.Format{}, nil); !errors.As(err, &mismatch) {
		t.Errorf("a log of llama-3.1-8b for qwen3-32b: %v", err)
	}
	// A folder's name says nothing, but the weights do.
	c.Model = "/models/mine"
	b, err := c.For(named(t, "llama-3.2-1b"), model.Format{}, nil)
	if err != nil || len(b.Remarks) == 0 {
		t.Fatalf("a name that is not known: %v, %q", err, b.Remarks)
	}
	if _, _, err := b.Memory(memory.Config{Model: b.arch, Chip: chip(t, "A10G"), MaxModelLen: 4096}); !errors.As(err, &mismatch) || !strings.Contains(err.Error(), "14.99") {
		t.Errorf("weights of 14.99 GiB for a model of 1B: %v", err)
	}
}

// logOf is a log of llama-3.1-8b with these lines.
func logOf(t *testing.T, lines string) *Calibration {
	t.Helper()
	l, err := ReadLog(strings.NewReader("Initializing a V1 LLM engine (v0.32.0) with config: model='meta-llama/Llama-3.1-8B', max_seq_len=8192\n" + lines))
	if err != nil {
		t.Fatal(err)
	}
	l.Path = "a.log"
	return FromEngineLog(l.Path, l)
}

func TestMemoryThatBeatsTheRooflineIsRefused(t *testing.T) {
	a10g := &Platform{Chip: chip(t, "A10G")}
	for name, c := range map[string]struct {
		log  string
		on   *Platform
		want string
	}{
		"more than the GPU":    {"Model loading took 14.99 GiB and 3.0 seconds\nAvailable KV cache memory: 40.00 GiB\n", a10g, "54.99 GiB, and the hardware allows 22.06 GiB"},
		"more than any GPU":    {"Model loading took 14.99 GiB and 3.0 seconds\nAvailable KV cache memory: 4000.00 GiB\n", nil, "4014.99 GiB"},
		"more than it reports": {"Model loading took 14.99 GiB and 3.0 seconds\nAvailable KV cache memory: 40.00 GiB\nFree memory on device (22.01/22.17 GiB) on startup. Desired GPU memory utilization is (0.92, 20.4 GiB).\n", nil, "22.17 GiB"},
		"weights in no time":   {"Loading weights took 0.0001 seconds\nModel loading took 14.99 GiB and 3.0 seconds\n", nil, "bytes/s"},
		"a share of nothing":   {"Model loading took 14.99 GiB and 3.0 seconds\nAvailable KV cache memory: 4.00 GiB\nFree memory on device (22.01/22.17 GiB) on startup. Desired GPU memory utilization is (0.0001, 20.4 GiB).\n", a10g, "contradict each other"},
		"more tokens than fit": {"Model loading took 14.99 GiB and 3.0 seconds\nAvailable KV cache memory: 4.00 GiB\nGPU KV cache size: 990,000 tokens\n", nil, "9.9e+05 tokens"},
	} {
		cal := logOf(t, c.log)
		b, err := cal.For(named(t, "llama-3.1-8b"), model.Format{}, c.on)
		if err == nil {
			_, _, err = b.Memory(memory.Config{Model: b.arch, Chip: chip(t, "A10G"), MaxModelLen: 8192})
		}
		var beats *RooflineError
		if !errors.As(err, &beats) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "a.log") {
			t.Errorf("%s: %v, want both numbers and %q", name, err, c.want)
		}
	}
}

// A log that does not say how much memory its GPU has is of none that it cannot be
// of, and refuses no plan that has such GPUs among others.
func TestALogOfALargeGPUIsNotOfASmallOne(t *testing.T) {
	cal := logOf(t, "Model loading took 14.99 GiB and 3.0 seconds\nAvailable KV cache memory: 55.00 GiB\n")
	b, err := cal.For(named(t, "llama-3.1-8b"), model.Format{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"H100": true, "L4": false} {
		_, measured, err := b.Memory(memory.Config{Model: b.arch, Chip: chip(t, name), MaxModelLen: 8192})
		if err != nil || measured != want {
			t.Errorf("%s: measured %v, %v; want %v", name, measured, err, want)
		}
	}
}

// Two GPUs' log: the fullest rank's weights, the smallest cache.
func TestALogOfTwoRanks(t *testing.T) {
	b := bind(t, "vllm-0.10-gpu-tp2.log", "qwen3-32b")
	a, measured, err := b.Memory(memory.Config{Model: b.arch, Chip: chip(t, "H100"), TP: 2, MaxModelLen: 32768, Engine: engineNamed(t, "vllm@0.10"), Utilization: 0.95})
	if err != nil || !measured {
		t.Fatal(measured, err)
	}
	if off := math.Abs(float64(a.KVTokens)/282096 - 1); off > 0.01 {
		t.Errorf("%d tokens, logged 282,096", a.KVTokens)
	}
}

func engineNamed(t *testing.T, ref string) memory.Engine {
	t.Helper()
	e, err := memory.EngineNamed(ref)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A log that rounds its weights to nothing measured none.
func TestWeightsOfNothingAreNotMeasured(t *testing.T) {
	cal := logOf(t, "Model loading took 0.00 GiB and 3.0 seconds\nAvailable KV cache memory: 4.00 GiB\n")
	b, err := cal.For(named(t, "llama-3.1-8b"), model.Format{}, &Platform{Chip: chip(t, "A10G")})
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := b.Memory(memory.Config{Model: b.arch, Chip: chip(t, "A10G"), MaxModelLen: 8192})
	if err != nil || a.Weights < 14<<30 {
		t.Errorf("%d bytes of weights, %v", a.Weights, err)
	}
}
