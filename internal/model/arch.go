package model

// Arch is the architecture of a decoder-only transformer with grouped-query
// attention and a gated MLP, in the terms of Hugging Face's config.json.
type Arch struct {
	Name    string   // short, such as llama-3.1-8b
	Repo    string   // on the Hugging Face hub
	Aliases []string // other names that find it

	Layers       int // num_hidden_layers
	Hidden       int // hidden_size
	Heads        int // num_attention_heads
	KVHeads      int // num_key_value_heads
	HeadDim      int // head_dim, or hidden_size / num_attention_heads
	Intermediate int // intermediate_size; of one expert with MoE
	Vocab        int // vocab_size
	Context      int // max_position_embeddings

	TiedEmbeddings bool // the output projection is the embedding table
	QKVBias        bool // biases on the query, key and value projections
	QKNorm         bool // RMS norm of queries and keys, one weight per head dimension
	SandwichNorms  bool // four norms a layer in place of two

	Experts       int // MoE: experts a layer; 0 for a dense model
	ActiveExperts int // MoE: experts that one token visits

	Source string // URL of config.json
	Date   string // when it was read, YYYY-MM-DD
}

// attention is the number of attention parameters in one layer.
func (a Arch) attention() int64 {
	h, d := int64(a.Hidden), int64(a.HeadDim)
	q, kv := int64(a.Heads)*d, int64(a.KVHeads)*d
	n := h*q + 2*h*kv + q*h
	if a.QKVBias {
		n += q + 2*kv
	}
	if a.QKNorm {
		n += 2 * d
	}
	return n
}

// mlp is the number of MLP parameters in one layer when a token visits that
// many experts (dense: 1), with the router.
func (a Arch) mlp(experts int) int64 {
	n := int64(experts) * 3 * int64(a.Hidden) * int64(a.Intermediate)
	if a.Experts > 0 {
		n += int64(a.Hidden) * int64(a.Experts)
	}
	return n
}

func (a Arch) norms() int64 {
	if a.SandwichNorms {
		return 4 * int64(a.Hidden)
	}
	return 2 * int64(a.Hidden)
}

// embedding is the size of the embedding table; the output projection has the same.
func (a Arch) embedding() int64 { return int64(a.Vocab) * int64(a.Hidden) }

func (a Arch) body(experts int) int64 {
	return int64(a.Layers)*(a.attention()+a.mlp(experts)+a.norms()) + int64(a.Hidden)
}

// Parameters is the number of weights stored.
func (a Arch) Parameters() int64 {
	n := a.body(max(a.Experts, 1)) + a.embedding()
	if !a.TiedEmbeddings {
		n += a.embedding()
	}
	return n
}

// ActiveParameters is the number of weights that take part in one token's
// matrix products: without the embedding look-up, with the output projection.
func (a Arch) ActiveParameters() int64 {
	return a.body(max(a.ActiveExperts, 1)) + a.embedding()
}

// WeightBytes is the size of all weights at a width in bytes (2 for BF16, 1 for FP8).
func (a Arch) WeightBytes(width float64) int64 { return int64(float64(a.Parameters()) * width) }

// ReadBytes is what a forward pass over that many tokens reads of the weights:
// all that is active, and for MoE the experts that at least one token visits
// when each token picks its experts evenly at random.
func (a Arch) ReadBytes(tokens int, width float64) float64 {
	experts := 1.0
	if a.Experts > 0 {
		experts = float64(a.Experts) * (1 - pow(1-float64(a.ActiveExperts)/float64(a.Experts), tokens))
	}
	one := float64(a.mlp(1) - a.mlp(0))
	rest := float64(a.body(0) + a.embedding())
	return (rest + float64(a.Layers)*experts*one) * width
}

func pow(x float64, n int) float64 {
	y := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			y *= x
		}
		x *= x
	}
	return y
}

// KVBytesPerToken is the size of one token's keys and values over all layers
// at a width in bytes (2 for BF16, 1 for FP8).
func (a Arch) KVBytesPerToken(width float64) int64 {
	return int64(2 * float64(a.Layers*a.KVHeads*a.HeadDim) * width)
}

// FLOPsPerToken is the work of the matrix products for one token, without
// attention over its context and without the output projection.
func (a Arch) FLOPsPerToken() float64 { return 2 * float64(a.body(max(a.ActiveExperts, 1))) }

// HeadFLOPs is the work of the output projection, for each position sampled.
func (a Arch) HeadFLOPs() float64 { return 2 * float64(a.embedding()) }

// AttentionFLOPs is the work of attention when n new tokens follow a context
// of that many tokens: QKᵀ and PV, causal.
func (a Arch) AttentionFLOPs(context, n int) float64 {
	pairs := float64(n)*float64(context) + float64(n)*float64(n+1)/2
	return 4 * float64(a.Layers*a.Heads*a.HeadDim) * pairs
}
