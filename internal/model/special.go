package model

import "fmt"

// Families whose layers follow a plan of their own.

// llama4 mixes layers that attend to their chunk with layers without positions
// that attend to all, and dense layers with layers of experts.
func llama4() rule {
	return rule{layers: func(b *build) {
		b.readHeads()
		ropes, moe := b.list("no_rope_layers"), b.set("moe_layers")
		experts := mixture{experts: "num_local_experts", active: "num_experts_per_tok"}
		for i := range b.count {
			l := Layer{Attention: llama.attention(b, i), Norm: 2 * int64(b.hidden)}
			l.Attention.Kind, l.Attention.Window = b.chunkedReach(ropes, i)
			step := b.optional("interleave_moe_layer_step", 1, maxLayers)
			if moe[i] || len(moe) == 0 && step > 0 && (i+1)%step == 0 {
				l.MLP = experts.mlp(b, i)
				l.MLP.SharedIntermediate = l.MLP.ExpertIntermediate
			} else {
				l.MLP = MLP{Matrices: 3, Intermediate: b.needed(b.first("intermediate_size_mlp", "intermediate_size"), maxSize)}
			}
			b.arch.Layers = append(b.arch.Layers, l)
		}
	}}
}

// chunkedReach is that of a layer of Llama 4: no_rope_layers holds 0 for those
// without positions.
func (b *build) chunkedReach(ropes []any, i int) (AttentionKind, int) {
	chunk := b.optional("attention_chunk_size", 0, maxTokens)
	whole := false
	switch {
	case b.types != nil:
		return b.typed(i)
	case i < len(ropes):
		whole = shown(ropes[i]) == "0"
	default:
		n := max(b.optional("no_rope_layer_interval", 4, maxLayers), 1)
		whole = (i+1)%n == 0
	}
	if whole || chunk == 0 {
		return Full, 0
	}
	return Chunked, chunk
}

// crossLlama is Llama 3.2 Vision: some layers attend to the image alone.
func crossLlama() rule {
	return rule{layers: func(b *build) {
		b.readHeads()
		cross := b.set("cross_attention_layers")
		b.arch.Outside.Vision += 8 * int64(b.hidden) // embeddings of the image's tokens
		for i := range b.count {
			l := grouped{reach: fullReach}.layer(b, i)
			if cross[i] {
				l.Attention.Kind, l.Attention.Window = Cross, 1
				l.Attention.normQK(headQKNorm)
				l.Norm += 2 // two gates
			}
			b.arch.Layers = append(b.arch.Layers, l)
		}
	}}
}

// kimiLinear mixes Kimi Delta Attention with latent attention.
func kimiLinear() rule {
	experts := mixture{
		experts: "num_experts", active: "num_experts_per_token", intermediate: "moe_intermediate_size",
		shared: "num_shared_experts", routerBias: true, dense: firstDense,
	}
	return rule{layers: func(b *build) {
		b.readHeads()
		state := b.kimiDelta()
		full := map[int]bool{}
		for _, i := range b.sub("linear_attn_config").numbers("full_attn_layers", maxLayers) {
			full[i-1] = true // counted from 1
		}
		for i := range b.count {
			l := Layer{MLP: experts.mlp(b, i), Norm: 2 * int64(b.hidden)}
			if full[i] || b.types != nil && b.attends(i) {
				l.Attention = b.latent()
			} else {
				l.State = state
			}
			b.arch.Layers = append(b.arch.Layers, l)
		}
	}}
}

// falcon is Falcon 7B, 40B and 180B: one block of attention and MLP side by side.
func falcon() rule {
	return rule{tied: true, layers: func(b *build) {
		h := int64(b.hidden)
		b.object["intermediate_size"] = b.object[b.first("ffn_hidden_size", "intermediate_size")]
		b.readHeads()
		modern, norms := b.flag("new_decoder_architecture", false), int64(2)
		switch {
		case modern:
			b.kvHeads = b.optional(b.first("num_kv_heads", "n_head_kv"), b.heads, maxHeads)
			norms = int64(b.optional("num_ln_in_parallel_attn", 2, 2))
		case b.flag("multi_query", true):
			b.kvHeads = 1
		}
		if b.kvHeads == 0 || b.heads%b.kvHeads != 0 {
			b.fail(fmt.Errorf("config.json: num_attention_heads %d is not a multiple of num_kv_heads %d", b.heads, b.kvHeads))
			return
		}
		if !modern && b.flag("parallel_attn", true) {
			norms = 1
		}
		g := grouped{bias: "bias", mlpBias: "bias", ungated: true, reach: fullReach}
		for i := range b.count {
			l := Layer{Attention: g.attention(b, i), Norm: norms * 2 * h}
			l.MLP = MLP{Matrices: 2, Intermediate: b.optional("intermediate_size", min(4*b.hidden, maxSize), maxSize), Bias: b.flag("bias", false)}
			b.arch.Layers = append(b.arch.Layers, l)
		}
		b.arch.Outside.Norm *= 2
	}}
}

// nemotronNAS is a Llama whose layers a search has thinned: each has its own
// number of key-value heads and MLP, or none.
func nemotronNAS() rule {
	return rule{layers: func(b *build) {
		b.object["num_key_value_heads"] = nil // each layer's own
		b.readHeads()
		blocks := b.list("block_configs")
		if len(blocks) < b.count {
			b.fail(fmt.Errorf("config.json: block_configs has %d items for %d layers", len(blocks), b.count))
			return
		}
		for i := range b.count {
			object, _ := blocks[i].(map[string]any)
			block := fields{object: object, path: b.name("block_configs"), failed: b.failed}
			b.arch.Layers = append(b.arch.Layers, b.thinned(block))
		}
	}}
}

func (b *build) thinned(block fields) Layer {
	attention, ffn := block.sub("attention"), block.sub("ffn")
	if attention.flag("replace_with_linear", false) || ffn.flag("replace_with_linear", false) {
		b.fail(&UnknownError{What: "layer", Name: "replace_with_linear"})
	}
	var l Layer
	if !attention.flag("no_op", false) {
		group := attention.needed("n_heads_in_group", maxHeads)
		if b.heads%group != 0 {
			b.fail(fmt.Errorf("config.json: num_attention_heads %d is not a multiple of n_heads_in_group %d", b.heads, group))
			return l
		}
		b.kvHeads = b.heads / group
		l.Attention = b.attention()
		l.Norm += int64(b.hidden)
	}
	if !ffn.flag("no_op", false) {
		l.MLP = MLP{Matrices: 3, Intermediate: ffn.optional("intermediate_size", 0, maxSize)}
		if mult, ok := ffn.number("ffn_mult", 64); ok && l.MLP.Intermediate == 0 {
			// Two thirds of the multiple, up to the next multiple of 256.
			n := int(2 * mult * float64(b.hidden) / 3)
			l.MLP.Intermediate = (n + 255) / 256 * 256
		}
		if l.MLP.Intermediate == 0 {
			b.fail(fmt.Errorf("config.json has no ffn_mult and no intermediate_size in %s", ffn.path))
		}
		l.Norm += int64(b.hidden)
	}
	return l
}

// pureMamba is a model of one kind of state-space layer.
func pureMamba(state func(*build) State) rule {
	return rule{tied: true, layers: func(b *build) {
		s := state(b)
		for range b.count {
			b.arch.Layers = append(b.arch.Layers, Layer{State: s, Norm: int64(b.hidden)})
		}
	}}
}

// mambaOfFields is Mamba's first version by the names of its own files.
func (b *build) mambaOfFields() State {
	inner := b.optional(b.first("intermediate_size", "d_inner"), 0, maxSize)
	if inner == 0 {
		inner = b.optional("expand", 2, 64) * b.hidden
	}
	rank := 0
	if _, auto := b.object["time_step_rank"].(string); !auto {
		rank = b.optional("time_step_rank", 0, maxSize)
	}
	size, kernel := b.needed(b.first("state_size", "d_state"), maxSize), b.optional(b.first("conv_kernel", "d_conv"), 4, maxHeadDim)
	return b.mamba1(int64(inner), int64(size), int64(max(kernel, 1)), int64(rank), b.flag("use_conv_bias", true), b.flag("use_bias", false), false)
}

// jamba attends in one layer of attn_layer_period and has experts in one of
// expert_layer_period.
func jamba() rule {
	attends := func(b *build, i int) bool {
		return i%max(b.optional("attn_layer_period", 8, maxLayers), 1) == b.optional("attn_layer_offset", 4, maxLayers)
	}
	experts := mixture{experts: "num_experts", active: "num_experts_per_tok", dense: func(b *build, i int) bool {
		return i%max(b.optional("expert_layer_period", 2, maxLayers), 1) != b.optional("expert_layer_offset", 1, maxLayers) ||
			b.optional("num_experts", 1, maxExperts) < 2
	}}
	state := func(b *build) State {
		rank := 0
		if _, auto := b.object["mamba_dt_rank"].(string); !auto {
			rank = b.optional("mamba_dt_rank", 0, maxSize)
		}
		inner := int64(b.optional("mamba_expand", 2, 64)) * int64(b.hidden)
		size, kernel := int64(b.needed("mamba_d_state", maxSize)), int64(b.needed("mamba_d_conv", maxHeadDim))
		return b.mamba1(inner, size, kernel, int64(rank), b.flag("mamba_conv_bias", true), b.flag("mamba_proj_bias", false), true)
	}
	return mixed(grouped{reach: fullReach, mlp: experts.mlp}, state, attends)
}

// falconH1 runs attention and a state side by side in each layer.
func falconH1() rule {
	return rule{layers: func(b *build) {
		b.readHeads()
		state := b.mamba2(mambaOfFalcon)
		for i := range b.count {
			l := llama.full().layer(b, i)
			l.State = state
			b.arch.Layers = append(b.arch.Layers, l)
		}
	}}
}

// graniteMLP has experts beside a dense MLP that every token visits, or that alone.
func graniteMLP(b *build, i int) MLP {
	shared := b.optional("shared_intermediate_size", 0, maxSize)
	if b.optional("num_local_experts", 0, maxExperts) == 0 {
		return MLP{Matrices: 3, Intermediate: shared}
	}
	m := mixtralExperts.mlp(b, i)
	m.SharedIntermediate = shared
	return m
}

// lfmMLP shrinks the size as LFM2 does: two thirds, by a factor, up to a multiple.
func lfmMLP(b *build, i int) MLP {
	n := b.needed(b.first("block_ff_dim", "intermediate_size"), maxSize)
	if b.flag("block_auto_adjust_ff_dim", true) {
		n = 2 * n / 3
		if k, ok := b.number("block_ffn_dim_multiplier", 64); ok && k > 0 {
			n = int(k * float64(n))
		}
		of := max(b.optional("block_multiple_of", 256, maxSize), 1)
		n = (n + of - 1) / of * of
	}
	return MLP{Matrices: 3, Intermediate: n}
}
