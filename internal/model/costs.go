package model

// Costs are what passes of a model cost, summed once so that a step may ask each
// time: over the whole model, before any is divided over GPUs.
type Costs struct {
	Dense   float64       // bytes of weights that every pass reads
	Experts []ExpertCosts // of the layers that have experts
	Token   float64       // FLOPs of a token's matrix products, without the output projection
	Head    float64       // FLOPs of the output projection, for each position sampled
	State   float64       // bytes of recurrent state of one sequence, read and written at each token

	attention []attentionCosts
	written   float64 // elements of keys and values that a token adds
	indexed   float64 // bytes that a token adds to the indexers' caches
}

// ExpertCosts are of equal layers of experts.
type ExpertCosts struct {
	Layers  int
	Experts int
	Active  int     // that one token visits
	Bytes   float64 // of one expert of one layer
	FLOPs   float64 // of one token in one expert
}

// attentionCosts are of equal layers of attention.
type attentionCosts struct {
	layers int
	Attention
}

// Costs sums up the model with its weights in a format.
func (a Arch) Costs(f Format) Costs {
	c := Costs{Token: a.FLOPsPerToken(), Head: a.HeadFLOPs()}
	for p, n := range a.active() {
		if Part(p) != Expert {
			c.Dense += float64(n) * f.Width(Part(p))
		}
	}
	for _, l := range a.Layers {
		c.addExperts(l.MLP, a.Hidden, f)
		c.addAttention(l.Attention)
		c.State += 2 * l.State.Bytes(2)
	}
	return c
}

func (c *Costs) addExperts(m MLP, hidden int, f Format) {
	if m.Experts == 0 {
		return
	}
	n := float64(m.expert(hidden))
	x := ExpertCosts{Experts: m.Experts, Active: m.ActiveExperts, Bytes: n * f.Width(Expert), FLOPs: 2 * n}
	for i := range c.Experts {
		y := x
		y.Layers = c.Experts[i].Layers
		if c.Experts[i] == y {
			c.Experts[i].Layers++
			return
		}
	}
	x.Layers = 1
	c.Experts = append(c.Experts, x)
}

func (c *Costs) addAttention(t Attention) {
	if t.Kind == NoAttention {
		return
	}
	c.written += t.elements()
	c.indexed += float64(t.Indexer.CacheBytes) * t.entries()
	t.Parameters, t.Indexer.Parameters = 0, 0 // layers that differ in these alone cost the same
	for i := range c.attention {
		if c.attention[i].Attention == t {
			c.attention[i].layers++
			return
		}
	}
	c.attention = append(c.attention, attentionCosts{1, t})
}

// ReadBytes is what a pass over that many tokens reads of the weights: all that
// every pass reads, and of the experts those that at least one token visits when
// each token picks its experts evenly at random.
func (c Costs) ReadBytes(tokens int) float64 {
	total := c.Dense
	for _, x := range c.Experts {
		total += float64(x.Layers) * x.Visited(tokens) * x.Bytes
	}
	return total
}

// Visited is how many experts of a layer at least one of these tokens visits,
// expected: E(1-(1-k/E)^n).
func (x ExpertCosts) Visited(tokens int) float64 {
	return float64(x.Experts) * (1 - pow(1-float64(x.Active)/float64(x.Experts), tokens))
}

// AttentionFLOPs is the work of attention when n new tokens follow a context of
// that many: QKᵀ and PV, causal, each layer over what it may read.
func (c Costs) AttentionFLOPs(context, n int) float64 {
	total := 0.0
	for i := range c.attention {
		total += float64(c.attention[i].layers) * c.attention[i].flops(context, n)
	}
	return total
}

// KVReadBytes is what one decode step of one sequence reads of the keys and
// values of its context at a width in bytes: each layer what it may reach, with
// the indexers' scan of the whole context.
func (c Costs) KVReadBytes(context int, width float64) float64 {
	total := 0.0
	for i := range c.attention {
		t := &c.attention[i]
		total += float64(t.layers) * (t.pairs(context, 1)*float64(t.kept())*width + float64(context+1)*t.entries()*float64(t.Indexer.CacheBytes))
	}
	return total
}

// KVWriteBytes is what one token adds to the cache.
func (c Costs) KVWriteBytes(width float64) float64 { return c.written*width + c.indexed }

// Bytes is the size of one sequence's state, with elements of that width where
// they are not kept in float32.
func (s State) Bytes(width float64) float64 {
	recurrent := width
	if s.RecurrentF32 {
		recurrent = 4
	}
	return float64(s.Conv)*width + float64(s.Recurrent)*recurrent
}

// StateBytes is the recurrent state of one sequence over all layers.
func (a Arch) StateBytes(width float64) float64 {
	total := 0.0
	for _, l := range a.Layers {
		total += l.State.Bytes(width)
	}
	return total
}

// flops is the work of n queries of one layer after that context.
func (t Attention) flops(context, n int) float64 {
	pairs := t.pairs(context, n)
	total := 2 * float64(t.Heads) * float64(t.HeadDim+t.value()) * pairs
	if t.Kind == Latent {
		total = t.latentFLOPs(context, n, pairs)
	}
	if x := t.Indexer; x.TopK > 0 {
		total += 2 * float64(x.Heads*x.HeadDim) * all(context, n) * t.entries()
	}
	return total
}

// latentFLOPs is the cheaper of the two forms of MLA, as engines choose: over the
// latents themselves (decode), or over heads expanded from the context's latents
// (prefill), whose expansion is work of its own. That of the new tokens' latents
// is among the projections.
func (t Attention) latentFLOPs(context, n int, pairs float64) float64 {
	heads, rank := float64(t.Heads), float64(t.LatentRank)
	absorbed := 2 * heads * (2*rank + float64(t.RopeDim)) * pairs
	read := float64(min(context, t.reach(context+n)))
	expanded := 2*heads*float64(t.HeadDim+t.value())*pairs + 2*read*rank*heads*float64(t.HeadDim-t.RopeDim+t.value())
	return min(absorbed, expanded)
}

func (t Attention) value() int {
	if t.ValueDim == 0 {
		return t.HeadDim
	}
	return t.ValueDim
}

// reach is how many tokens a query may read of that many.
func (t Attention) reach(tokens int) int {
	switch {
	case t.Kind == Sliding || t.Kind == Cross:
		return min(tokens, t.Window)
	case t.Indexer.TopK > 0:
		return min(tokens, t.Indexer.TopK)
	}
	return tokens
}

// all is the pairs of n causal queries after a context, and every key before them.
func all(context, n int) float64 {
	return float64(n)*float64(context) + float64(n)*float64(n+1)/2
}

// pairs counts the keys that n new queries after that context read.
func (t Attention) pairs(context, n int) float64 {
	switch t.Kind {
	case NoAttention:
		return 0
	case Cross:
		return float64(n) * float64(t.Window)
	case Compressed:
		window := Attention{Kind: Sliding, Window: t.Window}.pairs(context, n)
		if t.Compress == 0 {
			return window
		}
		// Of what the indexer picks of all entries, or all of them.
		whole := Attention{Kind: Full, Indexer: Indexer{TopK: t.Indexer.TopK * t.Compress}}
		return window + whole.pairs(context, n)/float64(t.Compress)
	case Chunked:
		return chunked(context+n, t.Window) - chunked(context, t.Window)
	}
	reach := t.reach(maxTokens)
	if context+n <= reach {
		return all(context, n)
	}
	short := max(0, min(reach-context, n)) // queries that still read all before them
	return all(context, short) + float64(n-short)*float64(reach)
}

// chunked is the pairs of the first n queries when each reads its own chunk.
func chunked(n, chunk int) float64 {
	if chunk <= 0 {
		return all(0, n)
	}
	whole, rest := float64(n/chunk), n%chunk
	return whole*all(0, chunk) + all(0, rest)
}
