package model

import "fmt"

// deepseekV4 is DeepSeek-V4: each layer attends to a short window, and to entries
// that stand for 4 tokens, of which an indexer picks some, or for 128, all read.
// Keys are values; the output is projected by groups of heads; residuals run in
// several streams.
func deepseekV4() rule {
	experts := mixture{
		experts: "n_routed_experts", active: "num_experts_per_tok", intermediate: "moe_intermediate_size",
		shared: "n_shared_experts", routerBias: true,
	}
	return rule{layers: func(b *build) {
		b.readHeads()
		b.headDim = b.needed("head_dim", maxHeadDim)
		streams := int64(b.optional("hc_mult", 4, 64))
		h := int64(b.hidden)
		for i := range b.count {
			l := Layer{Attention: b.compressed(i), MLP: experts.mlp(b, i), Norm: 2 * h}
			if b.hashed(i) {
				l.MLP.RouterParameters -= int64(l.MLP.Experts) // nothing balances a table
			}
			mix := (2 + streams) * streams // weights before, after and between the streams
			l.Norm += 2 * (mix*streams*h + mix + 3)
			b.arch.Layers = append(b.arch.Layers, l)
		}
		b.arch.Outside.Norm += streams*streams*h + streams + 1
		b.draft()
	}}
}

// hashed says that a layer's experts are looked up by the token.
func (b *build) hashed(i int) bool {
	if i < len(b.mlpTypes) {
		return b.mlpTypes[i] == "hash_moe"
	}
	return i < b.optional("num_hash_layers", 3, maxLayers)
}

// compressed is the attention of one layer.
func (b *build) compressed(i int) Attention {
	ratio := b.compressRatio(i)
	t := Attention{
		Kind: Compressed, Heads: b.heads, KVHeads: 1, HeadDim: b.headDim, Compress: ratio,
		Window: b.needed("sliding_window", maxTokens), QueryRank: b.needed("q_lora_rank", maxSize), RopeDim: b.optional("qk_rope_head_dim", 64, maxHeadDim),
	}
	h, d, rank := int64(b.hidden), int64(t.HeadDim), int64(t.QueryRank)
	outRank, groups := int64(b.needed("o_lora_rank", maxSize)), int64(b.needed("o_groups", maxHeads))
	t.Parameters = h*rank + rank + rank*t.queries() + h*d + d // queries, the key, their norms
	t.Parameters += t.queries()*outRank + groups*outRank*h + int64(t.Heads)
	switch {
	case ratio == 0:
	case ratio < 16: // entries overlap: twice the width
		t.Parameters += compressor(h, d, 2*d, int64(ratio))
		x := Indexer{Heads: b.needed("index_n_heads", maxHeads), HeadDim: b.needed("index_head_dim", maxHeadDim), TopK: b.needed("index_topk", maxTokens)}
		x.CacheBytes = x.HeadDim + (x.HeadDim+127)/128*4
		xd := int64(x.HeadDim)
		x.Parameters = compressor(h, xd, 2*xd, int64(ratio)) + rank*int64(x.Heads)*xd + h*int64(x.Heads)
		t.Indexer = x
	default:
		t.Parameters += compressor(h, d, d, int64(ratio))
	}
	return t
}

// compressor makes one entry of d elements of some tokens: values, gates and
// positions of a width, and a norm.
func compressor(h, d, width, ratio int64) int64 { return 2*h*width + ratio*width + d }

// compressRatio is how many tokens one entry of a layer stands for: compress_ratios
// of published files, or the names of layer_types.
func (b *build) compressRatio(i int) int {
	if len(b.list("compress_ratios")) > 0 {
		return b.each("compress_ratios", i, 0, 1<<15)
	}
	if b.types == nil {
		b.fail(fmt.Errorf("config.json has no %s and no %s: what its layers attend to is not known", b.name("compress_ratios"), b.name("layer_types")))
		return 0
	}
	rates := b.sub("compress_rates")
	switch t := b.types[i]; t {
	case "sliding_attention":
		return 0
	case "compressed_sparse_attention":
		return rates.optional(t, 4, 1<<15)
	case "heavily_compressed_attention":
		return rates.optional(t, 128, 1<<15)
	default:
		b.fail(&UnknownError{What: "attention", Name: t})
		return 0
	}
}
