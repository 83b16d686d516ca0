package rules

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/lint"
	"assay/internal/memory"
	"assay/internal/model"
)

// layout is over how many GPUs a server divides its model.
type layout struct {
	TP, PP int
	DP     int // ranks of attention's data parallel in this pod
	Nodes  int // over which one server lies, by --nnodes
}

// ranks are the GPUs that the server takes of its pod.
func (l layout) ranks() int { return l.TP * l.PP * l.DP / l.Nodes }

// layoutOf reads a server's layout; ok is false where a part of it is filled in later,
// or not to be known from one pod.
func layoutOf(s *lint.Server) (l layout, ok bool) {
	l = layout{1, 1, 1, 1}
	if !s.Whole || s.Has("--data-parallel-hybrid-lb") || s.Has("--data-parallel-start-rank") {
		return l, false
	}
	for _, f := range []struct {
		to    *int
		names []string
	}{
		{&l.TP, []string{"--tensor-parallel-size", "-tp"}},
		{&l.PP, []string{"--pipeline-parallel-size", "-pp"}},
		{&l.DP, []string{"--data-parallel-size", "-dp"}},
		{&l.DP, []string{"--data-parallel-size-local", "-dpl"}},
		{&l.Nodes, []string{"--nnodes", "-n"}},
	} {
		if a, given := s.Arg(f.names...); given {
			n, err := strconv.Atoi(a.Text)
			if err != nil || n < 1 || n > 1<<16 {
				return l, false
			}
			*f.to = n
		}
	}
	if s.Has("--data-parallel-rank") {
		l.DP = 1
	}
	return l, l.TP*l.PP*l.DP%l.Nodes == 0
}

// modelOf is the architecture of what a server serves, where its name is a known one's.
func modelOf(s *lint.Server) (a model.Arch, at lint.Arg, ok bool) {
	at, given := s.Model()
	if !given || at.Open() {
		return a, at, false
	}
	for _, flag := range []string{"--hf-overrides", "--config-format", "--hf-config-path", "--speculative-config"} {
		if s.Has(flag) {
			return a, at, false
		}
	}
	for _, w := range s.Args {
		if strings.HasPrefix(w.Name(), "--hf-overrides.") {
			return a, at, false
		}
	}
	arch, err := model.Named(at.Text)
	return arch, at, err == nil
}

// formatOf is how the weights lie in the GPUs: as the checkpoint's name says, else as
// --quantization does.
func formatOf(s *lint.Server, a model.Arch) (model.Format, bool) {
	q, given := s.Arg("--quantization", "-q")
	if !given || a.Format.Name != "" {
		return a.Format, !s.Has("--cpu-offload-gb")
	}
	name, known := map[string]string{"fp8": "fp8", "awq": "awq", "awq_marlin": "awq", "gptq": "gptq", "gptq_marlin": "gptq", "bitsandbytes": "int4"}[q.Text]
	if !known {
		return a.Format, false
	}
	f, err := a.Quantised(name)
	return f, err == nil && !s.Has("--cpu-offload-gb")
}

// weightsOf are the bytes that one pod of a server loads, and of which model.
func weightsOf(s *lint.Server) (bytes int64, name string, ok bool) {
	a, _, known := modelOf(s)
	l, placed := layoutOf(s)
	if !known || !placed {
		return 0, "", false
	}
	f, ok := formatOf(s, a)
	gpus, _, _ := s.Container.GPUs()
	share := 1.0
	if whole := l.TP * l.PP; gpus > 0 && gpus < whole {
		share = float64(gpus) / float64(whole)
	}
	return int64(float64(a.WeightBytes(f)) * share), a.Name, ok
}

// engineOf is the account of memory that goes with a server's version.
func engineOf(s *lint.Server) (memory.Engine, error) {
	if !s.Version.Known() {
		return memory.EngineNamed("vllm")
	}
	return memory.EngineNamed(fmt.Sprintf("vllm@%d.%d", s.Version.Major, s.Version.Minor))
}

// length is a number of tokens as vLLM's parser takes it: 8192, 32k (thousands), 32K
// (1,024s); ok is false for auto, -1 and what is filled in later.
func length(text string) (int, bool) {
	scale := 1.0
	for suffix, by := range map[string]float64{"k": 1e3, "m": 1e6, "g": 1e9, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30} {
		if rest, cut := strings.CutSuffix(text, suffix); cut {
			text, scale = rest, by
			break
		}
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || n <= 0 || n*scale > 1<<40 {
		return 0, false
	}
	return int(n * scale), true
}

// share is a fraction as a flag gives it.
func share(a lint.Arg) (float64, bool) {
	v, err := strconv.ParseFloat(a.Text, 64)
	return v, err == nil
}
