package checkpoint

import (
	"strings"

	"assay/internal/model"
)

// decisive are segments of a tensor's name that say its part by themselves,
// wherever they stand. Names are those of transformers' modules and of GGUF.
var decisive = segments(map[model.Part]string{
	model.Vision: "vision_tower visual vision_model vision_encoder vision_adapter vision_embed_tokens vision_language_adapter " +
		"multi_modal_projector mm_projector patch_merger pre_mm_projector_norm image_newline embed_vision " +
		"audio_tower audio_encoder embed_audio vpm resampler vit mm",
	model.Draft:        "mtp nextn eh_proj enorm hnorm shared_head mtp_block mtp_emb_norm",
	model.Index:        "indexer",
	model.Embedding:    "embed_tokens wte wpe word_embeddings tok_embeddings embed_in token_embd embed_tokens_per_layer per_layer_token_embd",
	model.Head:         "lm_head embed_out",
	model.Expert:       "experts input_linear output_linear ffn_gate_exps ffn_up_exps ffn_down_exps ffn_gate_up_exps",
	model.SharedExpert: "shared_experts shared_expert shared_mlp ffn_gate_shexp ffn_up_shexp ffn_down_shexp",
	model.Router:       "router shared_expert_gate moe_statics e_score_correction_bias ffn_gate_inp ffn_gate_inp_shexp exp_probs_b",
	model.Recurrence:   "linear_attn mamba",
})

// modules are segments that say a part unless a later one is decisive.
var modules = segments(map[model.Part]string{
	model.Projection: "self_attn attn attention self_attention cross_attn",
	model.Dense:      "mlp feed_forward ffn block_sparse_moe moe mlps",
})

// leaves are segments that say a part where no module does: layers whose
// attention, MLP and Mamba all stand in a "mixer" (Nemotron-H), and GGUF.
var leaves = segments(map[model.Part]string{
	model.Projection: "q_proj k_proj v_proj o_proj qkv_proj attn_sinks",
	model.Dense:      "up_proj down_proj gate_proj gate_up_proj ffn_gate ffn_up ffn_down fc1 fc2",
	model.Recurrence: "in_proj out_proj conv1d x_proj dt_proj A_log D dt_bias",
})

func segments(of map[model.Part]string) map[string]model.Part {
	by := map[string]model.Part{}
	for p, words := range of {
		for _, w := range strings.Fields(words) {
			by[w] = p
		}
	}
	return by
}

// recurrent are segments that only a recurrent module has: its other tensors
// carry the names of an attention's.
var recurrent = map[string]bool{
	"A_log": true, "conv1d": true, "q_conv1d": true, "output_gate": true,
	"ssm_a": true, "ssm_conv1d": true, "ssm_in": true, "shortconv": true,
}

// mostSegments is how many segments of a name are looked at; models have some ten.
const mostSegments = 24

// path is a tensor's name in segments.
type path struct {
	name string
	segs []string
	ends []int // where each ends in name
}

func newPath(name string) path {
	p := path{name: name, segs: strings.SplitN(name, ".", mostSegments)}
	end := 0
	for _, s := range p.segs {
		end += len(s)
		p.ends = append(p.ends, end)
		end++
	}
	return p
}

// upTo is the name's first n segments.
func (p path) upTo(n int) string {
	if n == 0 {
		return ""
	}
	return p.name[:p.ends[n-1]]
}

// names tells the part of each tensor of a model. Draft layers and recurrent
// modules are found first, as one of their tensors names them and the rest do not.
type names struct {
	draft     map[string]bool // prefixes of layers
	recurrent map[string]bool // prefixes of modules
	attention map[string]bool // GGUF's layers with an attention beside what is recurrent
}

func newNames(tensors []tensor) names {
	n := names{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, t := range tensors {
		p := newPath(t.name)
		for i, s := range p.segs {
			if part, ok := decisive[s]; ok && part == model.Draft && i > 1 {
				n.draft[p.upTo(i)] = true
			}
			if recurrent[s] && i > 0 {
				n.recurrent[p.upTo(i)] = true
			}
			if s == "attn_q" {
				n.attention[p.upTo(i)] = true
			}
		}
	}
	return n
}

// of is the part of a tensor; false where its name says none.
func (n names) of(name string) (model.Part, bool) {
	p := newPath(name)
	for i := 2; i < len(p.segs); i++ {
		if n.draft[p.upTo(i)] {
			return model.Draft, true
		}
	}
	if name == "output.weight" || name == "output.bias" {
		return model.Head, true
	}
	module, found := model.Part(0), false
	for i, s := range p.segs {
		if part, ok := decisive[s]; ok {
			return part, true
		}
		if (s == "self_attn" || s == "attn") && n.recurrent[p.upTo(i+1)] {
			return model.Recurrence, true
		}
		if s == "gate" && (!found || module == model.Dense) {
			return model.Router, true
		}
		if part, ok := modules[s]; ok && !found {
			module, found = part, true
		}
	}
	if found {
		return module, true
	}
	return n.leaf(p)
}

// leaf tells a part by the segments that stand for one without a module.
func (n names) leaf(p path) (model.Part, bool) {
	for i, s := range p.segs {
		if part, ok := leaves[s]; ok {
			return part, true
		}
		layer := p.upTo(i)
		switch {
		case strings.HasPrefix(s, "ssm_") || strings.HasPrefix(s, "shortconv"):
			return model.Recurrence, true
		case strings.HasPrefix(s, "attn_norm"), strings.HasPrefix(s, "attn_post_norm"), strings.HasPrefix(s, "attn_output_norm"):
			return model.Norm, true
		case (s == "attn_qkv" || s == "attn_gate") && n.recurrent[layer] && !n.attention[layer]:
			return model.Recurrence, true
		case strings.HasPrefix(s, "attn_"):
			return model.Projection, true
		case s == "norm" && n.recurrent[layer]:
			return model.Recurrence, true
		case s == "embeddings":
			return model.Embedding, true
		}
	}
	for _, s := range p.segs {
		if strings.Contains(s, "norm") || strings.HasPrefix(s, "ln_") || s == "rotary_emb" || s == "rope_freqs" {
			return model.Norm, true
		}
	}
	return 0, false
}
