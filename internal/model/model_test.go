package model

import (
	"math"
	"testing"
)

// By hand: layers × (keys + values of a token), in 16 bits.
func TestKVBytesPerToken(t *testing.T) {
	for name, want := range map[string]int64{
		"llama-2-7b":           32 * 2 * 32 * 128 * 2,           // every head
		"llama-3.1-8b":         32 * 2 * 8 * 128 * 2,            // groups of heads
		"llama-3.3-70b":        80 * 2 * 8 * 128 * 2,            //
		"gemma-2b":             18 * 2 * 1 * 256 * 2,            // one head for all
		"gpt-oss-20b":          24 * 2 * 8 * 64 * 2,             // half of the layers slide
		"llama-4-scout":        48 * 2 * 8 * 128 * 2,            // three quarters in chunks
		"deepseek-v3":          61 * (512 + 64) * 2,             // a latent, once for keys and values
		"deepseek-v3.2":        61 * ((512+64)*2 + 128 + 4),     // and the indexer's key in FP8 with its scale
		"qwen3.5-397b-a17b":    15 * 2 * 2 * 256 * 2,            // a quarter of the layers attend
		"kimi-linear-48b-a3b":  7 * (512 + 64) * 2,              // latents in 7 of 27 layers
		"nemotron-nano-9b-v2":  4 * 2 * 8 * 128 * 2,             // 4 of 56 blocks attend
		"falcon-h1-34b":        72 * 2 * 4 * 128 * 2,            // beside a state in each layer
		"llama-3.2-11b-vision": 32 * 2 * 8 * 128 * 2,            // 8 of 40 layers keep the image alone
		"deepseek-v4-flash":    21*(512*2+132)/4 + 20*512*2/128, // an entry for 4 tokens with its indexer's key, or for 128
		"mamba-2.8b":           0,
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

// By hand: what a request keeps whatever its length.
func TestStateBytes(t *testing.T) {
	for name, want := range map[string]float64{
		// 45 layers: 64 heads of 128 by 128 in float32, 3 tokens of 2·2048+8192 channels.
		"qwen3.5-397b-a17b": 45 * (64*128*128*4 + 3*(2*2048+8192)*2),
		// 27 blocks: 128 heads of 80 by 128 in float32, 3 tokens of 10240+2·8·128 channels.
		"nemotron-nano-9b-v2": 27 * (128*80*128*4 + 3*(10240+2*8*128)*2),
		"llama-3.1-8b":        0,
	} {
		a, _ := Named(name)
		if got := a.StateBytes(2); got != want {
			t.Errorf("%s: %g bytes of state, want %g", name, got, want)
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
