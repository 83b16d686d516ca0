package model

// Arch is the architecture of a decoder, layer by layer, in the terms of Hugging
// Face's config.json. Sizes are of the whole model, before any is divided over GPUs.
type Arch struct {
	Name    string   // short, such as llama-3.1-8b
	Repo    string   // on the Hugging Face hub
	Aliases []string // other names that find it
	Type    string   // model_type of config.json

	Hidden  int // hidden_size
	Vocab   int // vocab_size
	Context int // max_position_embeddings, after scaling of RoPE

	TiedEmbeddings bool    // the output projection is the embedding table
	Layers         []Layer // in order
	Outside        Outside // what stands beside the layers
	Format         Format  // how the weights are stored; the zero Format is BF16

	Source string // URL of config.json
	Date   string // when it was read, YYYY-MM-DD
}

// Outside is what a model holds beside its layers, embedding and output
// projection, in parameters.
type Outside struct {
	Norm   int64 // the final norm, those of embeddings
	Vision int64 // towers and projectors of images, audio
	Draft  int64 // multi-token-prediction layers, loaded only with speculative decoding
}

// Layer is one layer. It may hold attention, a recurrent state, or both.
type Layer struct {
	Attention Attention
	State     State
	MLP       MLP
	Norm      int64 // parameters of its norms
}

// AttentionKind is what of its context an attention reads and keeps.
type AttentionKind int

// Kinds of attention.
const (
	NoAttention AttentionKind = iota
	Full                      // all of it: MHA, GQA, MQA
	Sliding                   // the last Window tokens
	Chunked                   // of the chunk of Window tokens that holds the token
	Latent                    // MLA: one compressed vector a token
	Cross                     // over an encoder's output of Window tokens
	Compressed                // of the last Window tokens, and of one entry for each Compress tokens before
)

// Attention is the attention of one layer.
type Attention struct {
	Kind     AttentionKind
	Heads    int // num_attention_heads
	KVHeads  int // num_key_value_heads; 1 for Latent
	HeadDim  int // of a query and key, the rotated part with it
	ValueDim int // of a value; HeadDim where not said
	Window   int // tokens: of Sliding, Chunked, Cross, Compressed
	Compress int // tokens that one entry of Compressed stands for; 0: there are none

	LatentRank int // kv_lora_rank
	QueryRank  int // q_lora_rank; 0: queries are not compressed
	RopeDim    int // qk_rope_head_dim

	Shared  bool    // reads the keys and values of an earlier layer and keeps none
	Indexer Indexer // sparse attention's: which tokens of the context are read

	Bias, QKNorm bool
	Parameters   int64 // of its projections, biases, norms of queries and keys
}

// Indexer picks the TopK tokens, or entries, that a sparse attention reads. Zero:
// there is none.
type Indexer struct {
	Heads, HeadDim, TopK int
	CacheBytes           int   // kept for each token, or entry, of the context
	Parameters           int64 // beside those of the attention
}

// State is the recurrent state that linear attention and Mamba keep for each
// request, whatever its length. Zero: there is none.
type State struct {
	Kind         string // mamba, mamba2, gated-delta, kimi-delta, lightning, short-conv
	Conv         int64  // elements of the convolution's state
	Recurrent    int64  // elements of the recurrent state
	RecurrentF32 bool   // kept in float32 whatever the model's type
	Parameters   int64
	FLOPs        float64 // for a token, beside the matrix products
}

// MLP is the feed-forward part of one layer.
type MLP struct {
	Matrices     int // 3 with a gate, 2 without; 0: no MLP
	Intermediate int // of a dense MLP; 0 with experts alone
	Bias         bool

	Experts            int // routed experts; 0: dense
	ActiveExperts      int // that one token visits
	ExpertIntermediate int
	ExpertInput        int   // width that experts work in; 0: hidden_size
	SharedIntermediate int   // of all shared experts together, which every token visits
	RouterParameters   int64 // router, its biases, the shared expert's gate, projections into and out of ExpertInput
}

// Matrix products of one layer, in parameters.

// dense is the MLP that every token passes: of a dense layer or the shared experts.
func (m MLP) dense(hidden int) int64 {
	n := int64(m.Matrices) * int64(hidden) * int64(m.Intermediate)
	if m.Bias && m.Experts == 0 {
		n += int64(m.Matrices-1)*int64(m.Intermediate) + int64(hidden)
	}
	return n
}

func (m MLP) shared(hidden int) int64 {
	return int64(m.Matrices) * int64(hidden) * int64(m.SharedIntermediate)
}

func (m MLP) expert(hidden int) int64 {
	if m.ExpertInput > 0 {
		hidden = m.ExpertInput
	}
	n := int64(m.Matrices) * int64(hidden) * int64(m.ExpertIntermediate)
	if m.Bias {
		n += int64(m.Matrices-1)*int64(m.ExpertIntermediate) + int64(hidden)
	}
	return n
}

// Embedding is the size of the embedding table; the output projection has the same.
func (a Arch) Embedding() int64 { return int64(a.Vocab) * int64(a.Hidden) }

// Counts are parameters by part.
type Counts [parts]int64

// Total is the sum over all parts but draft layers.
func (c Counts) Total() (n int64) {
	for p, k := range c {
		if Part(p) != Draft {
			n += k
		}
	}
	return n
}

// Counts are the parameters stored, by part.
func (a Arch) Counts() Counts {
	c := Counts{Embedding: a.Embedding(), Norm: a.Outside.Norm, Vision: a.Outside.Vision, Draft: a.Outside.Draft}
	if !a.TiedEmbeddings {
		c[Head] = a.Embedding()
	}
	for _, l := range a.Layers {
		c[Projection] += l.Attention.Parameters
		c[Index] += l.Attention.Indexer.Parameters
		c[Recurrence] += l.State.Parameters
		c[Dense] += l.MLP.dense(a.Hidden)
		c[SharedExpert] += l.MLP.shared(a.Hidden)
		c[Expert] += int64(l.MLP.Experts) * l.MLP.expert(a.Hidden)
		c[Router] += l.MLP.RouterParameters
		c[Norm] += l.Norm
	}
	return c
}

// Parameters is the number of weights stored.
func (a Arch) Parameters() int64 { return a.Counts().Total() }

// active are the parameters of the matrix products of one token's pass.
func (a Arch) active() Counts {
	c := a.Counts()
	c[Embedding], c[Vision], c[Draft] = 0, 0, 0
	c[Head] = a.Embedding()
	c[Expert] = 0
	for _, l := range a.Layers {
		c[Expert] += int64(l.MLP.ActiveExperts) * l.MLP.expert(a.Hidden)
	}
	return c
}

// ActiveParameters is the number of weights that take part in one token's
// matrix products: without the embedding look-up, with the output projection.
func (a Arch) ActiveParameters() int64 { return a.active().Total() }

// WeightBytes is the size of all weights in a format.
func (a Arch) WeightBytes(f Format) int64 {
	total := 0.0
	for p, n := range a.Counts() {
		if Part(p) != Draft {
			total += float64(n) * f.Width(Part(p))
		}
	}
	return int64(total)
}

// ReadBytes is what a forward pass over that many tokens reads of the weights.
func (a Arch) ReadBytes(tokens int, f Format) float64 { return a.Costs(f).ReadBytes(tokens) }

// MoE says whether any layer has routed experts.
func (a Arch) MoE() bool {
	for _, l := range a.Layers {
		if l.MLP.Experts > 0 {
			return true
		}
	}
	return false
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

// Heads is the number of query heads of its widest attention; tensor parallelism
// divides them.
func (a Arch) Heads() int {
	n := 0
	for _, l := range a.Layers {
		n = max(n, l.Attention.Heads)
	}
	return n
}

// KVHeads is the number of key-value heads of its widest attention.
func (a Arch) KVHeads() int {
	n := 0
	for _, l := range a.Layers {
		n = max(n, l.Attention.KVHeads)
	}
	return n
}

// elements of keys and values that one token adds to a layer.
func (t Attention) elements() float64 {
	if t.Shared || t.Kind == Cross {
		return 0
	}
	return float64(t.kept()) * t.entries()
}

// entries is how many entries of the cache one token adds.
func (t Attention) entries() float64 {
	switch {
	case t.Kind != Compressed:
		return 1
	case t.Compress == 0:
		return 0
	}
	return 1 / float64(t.Compress)
}

// kept is the elements of keys and values of one token.
func (t Attention) kept() int {
	switch t.Kind {
	case NoAttention:
		return 0
	case Latent:
		return t.LatentRank + t.RopeDim
	case Compressed:
		return t.HeadDim // one vector is key and value
	}
	return t.KVHeads * (t.HeadDim + t.value())
}

// KVBytesPerToken is the size of one token's keys and values over all layers
// at a width in bytes (2 for BF16, 1 for FP8), while every window still holds it;
// of Compressed attention without its window of a few tokens.
func (a Arch) KVBytesPerToken(width float64) int64 {
	total := 0.0
	for _, l := range a.Layers {
		total += l.Attention.elements()*width + float64(l.Attention.Indexer.CacheBytes)*l.Attention.entries()
	}
	return int64(total)
}

// FLOPsPerToken is the work of the matrix products for one token, without
// attention over its context and without the output projection.
func (a Arch) FLOPsPerToken() float64 {
	flops := 2 * float64(a.ActiveParameters()-a.Embedding())
	for _, l := range a.Layers {
		flops += l.State.FLOPs
	}
	return flops
}

// HeadFLOPs is the work of the output projection, for each position sampled.
func (a Arch) HeadFLOPs() float64 { return 2 * float64(a.Embedding()) }

// AttentionFLOPs is the work of attention when n new tokens follow a context of
// that many.
func (a Arch) AttentionFLOPs(context, n int) float64 {
	return a.Costs(Format{}).AttentionFLOPs(context, n)
}
