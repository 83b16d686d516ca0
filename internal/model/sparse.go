package model

// minimaxM3 is MiniMax-M3: grouped-query attention whose later layers read the
// blocks of the context that an indexer picks, and experts after the first layers.
func minimaxM3() rule {
	return rule{layers: func(b *build) {
		b.readHeads()
		config := b.sub("sparse_attention_config")
		sparse, experts := config.numbers("sparse_attention_freq", 1), b.numbers("moe_layer_freq", 1)
		for i := range b.count {
			l := grouped{qkNorm: headQKNorm, reach: fullReach, mlp: denseM3}.layer(b, i)
			if i < len(sparse) && sparse[i] == 1 {
				l.Attention.Indexer = b.blockIndexer(config)
			}
			if i >= len(experts) || experts[i] == 1 {
				l.MLP = b.expertsM3(i)
			}
			b.arch.Layers = append(b.arch.Layers, l)
		}
	}}
}

func denseM3(b *build, _ int) MLP {
	return MLP{Matrices: 3, Intermediate: b.needed("dense_intermediate_size", maxSize)}
}

func (b *build) expertsM3(i int) MLP {
	m := mixture{experts: "num_local_experts", active: "num_experts_per_tok", routerBias: true}.mlp(b, i)
	m.SharedIntermediate = b.optional("shared_intermediate_size", 0, maxSize) * b.optional("n_shared_experts", 1, 64)
	return m
}

// blockIndexer scores keys of the context, kept in 16 bits, and reads the blocks
// of tokens that score highest.
func (b *build) blockIndexer(f fields) Indexer {
	x := Indexer{Heads: f.needed("sparse_num_index_heads", maxHeads), HeadDim: f.needed("sparse_index_dim", maxHeadDim)}
	x.TopK = f.needed("sparse_topk_blocks", maxSize) * f.needed("sparse_block_size", maxSize)
	x.CacheBytes = 2 * x.HeadDim
	h, d := int64(b.hidden), int64(x.HeadDim)
	x.Parameters = h*int64(x.Heads)*d + h*d + 2*d
	return x
}
