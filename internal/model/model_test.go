package model

import (
	"math"
	"strings"
	"testing"
)

// Totals of the weights as the repositories' safetensors headers give them.
var published = map[string]int64{
	"llama-3.2-1b":  1_235_814_400,
	"llama-3.2-3b":  3_212_749_824,
	"llama-3.1-8b":  8_030_261_248,
	"llama-3.3-70b": 70_553_706_496,
	"qwen2.5-7b":    7_615_616_512,
	"qwen3-8b":      8_190_735_360,
	"qwen3-32b":     32_762_123_264,
	"qwen3-30b-a3b": 30_532_122_624,
	"mistral-7b":    7_248_023_552,
	"mixtral-8x7b":  46_702_792_704,
	"gemma-2b":      2_506_172_416,
	"gemma-7b":      8_537_680_896,
}

func TestParametersMatchPublishedTotals(t *testing.T) {
	last := int64(0)
	for _, a := range Presets() {
		want, ok := published[a.Name]
		if !ok {
			t.Errorf("%s has no published total to check against", a.Name)
		}
		if got := a.Parameters(); got != want {
			t.Errorf("%s: %d parameters, want %d", a.Name, got, want)
		}
		if a.Parameters() < last {
			t.Errorf("%s stands after a larger model", a.Name)
		}
		last = a.Parameters()
	}
}

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

func TestNamed(t *testing.T) {
	for name, want := range map[string]string{
		"Llama-3.1-8B-Instruct": "llama-3.1-8b", "meta-llama/Llama-3.2-1B": "llama-3.2-1b", "qwen3-32B": "qwen3-32b",
	} {
		if got, err := Named(name); err != nil || got.Name != want {
			t.Errorf("Named(%q) = %q, %v; want %q", name, got.Name, err, want)
		}
	}
	if _, err := Named("gpt-9"); err == nil || !strings.Contains(err.Error(), "qwen3-8b") {
		t.Errorf("error of an unknown model: %v", err)
	}
}
