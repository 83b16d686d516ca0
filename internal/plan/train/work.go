package train

import "assay/internal/model"

// work is what one token costs, of a model at a sequence length, and what of the
// model one GPU may have to hold. It is worked out once and used for each layout.
type work struct {
	arch     model.Arch
	sequence int
	layers   int

	// Forward FLOPs of one token.
	linear    float64 // matrix products but the output projection
	head      float64
	attention float64 // over a causal context, averaged over the sequence

	// Parameters.
	layer, expert int64 // of all layers: outside routed experts, and in them
	embedding     int64
	output        int64 // the output projection where it is not the embedding
	other         int64 // final norm, vision towers
	perLayer      int64 // of a layer without its experts, on average
	largestExpert int64 // of the experts of the layer that has most
	matrix        int64 // of the largest single matrix of a layer

	experts, visited, expertLayers int // routed experts of a layer, those a token visits, layers with experts

	stored map[Recompute]float64 // bytes of activations kept for a token, over all layers
	within float64               // bytes of the fullest layer's activations for a token
	hidden float64               // bytes of one hidden vector
}

func workOf(a model.Arch, sequence int) work {
	counts := a.Counts()
	w := work{
		arch: a, sequence: sequence, layers: len(a.Layers),
		linear: a.FLOPsPerToken(), head: a.HeadFLOPs(),
		attention: a.AttentionFLOPs(0, sequence) / float64(sequence),
		expert:    counts[model.Expert],
		embedding: counts[model.Embedding], output: counts[model.Head],
		other:  a.Outside.Norm + counts[model.Vision],
		hidden: 2 * float64(a.Hidden),
		stored: map[Recompute]float64{},
	}
	w.layer = counts.Total() - w.expert - w.embedding - w.output - w.other
	for _, l := range a.Layers {
		experts := int64(0)
		if m := l.MLP; m.Experts > 0 {
			w.experts, w.visited = max(w.experts, m.Experts), max(w.visited, m.ActiveExperts)
			w.expertLayers++
			experts = int64(m.Experts) * int64(m.Matrices) * int64(a.Hidden) * int64(m.ExpertIntermediate)
		}
		w.largestExpert = max(w.largestExpert, experts)
		for _, r := range Recomputes {
			w.stored[r] += activationBytes(a, l, r)
		}
		w.matrix = max(w.matrix, int64(a.Hidden)*int64(max(l.MLP.Intermediate, l.MLP.ExpertIntermediate, l.MLP.SharedIntermediate, l.Attention.Heads*l.Attention.HeadDim)))
		w.within = max(w.within, activationBytes(a, l, NoRecompute))
	}
	if w.layers > 0 {
		w.perLayer = w.layer / int64(w.layers)
	}
	return w
}

// forward is the FLOPs of a token's forward pass: what is done in the precision of
// the run, and what stays in BF16 whatever it is.
func (w work) forward() (linear, bf16 float64) { return w.linear, w.head + w.attention }

// passes is how many forward passes' worth of work a step does for each token: the
// backward pass computes gradients of inputs and of weights, those of frozen
// weights are left out, and full recomputation runs the forward pass once more.
func passes(m Method, r Recompute) float64 {
	n := 3.0
	if m != Full {
		n = 2
	}
	if r == FullRecompute {
		n++
	}
	return n
}

// modelFLOPs is the work of one token that MFU counts: without recomputation.
func (w work) modelFLOPs(m Method) float64 {
	linear, bf16 := w.forward()
	return passes(m, NoRecompute) * (linear + bf16)
}
