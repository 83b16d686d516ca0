package train

import "assay/internal/model"

// activationBytes is what the forward pass keeps of one token in one layer for the
// backward pass, in bytes at 16 bits, as Korthikanti et al. (2022, section 4.1)
// count it for GPT, here without dropout, with FlashAttention (no matrix of scores),
// and for any head counts, gated MLPs and experts.
func activationBytes(a model.Arch, l model.Layer, r Recompute) float64 {
	h := float64(a.Hidden)
	if r == FullRecompute {
		return 2 * h // the layer's input
	}
	q, kv, out := attentionWidths(l.Attention)
	products, nonlinear, input := mlpWidths(h, l.MLP)
	state := float64(0)
	if l.State.Kind != "" {
		state = 10 * h // an estimate: inputs, gates, convolution and output of a mixer up to twice as wide as the model
	}
	if r == Selective {
		// What torch's selective checkpointing keeps: inputs, the output of
		// attention, and every other matrix product.
		return 2 * (h + out + (q+kv+h+products+h)/2 + state)
	}
	norms := 2*h + h + input // inputs of both norms and of the products after them
	return 2 * (norms + q + kv + out + products + nonlinear + state)
}

// attentionWidths are the elements of a token's queries, keys with values, and
// output before its projection.
func attentionWidths(t model.Attention) (q, kv, out float64) {
	value := t.ValueDim
	if value == 0 {
		value = t.HeadDim
	}
	q, out = float64(t.Heads*t.HeadDim), float64(t.Heads*value)
	switch {
	case t.Kind == model.NoAttention:
		return 0, 0, 0
	case t.Shared:
		return q, 0, out
	case t.Kind == model.Latent: // the latent, and keys and values made from it for each head
		return q + float64(t.QueryRank), float64(t.LatentRank+t.RopeDim) + q + out, out
	}
	return q, float64(t.KVHeads * (t.HeadDim + value)), out
}

// mlpWidths are the elements of a token's products into the MLP (gate and up), of
// the nonlinearity's output and the gated product, and of inputs to the first
// products: routed tokens are copied for each expert that they visit.
func mlpWidths(h float64, m model.MLP) (products, nonlinear, input float64) {
	wide := float64(m.SharedIntermediate + m.ActiveExperts*m.ExpertIntermediate)
	input = float64(m.ActiveExperts) * h
	if m.Experts == 0 || m.Intermediate > 0 {
		wide += float64(m.Intermediate)
	}
	if m.Experts == 0 || m.SharedIntermediate > 0 || m.Intermediate > 0 {
		input += h
	}
	if m.Matrices == 3 {
		return 2 * wide, 2 * wide, input
	}
	return wide, wide, input
}
