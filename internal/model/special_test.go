package model

import (
	"math"
	"strings"
	"testing"
)

func TestThinnedLayersByHand(t *testing.T) {
	config := `{"model_type":"nemotron-nas","architectures":["DeciLMForCausalLM"],"hidden_size":64,"num_hidden_layers":2,
		"num_attention_heads":4,"num_key_value_heads":null,"vocab_size":100,"block_configs":[
		{"attention":{"n_heads_in_group":2,"no_op":false},"ffn":{"ffn_mult":1.3125,"no_op":false}},
		{"attention":{"no_op":true},"ffn":{"intermediate_size":128}}]}`
	a := parsed(t, config)
	first, second := a.Layers[0], a.Layers[1]
	if got, want := first.Attention.Parameters, int64(64*64+2*64*2*16+64*64); got != want || first.Attention.KVHeads != 2 {
		t.Errorf("first attention: %d parameters, %d KV heads; want %d, 2", got, first.Attention.KVHeads, want)
	}
	if first.MLP.Intermediate != 256 || second.MLP.Intermediate != 128 { // 2·1.3125·64/3 = 56, up to 256
		t.Errorf("MLPs of %d and %d, want 256 and 128", first.MLP.Intermediate, second.MLP.Intermediate)
	}
	if second.Attention.Kind != NoAttention || a.KVBytesPerToken(2) != 2*2*16*2 {
		t.Errorf("the second layer attends: %s, %d bytes a token", a.Kinds(), a.KVBytesPerToken(2))
	}
	linear := strings.Replace(config, `"no_op":true`, `"no_op":true,"replace_with_linear":true`, 1)
	if _, err := Parse("test", []byte(linear)); err == nil || !strings.Contains(err.Error(), "replace_with_linear") {
		t.Errorf("a layer replaced by a matrix: %v", err)
	}
}

// DeepSeek-V3's card: 14 billion parameters of the multi-token prediction module,
// its copies of embedding and output projection with them.
func TestDraftLayersStandApart(t *testing.T) {
	a, err := Named("deepseek-v3")
	if err != nil {
		t.Fatal(err)
	}
	draft := float64(a.Outside.Draft + 2*a.Embedding())
	if math.Abs(draft-14e9)/14e9 > 0.05 {
		t.Errorf("%.3g parameters of draft layers, want about 14e9", draft)
	}
	if c := a.Counts(); c[Draft] != a.Outside.Draft || c.Total() != a.Parameters() || a.Parameters() > 672e9 {
		t.Errorf("draft layers count among the %d parameters", a.Parameters())
	}
}
