package calibrate

import (
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/facts"
)

func readTestLog(t *testing.T, name string) Log {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	l, err := ReadLog(f)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The CPU log was written by vLLM 0.32 with the tiny model of test/vllm; the
// others have its format strings, filled in.
func TestReadLog(t *testing.T) {
	gib := func(x float64) float64 { return x * facts.GiB }
	for _, c := range []struct {
		file, version, model, device string
		want                         map[Quantity]float64
	}{
		{"vllm-0.6-gpu.log", "0.6.3", "meta-llama/Meta-Llama-3-8B-Instruct", "cuda", map[Quantity]float64{
			Weights: gib(14.99), TotalMemory: gib(22.07), Utilization: 0.9, Requested: gib(19.86), NonTorch: gib(0.05), Activation: gib(0.22),
			KVMemory: gib(4.6), Blocks: 2356, ModelLen: 8192, Concurrency: 4.6, GraphTime: 15, Profile: 0.62,
		}},
		{"vllm-0.10-gpu-tp2.log", "0.10.0", "Qwen/Qwen3-32B", "cuda", map[Quantity]float64{
			Weights: gib(30.5912), LoadModel: 41.004511, LoadWeights: 32.4, Dynamo: 9.71, Compile: 26.44, CompileTotal: 36.15,
			KVMemory: gib(34.44), KVTokens: 282096, ModelLen: 32768, Concurrency: 8.61, GraphTime: 27, GraphMemory: gib(0.83), InitEngine: 76.88, MostBatched: 8192,
		}},
		{"vllm-0.32-gpu.log", "0.32.0", "meta-llama/Llama-3.1-8B-Instruct", "cuda", map[Quantity]float64{
			Weights: gib(14.99), LoadModel: 29.657031, LoadWeights: 24.84, Dynamo: 8.52, Compile: 20.31, CompileTotal: 34.02,
			KVMemory: gib(4.12), KVTokens: 33744, ModelLen: 8192, Concurrency: 4.12, GraphTime: 18, GraphMemory: gib(0.38), InitEngine: 60.44, MostBatched: 2048,
			TotalMemory: gib(22.17), Requested: gib(20.4), Utilization: 0.92, Consumed: gib(15.04), Activation: gib(1.24), "free memory": gib(22.01),
		}},
		{"vllm-0.32-cpu.log", "0.32.0", "/models/tiny", "cpu", map[Quantity]float64{
			KVMemory: gib(0.06), TotalMemory: gib(21.09), KVTokens: 262144, ModelLen: 8192, Concurrency: 32, InitEngine: 0.07,
		}},
	} {
		t.Run(c.file, func(t *testing.T) {
			l := readTestLog(t, c.file)
			if l.Version != c.version || l.Model != c.model || l.Device != c.device {
				t.Errorf("%s of %s on %s, want %s of %s on %s", l.Version, l.Model, l.Device, c.version, c.model, c.device)
			}
			for q, want := range c.want {
				if got, ok := l.Of(q); !ok || math.Abs(got-want) > 1e-6*want {
					t.Errorf("%s: %g (%v), want %g", q, got, ok, want)
				}
			}
			for q, r := range l.Readings {
				if _, ok := c.want[q]; !ok {
					t.Errorf("%s: %+v was not expected", q, r)
				}
			}
		})
	}
	if l := readTestLog(t, "vllm-0.10-gpu-tp2.log"); l.Arg("tensor_parallel_size") != 2 || l.Args["gpu_memory_utilization"] != "0.95" || l.Readings[KVMemory].Line != 14 {
		t.Errorf("arguments %v, KV cache in line %d, want 14", l.Args, l.Readings[KVMemory].Line)
	}
}

// A container that restarts leaves several starts in one log.
func TestTheLastStartCounts(t *testing.T) {
	first, err := os.ReadFile("testdata/vllm-0.10-gpu-tp2.log")
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile("testdata/vllm-0.32-gpu.log")
	if err != nil {
		t.Fatal(err)
	}
	l, err := ReadLog(bytes.NewReader(append(append(first, first...), second...)))
	if err != nil {
		t.Fatal(err)
	}
	want := readTestLog(t, "vllm-0.32-gpu.log")
	if len(l.Readings) != len(want.Readings) || l.Readings[Weights].Value != want.Readings[Weights].Value || l.Arg("tensor_parallel_size") != 1 {
		t.Errorf("after a restart: %+v, want the readings of the last start alone", l.Readings)
	}
}

func TestWhatIsNoLog(t *testing.T) {
	for name, text := range map[string]string{
		"empty": "", "prose": "It was a dark and stormy night.\n", "another engine": "[2026-08-18 10:00:00] KV Cache is allocated. #tokens: 430913\n",
		"a number out of range": "Available KV cache memory: " + strings.Repeat("9", 400) + " GiB\n",
		"below zero":            "Available KV cache memory: -0.94 GiB\n",
	} {
		if l, err := ReadLog(strings.NewReader(text)); !errors.Is(err, ErrNoLog) {
			t.Errorf("%s: %+v, %v; want ErrNoLog", name, l.Readings, err)
		}
	}
}

func TestLongLinesAreCutNotJoined(t *testing.T) {
	long := strings.Repeat("x", 3*mostLine)
	l, err := ReadLog(strings.NewReader(long + " Available KV cache memory: 1.00 GiB\nAvailable KV cache memory: 2.00 GiB\n"))
	if err != nil || l.Readings[KVMemory].Value != 2*facts.GiB || l.Readings[KVMemory].Line != 2 {
		t.Errorf("%+v, %v; want 2 GiB of line 2", l.Readings, err)
	}
}

func FuzzReadLog(f *testing.F) {
	for _, name := range []string{"vllm-0.6-gpu.log", "vllm-0.10-gpu-tp2.log", "vllm-0.32-gpu.log", "vllm-0.32-cpu.log"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := ReadLog(bytes.NewReader(b))
		if err != nil {
			return
		}
		for q, r := range l.Readings {
			if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || r.Value < 0 || r.Line < 1 || r.Line > l.Lines {
				t.Errorf("%s: %+v", q, r)
			}
		}
		if len(l.Args) > mostArgs {
			t.Errorf("%d arguments are kept", len(l.Args))
		}
	})
}

// A server's log of months is not read to its end.
func TestLogsAreBounded(t *testing.T) {
	endless := io.MultiReader(strings.NewReader("Available KV cache memory: 4.12 GiB\n"), zeros{})
	if l, err := ReadLog(endless); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB: give the part with the start") {
		t.Errorf("%+v, %v", l.Readings, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }
