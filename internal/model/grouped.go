package model

import "fmt"

// grouped describes a transformer of grouped-query attention and MLPs by what sets
// its family apart from Llama: no biases, two norms a layer, an MLP with a gate.
type grouped struct {
	tied      bool   // tie_word_embeddings, where the file does not say
	bias      string // the field that gives q, k, v and o their biases
	qkvBias   bool   // q, k and v have biases whatever the file says
	qkvField  string // the field that gives q, k and v theirs
	outBias   bool   // o has a bias whatever the file says
	outField  string // the field that gives o its own
	biased    bool   // what those fields say where they are absent
	gated     bool   // queries come with a gate of their size for the output
	mlpBias   string // the field that gives the MLP's matrices theirs
	ungated   bool   // two matrices
	qkNorm    qkNorm
	normField string // the field that says that queries and keys are normalised
	normWhole bool   // over all heads, where that field says so
	headBias  bool   // the output projection has biases
	parallel  string // the field that says that attention and MLP share one norm
	norms     int    // of hidden_size each; 0: 2
	normBias  bool   // norms of weight and bias
	sinks     bool   // one parameter a head

	reach func(b *build, i int) (AttentionKind, int) // nil: uniformReach
	mlp   func(b *build, i int) MLP                  // nil: dense
}

// qkNorm is over what queries and keys are normalised.
type qkNorm int

const (
	noQKNorm    qkNorm = iota
	headQKNorm         // one vector of head_dim each, shared by the heads
	wholeQKNorm        // over all heads
)

func (g grouped) rule() rule {
	return rule{tied: g.tied, layers: func(b *build) {
		b.readHeads()
		for i := range b.count {
			b.arch.Layers = append(b.arch.Layers, g.layer(b, i))
		}
		if g.normBias {
			b.arch.Outside.Norm *= 2
		}
		if g.headBias {
			b.arch.Outside.Norm += int64(b.arch.Vocab)
		}
		b.draft()
	}}
}

func (g grouped) layer(b *build, i int) Layer {
	norms := 2
	if g.norms > 0 {
		norms = g.norms
	}
	if g.parallel != "" && b.flag(g.parallel, false) {
		norms = 1
	}
	if g.normBias {
		norms *= 2
	}
	l := Layer{Attention: g.attention(b, i), Norm: int64(norms) * int64(b.hidden)}
	if g.mlp != nil {
		l.MLP = g.mlp(b, i)
	} else {
		l.MLP = g.dense(b)
	}
	return l
}

func (g grouped) attention(b *build, i int) Attention {
	t := b.attention()
	both := g.bias != "" && b.flag(g.bias, g.biased)
	if g.qkvBias || both || g.qkvField != "" && b.flag(g.qkvField, g.biased) {
		t.Bias = true
		t.Parameters += t.queries() + 2*t.keys()
	}
	if g.outBias || both || g.outField != "" && b.flag(g.outField, false) {
		t.Parameters += int64(b.hidden)
	}
	if g.gated {
		t.Parameters += int64(b.hidden) * t.queries()
	}
	t.normQK(g.qkNorm)
	if g.normField != "" && b.flag(g.normField, false) {
		norm := headQKNorm
		if g.normWhole {
			norm = wholeQKNorm
		}
		t.normQK(norm)
	}
	if g.sinks {
		t.Parameters += int64(t.Heads)
	}
	reach := uniformReach
	if g.reach != nil {
		reach = g.reach
	}
	t.Kind, t.Window = reach(b, i)
	return t
}

func (g grouped) dense(b *build) MLP {
	m := MLP{Matrices: 3, Intermediate: b.needed(b.first("intermediate_size", "ffn_hidden_size"), maxSize), Bias: g.mlpBias != "" && b.flag(g.mlpBias, g.biased)}
	if g.ungated {
		m.Matrices = 2
	}
	return m
}

// readHeads reads the heads of the model, the same in every layer.
func (b *build) readHeads() {
	b.heads = b.needed(b.first("num_attention_heads", "n_head"), maxHeads)
	b.kvHeads = b.optional("num_key_value_heads", b.heads, maxHeads)
	if b.kvHeads == 0 {
		b.kvHeads = b.heads
	}
	b.headDim = b.optional("head_dim", 0, maxHeadDim)
	if b.headDim == 0 {
		b.headDim = b.hidden / b.heads
	}
	if b.heads%b.kvHeads != 0 {
		b.fail(fmt.Errorf("config.json: num_attention_heads %d is not a multiple of num_key_value_heads %d", b.heads, b.kvHeads))
	}
	b.window = b.optional("sliding_window", 0, maxTokens)
}

// attention is grouped-query attention with the model's heads, without biases and norms.
func (b *build) attention() Attention {
	if b.headDim*b.heads != b.hidden && !b.has("head_dim") {
		b.fail(fmt.Errorf("config.json: hidden_size %d is not a multiple of num_attention_heads %d, and there is no head_dim", b.hidden, b.heads))
	}
	t := Attention{Kind: Full, Heads: b.heads, KVHeads: b.kvHeads, HeadDim: b.headDim}
	t.Parameters = 2 * int64(b.hidden) * (t.queries() + t.keys())
	return t
}

func (t Attention) queries() int64 { return int64(t.Heads) * int64(t.HeadDim) }
func (t Attention) keys() int64    { return int64(t.KVHeads) * int64(t.HeadDim) }

func (t *Attention) normQK(n qkNorm) {
	switch n {
	case headQKNorm:
		t.QKNorm = true
		t.Parameters += 2 * int64(t.HeadDim)
	case wholeQKNorm:
		t.QKNorm = true
		t.Parameters += t.queries() + t.keys()
	}
}

// uniformReach is that of layer_types where the file lists them; else every
// layer slides where the file has a window.
func uniformReach(b *build, i int) (AttentionKind, int) {
	if b.types != nil {
		return b.typed(i)
	}
	if b.window > 0 {
		return Sliding, b.window
	}
	return Full, 0
}

// fullReach is that of families whose sliding_window stands unused.
func fullReach(b *build, i int) (AttentionKind, int) { return Full, 0 }

// everyNth slides in all layers but each nth, where the file lists no layer_types.
func everyNth(n int) func(*build, int) (AttentionKind, int) {
	return func(b *build, i int) (AttentionKind, int) {
		n := b.optional(b.first("sliding_window_pattern", "_sliding_window_pattern"), n, maxLayers)
		if b.types == nil && (n == 0 || (i+1)%n == 0) {
			return Full, 0
		}
		return uniformReach(b, i)
	}
}

// typed is the reach that layer_types gives a layer.
func (b *build) typed(i int) (AttentionKind, int) {
	switch t := b.types[i]; t {
	case "full_attention", "attention", "global":
		return Full, 0
	case "sliding_attention", "sliding_window_attention", "local":
		if b.window == 0 {
			b.fail(fmt.Errorf("config.json: layer %d is of sliding attention, but there is no sliding_window", i))
		}
		return Sliding, b.window
	case "chunked_attention":
		return Chunked, b.needed("attention_chunk_size", maxTokens)
	default:
		b.fail(&UnknownError{What: "attention", Name: t})
		return Full, 0
	}
}
