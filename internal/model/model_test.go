package model

import (
	"math"
	"testing"
)

func TestKVBytesPerToken(t *testing.T) {
	for name, want := range map[string]int64{
		"llama-3.2-1b": 32768, "llama-3.1-8b": 131072, "llama-3.3-70b": 327680, "qwen2.5-7b": 57344,
	} {
		a, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := a.KVBytesPerToken(2); got != want {
			t.Errorf("%s: %d bytes a token, want %d", name, got, want)
		}
	}
}

func TestActiveParametersOfMoE(t *testing.T) {
	// Qwen3-30B-A3B: "3.3B activated", Mixtral: 12.9B, on their model cards.
	for name, want := range map[string]float64{"qwen3-30b-a3b": 3.3e9, "mixtral-8x7b": 12.9e9} {
		a, _ := Named(name)
		if got := float64(a.ActiveParameters()); math.Abs(got-want)/want > 0.1 {
			t.Errorf("%s: %.2e active parameters, want about %.2e", name, got, want)
		}
	}
}

func TestReadBytesGrowsToAllExperts(t *testing.T) {
	a, _ := Named("mixtral-8x7b")
	one, many := a.ReadBytes(1, Format{}), a.ReadBytes(10_000, Format{})
	if want := 2 * float64(a.ActiveParameters()); math.Abs(one-want)/want > 0.001 {
		t.Errorf("one token reads %.3e bytes, want its active weights, %.3e", one, want)
	}
	all := 2 * float64(a.Parameters()-a.Embedding())
	if math.Abs(many-all)/all > 0.001 {
		t.Errorf("many tokens read %.3e bytes, want all but the embedding, %.3e", many, all)
	}
	dense, _ := Named("llama-3.1-8b")
	if dense.ReadBytes(1, Format{}) != dense.ReadBytes(500, Format{}) {
		t.Error("a dense model reads the same weights whatever the batch")
	}
}

func TestAttentionFLOPsAddUpOverChunks(t *testing.T) {
	a, _ := Named("llama-3.1-8b")
	whole := a.AttentionFLOPs(0, 100)
	if split := a.AttentionFLOPs(0, 60) + a.AttentionFLOPs(60, 40); split != whole {
		t.Errorf("chunks of 60 and 40: %g, whole: %g", split, whole)
	}
}
