package model

// latent is multi-head latent attention (DeepSeek-V2, §2.1): one compressed vector
// a token holds the keys and values of all heads.
func (b *build) latent() Attention {
	rank, rope := b.needed("kv_lora_rank", maxSize), b.optional("qk_rope_head_dim", 0, maxHeadDim)
	nope, value := b.needed("qk_nope_head_dim", maxHeadDim), b.needed("v_head_dim", maxHeadDim)
	t := Attention{
		Kind: Latent, Heads: b.heads, KVHeads: 1, HeadDim: nope + rope, ValueDim: value,
		LatentRank: rank, RopeDim: rope, QueryRank: b.optional("q_lora_rank", 0, maxSize),
	}
	h, heads, r := int64(b.hidden), int64(t.Heads), int64(rank)
	if q := int64(t.QueryRank); q > 0 {
		t.Parameters += h*q + q + q*heads*int64(t.HeadDim)
	} else {
		t.Parameters += h * heads * int64(t.HeadDim)
	}
	t.Parameters += h*(r+int64(rope)) + r         // down, and its norm
	t.Parameters += r * heads * int64(nope+value) // up
	t.Parameters += heads * int64(value) * h      // out
	if b.flag("attention_bias", false) {
		t.Bias = true
		t.Parameters += r + int64(rope) + h
		t.Parameters += int64(t.QueryRank)
	}
	return t
}

// indexer is that of DeepSeek sparse attention: queries from the compressed
// query, one key of index_head_dim a token, a weight for each of its heads.
func (b *build) indexer(t Attention) Indexer {
	x := Indexer{
		Heads: b.optional("index_n_heads", 0, maxHeads), HeadDim: b.optional("index_head_dim", 0, maxHeadDim),
		TopK: b.optional("index_topk", 0, maxTokens),
	}
	if x.TopK == 0 || x.Heads == 0 {
		return Indexer{}
	}
	// Kept in FP8 with one float32 scale for each 128 elements.
	x.CacheBytes = x.HeadDim + (x.HeadDim+127)/128*4
	h, d := int64(b.hidden), int64(x.HeadDim)
	x.Parameters = int64(t.QueryRank)*int64(x.Heads)*d + h*d + 2*d + h*int64(x.Heads)
	return x
}

// deepseek is the rule of DeepSeek-V2, V3, V3.2 and what follows their plan.
func deepseek(x mixture) rule {
	return rule{layers: func(b *build) {
		b.readHeads()
		for i := range b.count {
			l := Layer{MLP: x.mlp(b, i), Norm: 2 * int64(b.hidden)}
			l.Attention = b.latent()
			l.Attention.Indexer = b.indexer(l.Attention)
			b.arch.Layers = append(b.arch.Layers, l)
		}
		b.draft()
	}}
}

// draft counts the layers of multi-token prediction: each is one of the model's
// last layers with two norms, a projection of the joined inputs and a norm of its
// output; the embedding and the output projection are the model's own.
func (b *build) draft() {
	n := b.optional(b.first("num_nextn_predict_layers", "num_mtp_layers", "mtp_num_hidden_layers"), 0, 64)
	if n == 0 || len(b.arch.Layers) == 0 {
		return
	}
	l, h := b.arch.Layers[len(b.arch.Layers)-1], int64(b.hidden)
	one := Arch{Hidden: b.hidden, Layers: []Layer{l}}.Counts().Total()
	b.arch.Outside.Draft = int64(n) * (one + 2*h*h + 3*h)
}
