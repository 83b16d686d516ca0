package checkpoint

import (
	"testing"

	"assay/internal/model"
)

// Names as transformers' models and llama.cpp write them. A layer's other tensors
// stand beside those that tell a draft layer or a recurrent module.
func TestPartsByName(t *testing.T) {
	named := map[string]model.Part{
		"model.embed_tokens.weight":                                model.Embedding,
		"transformer.wte.weight":                                   model.Embedding,
		"backbone.embeddings.weight":                               model.Embedding,
		"model.tok_embeddings.weight":                              model.Embedding,
		"lm_head.weight":                                           model.Head,
		"language_model.lm_head.weight":                            model.Head,
		"output.weight":                                            model.Head,
		"model.norm.weight":                                        model.Norm,
		"model.layers.0.input_layernorm.weight":                    model.Norm,
		"model.layers.0.attention_norm.weight":                     model.Norm,
		"model.layers.0.self_attn.q_proj.weight":                   model.Projection,
		"model.layers.0.self_attn.q_norm.weight":                   model.Projection,
		"model.layers.0.self_attn.kv_a_proj_with_mqa.weight":       model.Projection,
		"model.layers.0.self_attn.kv_a_layernorm.weight":           model.Projection,
		"model.layers.0.self_attn.sinks":                           model.Projection,
		"model.layers.0.attention.wqkv.weight":                     model.Projection,
		"h.0.attn.c_attn.weight":                                   model.Projection,
		"model.layers.0.self_attn.indexer.wk.weight":               model.Index,
		"model.layers.0.mlp.gate_proj.weight_scale_inv":            model.Dense,
		"model.layers.0.feed_forward.w1.weight":                    model.Dense,
		"model.layers.3.mlp.gate.weight":                           model.Router,
		"model.layers.3.mlp.gate.e_score_correction_bias":          model.Router,
		"model.layers.3.mlp.router.weight":                         model.Router,
		"model.layers.3.block_sparse_moe.gate.weight":              model.Router,
		"model.layers.3.mlp.shared_expert_gate.weight":             model.Router,
		"model.layers.3.mlp.experts.17.up_proj.weight_packed":      model.Expert,
		"model.layers.3.mlp.experts.gate_up_proj_blocks":           model.Expert,
		"model.layers.3.block_sparse_moe.experts.0.w1.weight":      model.Expert,
		"model.layers.3.mlp.shared_experts.up_proj.weight":         model.SharedExpert,
		"model.layers.3.feed_forward.shared_expert.up_proj.weight": model.SharedExpert,
		"model.layers.5.linear_attn.in_proj_qkvz.weight":           model.Recurrence,
		"model.layers.5.linear_attn.norm.weight":                   model.Recurrence,
		"model.layers.5.mamba.in_proj.weight":                      model.Recurrence,
		"backbone.layers.6.mixer.in_proj.weight":                   model.Recurrence,
		"backbone.layers.6.mixer.norm.weight":                      model.Recurrence,
		"backbone.layers.6.mixer.conv1d.weight":                    model.Recurrence,
		"backbone.layers.6.norm.weight":                            model.Norm,
		"backbone.layers.7.mixer.q_proj.weight":                    model.Projection,
		"backbone.layers.8.mixer.up_proj.weight":                   model.Dense,
		"backbone.layers.9.mixer.experts.0.up_proj.weight":         model.Expert,
		"backbone.layers.9.mixer.gate.weight":                      model.Router,
		"model.layers.7.self_attn.A_log":                           model.Recurrence, // Kimi Linear
		"model.layers.7.self_attn.q_proj.weight":                   model.Recurrence,
		"model.layers.61.eh_proj.weight":                           model.Draft, // DeepSeek's layer after the last
		"model.layers.61.self_attn.q_a_proj.weight":                model.Draft,
		"model.layers.61.mlp.experts.0.up_proj.weight":             model.Draft,
		"mtp.layers.0.mlp.up_proj.weight":                          model.Draft,
		"visual.blocks.0.attn.qkv.weight":                          model.Vision,
		"vision_tower.encoder.layers.0.mlp.fc1.weight":             model.Vision,
		"multi_modal_projector.linear_1.weight":                    model.Vision,
		"model.vision_tower.x.self_attn.q_proj.weight":             model.Vision,
		"token_embd.weight":                                        model.Embedding, // from here: GGUF
		"output_norm.weight":                                       model.Norm,
		"blk.0.attn_norm.weight":                                   model.Norm,
		"blk.0.post_attention_norm.weight":                         model.Norm,
		"blk.0.ffn_norm.weight":                                    model.Norm,
		"blk.0.attn_q_norm.weight":                                 model.Projection,
		"blk.0.attn_kv_a_mqa.weight":                               model.Projection,
		"blk.0.attn_output.weight":                                 model.Projection,
		"blk.0.ffn_down.weight":                                    model.Dense,
		"blk.0.ffn_gate_inp.weight":                                model.Router,
		"blk.0.exp_probs_b.bias":                                   model.Router,
		"blk.0.ffn_down_exps.weight":                               model.Expert,
		"blk.0.ffn_up_shexp.weight":                                model.SharedExpert,
		"blk.1.ssm_a":                                              model.Recurrence,
		"blk.1.attn_qkv.weight":                                    model.Recurrence, // beside ssm_a
		"blk.1.attn_gate.weight":                                   model.Recurrence,
		"blk.2.attn_qkv.weight":                                    model.Projection,
		"blk.3.nextn.eh_proj.weight":                               model.Draft,
		"blk.3.ffn_down_exps.weight":                               model.Draft,
	}
	var all []tensor
	for name := range named {
		all = append(all, tensor{name: name})
	}
	parts := newNames(all)
	for name, want := range named {
		if got, ok := parts.of(name); !ok || got != want {
			t.Errorf("%s: part %d (%v), want %d", name, got, ok, want)
		}
	}
	if p, ok := parts.of("model.layers.0.quux.weight"); ok {
		t.Errorf("an unknown name is taken for part %d", p)
	}
}
