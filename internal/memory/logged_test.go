package memory

import (
	"math"
	"slices"
	"testing"

	"assay/internal/facts"
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

func vllm(t *testing.T, version string) Engine {
	t.Helper()
	e, err := EngineNamed("vllm@" + version)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// qwen35 is Qwen3.5-27B: 16 times three layers of gated delta nets and one of full attention.
func qwen35() model.Arch {
	linear := model.Layer{State: model.State{Kind: "gated-delta", Conv: (2*16*128 + 48*128) * 3, Recurrent: 48 * 128 * 128, RecurrentF32: true}}
	full := model.Layer{Attention: model.Attention{Kind: model.Full, Heads: 24, KVHeads: 4, HeadDim: 256}}
	return model.Arch{Name: "qwen3.5-27b", Hidden: 5120, Vocab: 248320, Context: 262144,
		Layers: slices.Repeat([]model.Layer{linear, linear, linear, full}, 16)}
}

// Of vLLM issue 40691: "GPU KV cache size: 290,864 tokens", and "Maximum concurrency
// for 32,768 tokens per request: 33.04x", with version 0.19.
func TestHybridAsLogged(t *testing.T) {
	c := Config{Model: qwen35(), Chip: chip(t, "H200"), Engine: vllm(t, "0.19"), MaxModelLen: 32768, MaxNumSeqs: 16, MaxBatchedTokens: 16384}
	const block = 784 // tokens: the state of 3,207,168 bytes takes 49 times 16 tokens of 4,096 bytes
	c.KVBytes = 1487 * 16 * block * 4096
	a, err := Of(c)
	if err != nil {
		t.Fatal(err)
	}
	if a.BlockSize != block || a.Blocks != 1487 || a.Cache.Groups() != 4 {
		t.Errorf("%d blocks of %d tokens in %d groups; want 1487 of %d in 4", a.Blocks, a.BlockSize, a.Cache.Groups(), block)
	}
	if a.KVTokens != 290864 || math.Abs(a.MaxConcurrency-33.04) > 0.005 {
		t.Errorf("%d tokens, %.3fx; vLLM logged 290,864 and 33.04x", a.KVTokens, a.MaxConcurrency)
	}
}
