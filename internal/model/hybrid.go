package model

import (
	"fmt"
	"strings"
)

// Linear attention and state-space layers: what each stores, keeps for a request
// and computes beside its matrix products.

// gatedDelta is the gated delta rule of Qwen3-Next and Qwen3.5 (Yang et al. 2024,
// "Gated Delta Networks"): a state of key by value for each value head.
func (b *build) gatedDelta() State {
	keyHeads, valueHeads := int64(b.needed("linear_num_key_heads", maxHeads)), int64(b.needed("linear_num_value_heads", maxHeads))
	keyDim, valueDim := int64(b.needed("linear_key_head_dim", maxHeadDim)), int64(b.needed("linear_value_head_dim", maxHeadDim))
	kernel := int64(b.needed("linear_conv_kernel_dim", maxHeadDim))
	h, key, value := int64(b.hidden), keyHeads*keyDim, valueHeads*valueDim
	channels := 2*key + value
	return State{
		Kind: "gated-delta", Conv: channels * (kernel - 1), Recurrent: valueHeads * keyDim * valueDim,
		RecurrentF32: b.text("mamba_ssm_dtype") == "float32",
		// q, k, v and the gate z; a and b of each head; convolution, A, the step's bias, norm, output.
		Parameters: h*(channels+value) + h*2*valueHeads + channels*kernel + 2*valueHeads + valueDim + value*h,
		FLOPs:      stateFLOPs(valueHeads * keyDim * valueDim),
	}
}

// kimiDelta is Kimi Delta Attention (Kimi Linear, 2025): the gated delta rule with
// a decay for each channel.
func (b *build) kimiDelta() State {
	f := b.sub("linear_attn_config")
	heads := int64(f.needed("num_heads", maxHeads))
	dim := int64(f.needed("head_dim", maxHeadDim))
	kernel := int64(f.needed("short_conv_kernel_size", maxHeadDim))
	h, wide := int64(b.hidden), heads*dim
	return State{
		Kind: "kimi-delta", Conv: 3 * wide * (kernel - 1), Recurrent: heads * dim * dim, RecurrentF32: true,
		// q, k, v, output; convolutions; two low-rank gates through head_dim; b, A, the step's bias, norm.
		Parameters: 4*h*wide + 3*wide*kernel + 2*(h*dim+dim*wide) + h*heads + heads + wide + dim,
		FLOPs:      stateFLOPs(heads * dim * dim),
	}
}

// lightning is the linear attention of MiniMax-01 and M1: no decay is learnt.
func (b *build) lightning() State {
	h, wide := int64(b.hidden), int64(b.heads)*int64(b.headDim)
	return State{
		Kind: "lightning", Recurrent: wide * int64(b.headDim),
		Parameters: h*3*wide + h*wide + wide*h + wide,
		FLOPs:      4 * float64(wide*int64(b.headDim)),
	}
}

// shortConv is LFM2's: a gated convolution over a few tokens.
func (b *build) shortConv() State {
	h, kernel := int64(b.hidden), int64(b.needed("conv_L_cache", maxHeadDim))
	s := State{Kind: "short-conv", Conv: h * (kernel - 1), Parameters: 3*h*h + h*kernel + h*h, FLOPs: float64(2 * h * kernel)}
	if b.flag("conv_bias", false) {
		s.Parameters += 3*h + h + h
	}
	return s
}

// stateFLOPs is the work of the delta rule on a state of that many elements for
// one token: decay 1, what the state holds for the key 2, its correction 2, what
// the query reads 2.
func stateFLOPs(elements int64) float64 { return 7 * float64(elements) }

// mamba2Names are the fields of Mamba-2 by family.
type mamba2Names struct {
	heads, headDim, groups, state, kernel, inner, convBias, bias, outBias string
	norm                                                                  string // the field that says that there is one; empty: always
	float32                                                               bool   // the state is float32, unless mamba_ssm_cache_dtype says otherwise
}

// mamba2 is the state-space duality layer (Dao and Gu 2024).
func (b *build) mamba2(n mamba2Names) State {
	heads := int64(b.needed(n.heads, maxHeads))
	groups := int64(max(b.optional(n.groups, 1, maxHeads), 1))
	size, kernel := int64(b.needed(n.state, maxSize)), int64(b.needed(n.kernel, maxHeadDim))
	inner := int64(0)
	if n.inner != "" {
		inner = int64(b.optional(n.inner, 0, maxSize))
	}
	if inner == 0 {
		if _, isText := b.object[n.headDim].(string); isText || !b.has(n.headDim) { // "auto"
			inner = int64(b.optional(b.first("mamba_expand", "expand"), 2, 64)) * int64(b.hidden)
		} else {
			inner = heads * int64(b.needed(n.headDim, maxHeadDim))
		}
	}
	h, channels := int64(b.hidden), inner+2*groups*size
	s := State{
		Kind: "mamba2", Conv: channels * (kernel - 1), Recurrent: inner * size, RecurrentF32: n.float32,
		Parameters: h*(inner+channels+heads) + channels*kernel + 3*heads + inner*h,
		FLOPs:      6 * float64(inner*size), // decay 1, the input's product and sum 3, the output's 2
	}
	if dtype := b.text("mamba_ssm_cache_dtype"); dtype != "" {
		s.RecurrentF32 = dtype == "float32"
	}
	if b.flag(n.convBias, true) {
		s.Parameters += channels
	}
	if b.flag(n.bias, false) {
		s.Parameters += inner + channels + heads
	}
	if b.flag(n.outBias, false) {
		s.Parameters += h
	}
	if n.norm == "" || b.flag(n.norm, false) {
		s.Parameters += inner
	}
	return s
}

// mamba1 is the selective state space (Gu and Dao 2023). Jamba norms its steps,
// B and C.
func (b *build) mamba1(inner, size, kernel, rank int64, convBias, bias, norms bool) State {
	h := int64(b.hidden)
	if rank == 0 {
		rank = (h + 15) / 16
	}
	s := State{
		Kind: "mamba", Conv: inner * (kernel - 1), Recurrent: inner * size,
		Parameters: h*2*inner + inner*kernel + inner*(rank+2*size) + rank*inner + inner + inner*size + inner + inner*h,
		FLOPs:      6 * float64(inner*size),
	}
	if convBias {
		s.Parameters += inner
	}
	if bias {
		s.Parameters += 2*inner + h
	}
	if norms {
		s.Parameters += rank + 2*size
	}
	return s
}

var (
	mambaOfFields = mamba2Names{heads: "num_heads", headDim: "head_dim", groups: "n_groups", state: "state_size", kernel: "conv_kernel", convBias: "use_conv_bias", bias: "use_bias", outBias: "use_bias"}
	mambaOfD      = mamba2Names{heads: "mamba_n_heads", headDim: "mamba_d_head", groups: "mamba_n_groups", state: "mamba_d_state", kernel: "mamba_d_conv", convBias: "mamba_conv_bias", bias: "mamba_proj_bias", outBias: "mamba_proj_bias"}
	mambaOfFalcon = mamba2Names{heads: "mamba_n_heads", headDim: "mamba_d_head", groups: "mamba_n_groups", state: "mamba_d_state", kernel: "mamba_d_conv", inner: "mamba_d_ssm", convBias: "mamba_conv_bias", bias: "mamba_proj_bias", outBias: "projectors_bias", norm: "mamba_rms_norm"}
	mambaOfNemo   = mamba2Names{heads: "mamba_num_heads", headDim: "mamba_head_dim", groups: "n_groups", state: "ssm_state_size", kernel: "conv_kernel", convBias: "use_conv_bias", bias: "use_bias", outBias: "use_bias", float32: true}
)

// mixed builds a model whose layers hold attention where attends says so and a
// state elsewhere.
func mixed(g grouped, state func(*build) State, attends func(b *build, i int) bool) rule {
	return rule{tied: g.tied, layers: func(b *build) {
		b.readHeads()
		s := State{}
		for i := range b.count {
			l := g.layer(b, i)
			if !attends(b, i) {
				if s.Kind == "" {
					s = state(b)
				}
				l.Attention, l.State = Attention{}, s
			}
			b.arch.Layers = append(b.arch.Layers, l)
		}
		b.draft()
	}}
}

// interval says that each full_attention_interval-th layer attends, where the file
// lists no layer_types.
func interval(b *build, i int) bool {
	if b.types == nil {
		n := max(b.optional("full_attention_interval", 4, maxLayers), 1)
		return (i+1)%n == 0
	}
	return b.attends(i)
}

// attends reads layer_types, whose names for a state vary.
func (b *build) attends(i int) bool {
	switch t := b.types[i]; t {
	case "linear_attention", "mamba", "conv", "short_conv":
		return false
	case "full_attention", "attention", "sliding_attention":
		return true
	default:
		b.fail(&UnknownError{What: "layer", Name: t})
		return true
	}
}

// nemotronH is Nemotron-H's and Nemotron 3's: each layer is one block alone.
func nemotronH() rule {
	return rule{layers: func(b *build) {
		b.readHeads()
		blocks := b.blocks()
		var state State
		for _, block := range blocks {
			l := Layer{Norm: int64(b.hidden)}
			switch block {
			case "mamba", "linear_attention":
				if state.Kind == "" {
					state = b.mamba2(mambaOfNemo)
				}
				l.State = state
			case "attention", "full_attention":
				l.Attention = grouped{}.attention(b, 0)
			case "mlp":
				l.MLP = MLP{Matrices: 2, Intermediate: b.needed("intermediate_size", maxSize)}
			case "moe":
				l.MLP = b.latentExperts()
			default:
				b.fail(&UnknownError{What: "layer", Name: block})
				return
			}
			b.arch.Layers = append(b.arch.Layers, l)
		}
	}}
}

// blocks are the kinds of Nemotron's layers, from a list or from a pattern of letters.
func (b *build) blocks() []string {
	if l := b.kinds(b.first("layers_block_type", "layer_types")); len(l) > 0 {
		return l
	}
	names := map[rune]string{'M': "mamba", '*': "attention", '-': "mlp", 'E': "moe"}
	var out []string
	for _, c := range strings.ReplaceAll(b.text("hybrid_override_pattern"), "|", "") {
		name, ok := names[c]
		if !ok {
			name = string(c)
		}
		out = append(out, name)
	}
	if len(out) == 0 {
		b.fail(fmt.Errorf("config.json has no %s and no %s: the kinds of its layers are not known", b.name("hybrid_override_pattern"), b.name("layers_block_type")))
	}
	return out
}

// latentExperts are Nemotron 3's: without a gate, over a projection of the hidden
// state where moe_latent_size says so.
func (b *build) latentExperts() MLP {
	m := MLP{
		Matrices: 2, Experts: b.needed("n_routed_experts", maxExperts), ActiveExperts: b.needed("num_experts_per_tok", maxExperts),
		ExpertIntermediate: b.needed("moe_intermediate_size", maxSize), ExpertInput: b.optional("moe_latent_size", 0, maxSize),
		SharedIntermediate: b.optional("moe_shared_expert_intermediate_size", 0, maxSize) * max(b.optional("n_shared_experts", 1, maxExperts), 1),
	}
	m.ActiveExperts = min(m.ActiveExperts, m.Experts)
	m.RouterParameters = int64(b.hidden)*int64(m.Experts) + int64(m.Experts) + 2*int64(b.hidden)*int64(m.ExpertInput)
	return m
}
