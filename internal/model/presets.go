package model

import (
	"fmt"
	"slices"
	"strings"
)

// readOn is when the config.json files below were read.
const readOn = "2026-11-30"

// gqa is a transformer of equal layers with grouped-query attention.
type gqa struct {
	Name    string
	Aliases []string

	Layers, Hidden, Heads, KVHeads, HeadDim, Intermediate, Vocab, Context int

	TiedEmbeddings         bool
	QKVBias, QKNorm        bool
	Experts, ActiveExperts int
}

func (g gqa) arch() Arch {
	h, q, kv := int64(g.Hidden), int64(g.Heads*g.HeadDim), int64(g.KVHeads*g.HeadDim)
	l := Layer{
		Attention: Attention{Kind: Full, Heads: g.Heads, KVHeads: g.KVHeads, HeadDim: g.HeadDim, Bias: g.QKVBias, QKNorm: g.QKNorm, Parameters: 2*h*q + 2*h*kv},
		MLP:       MLP{Matrices: 3, Intermediate: g.Intermediate},
		Norm:      2 * h,
	}
	if g.QKVBias {
		l.Attention.Parameters += q + 2*kv
	}
	if g.QKNorm {
		l.Attention.Parameters += 2 * int64(g.HeadDim)
	}
	if g.Experts > 0 {
		l.MLP = MLP{Matrices: 3, Experts: g.Experts, ActiveExperts: g.ActiveExperts, ExpertIntermediate: g.Intermediate, RouterParameters: h * int64(g.Experts)}
	}
	return Arch{
		Name: g.Name, Aliases: g.Aliases, Hidden: g.Hidden, Vocab: g.Vocab, Context: g.Context,
		TiedEmbeddings: g.TiedEmbeddings, Layers: slices.Repeat([]Layer{l}, g.Layers), Outside: Outside{Norm: h},
	}
}

func preset(repo string, g gqa) Arch {
	a := g.arch()
	a.Repo = repo
	a.Source = "https://huggingface.co/" + repo + "/blob/main/config.json"
	a.Date = readOn
	return a
}

var presets = []Arch{
	preset("meta-llama/Llama-3.2-1B", gqa{
		Name: "llama-3.2-1b", Layers: 16, Hidden: 2048, Heads: 32, KVHeads: 8, HeadDim: 64,
		Intermediate: 8192, Vocab: 128256, Context: 131072, TiedEmbeddings: true,
	}),
	preset("google/gemma-2b", gqa{
		Name: "gemma-2b", Layers: 18, Hidden: 2048, Heads: 8, KVHeads: 1, HeadDim: 256,
		Intermediate: 16384, Vocab: 256000, Context: 8192, TiedEmbeddings: true,
	}),
	preset("meta-llama/Llama-3.2-3B", gqa{
		Name: "llama-3.2-3b", Layers: 28, Hidden: 3072, Heads: 24, KVHeads: 8, HeadDim: 128,
		Intermediate: 8192, Vocab: 128256, Context: 131072, TiedEmbeddings: true,
	}),
	preset("mistralai/Mistral-7B-v0.3", gqa{
		Name: "mistral-7b", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128,
		Intermediate: 14336, Vocab: 32768, Context: 32768,
	}),
	preset("Qwen/Qwen2.5-7B-Instruct", gqa{
		Name: "qwen2.5-7b", Layers: 28, Hidden: 3584, Heads: 28, KVHeads: 4, HeadDim: 128,
		Intermediate: 18944, Vocab: 152064, Context: 32768, QKVBias: true,
	}),
	preset("meta-llama/Llama-3.1-8B", gqa{
		Name: "llama-3.1-8b", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128,
		Intermediate: 14336, Vocab: 128256, Context: 131072, Aliases: []string{"llama-3-8b", "llama-8b"},
	}),
	preset("Qwen/Qwen3-8B", gqa{
		Name: "qwen3-8b", Layers: 36, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128,
		Intermediate: 12288, Vocab: 151936, Context: 40960, QKNorm: true,
	}),
	preset("google/gemma-7b", gqa{
		Name: "gemma-7b", Layers: 28, Hidden: 3072, Heads: 16, KVHeads: 16, HeadDim: 256,
		Intermediate: 24576, Vocab: 256000, Context: 8192, TiedEmbeddings: true,
	}),
	preset("Qwen/Qwen3-30B-A3B", gqa{
		Name: "qwen3-30b-a3b", Layers: 48, Hidden: 2048, Heads: 32, KVHeads: 4, HeadDim: 128,
		Intermediate: 768, Vocab: 151936, Context: 40960, QKNorm: true, Experts: 128, ActiveExperts: 8,
	}),
	preset("Qwen/Qwen3-32B", gqa{
		Name: "qwen3-32b", Layers: 64, Hidden: 5120, Heads: 64, KVHeads: 8, HeadDim: 128,
		Intermediate: 25600, Vocab: 151936, Context: 40960, QKNorm: true,
	}),
	preset("mistralai/Mixtral-8x7B-v0.1", gqa{
		Name: "mixtral-8x7b", Layers: 32, Hidden: 4096, Heads: 32, KVHeads: 8, HeadDim: 128,
		Intermediate: 14336, Vocab: 32000, Context: 32768, Experts: 8, ActiveExperts: 2,
	}),
	preset("meta-llama/Llama-3.3-70B-Instruct", gqa{
		Name: "llama-3.3-70b", Layers: 80, Hidden: 8192, Heads: 64, KVHeads: 8, HeadDim: 128,
		Intermediate: 28672, Vocab: 128256, Context: 131072, Aliases: []string{"llama-3.1-70b", "llama-70b"},
	}),
}

// Presets returns the known models, smallest first.
func Presets() []Arch { return slices.Clone(presets) }

// Named finds a preset by its name, an alias or its repository, whatever the
// case and with or without "-instruct". The error lists the known names.
func Named(name string) (Arch, error) {
	want := normal(name)
	for _, a := range presets {
		if normal(a.Name) == want || normal(a.Repo) == want || slices.ContainsFunc(a.Aliases, func(s string) bool { return normal(s) == want }) {
			return a, nil
		}
	}
	names := make([]string, len(presets))
	for i, a := range presets {
		names[i] = a.Name
	}
	return Arch{}, fmt.Errorf("unknown model %q: known are %s", name, strings.Join(names, ", "))
}

// Served is the architecture that a served name stands for; nil where it is not
// one of the presets, as one with quantised weights is not.
func Served(name string) *Arch {
	if a, err := Named(name); err == nil {
		return &a
	}
	return nil
}

func normal(name string) string {
	name = strings.ToLower(name)
	if _, after, ok := strings.Cut(name, "/"); ok {
		name = after
	}
	return strings.TrimSuffix(name, "-instruct")
}
