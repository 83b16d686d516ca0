package model

import "fmt"

// mixture describes a mixture of experts by the names of its fields.
type mixture struct {
	experts      string // the field with their number
	active       string // and that with how many a token visits
	intermediate string // and that with the size of one; empty: intermediate_size
	shared       string // the field with the number of shared experts
	sharedSize   string // or that with their size together
	sharedGate   bool   // the shared expert has a gate of its own, a vector
	routerBias   bool   // a parameter for each expert: a bias, or that of balancing
	bias         bool   // experts have biases
	dense        func(b *build, i int) bool
}

func (x mixture) mlp(b *build, i int) MLP {
	if x.dense != nil && x.dense(b, i) {
		return MLP{Matrices: 3, Intermediate: b.needed("intermediate_size", maxSize)}
	}
	size := "intermediate_size"
	if x.intermediate != "" {
		size = x.intermediate
	}
	m := MLP{
		Matrices: 3, Experts: b.needed(x.experts, maxExperts), ActiveExperts: b.needed(x.active, maxExperts),
		ExpertIntermediate: b.needed(size, maxSize), Bias: x.bias,
	}
	m.RouterParameters = int64(b.hidden) * int64(m.Experts)
	if x.routerBias {
		m.RouterParameters += int64(m.Experts)
	}
	if x.shared != "" {
		m.SharedIntermediate = b.optional(x.shared, 0, maxExperts) * m.ExpertIntermediate
	}
	if x.sharedSize != "" {
		m.SharedIntermediate = b.optional(x.sharedSize, 0, maxSize)
	}
	if x.sharedGate && m.SharedIntermediate > 0 {
		m.RouterParameters += int64(b.hidden)
	}
	if m.ActiveExperts > m.Experts {
		b.fail(fmt.Errorf("config.json: %s is %d, of %d experts", b.name(x.active), m.ActiveExperts, m.Experts))
		m.ActiveExperts = m.Experts
	}
	return m
}

// denseByType reads mlp_layer_types, which newer files list; not known where there is none.
func denseByType(b *build, i int) (dense, known bool) {
	if i >= len(b.mlpTypes) {
		return false, false
	}
	if t := b.mlpTypes[i]; t != "dense" && t != "sparse" {
		b.fail(&UnknownError{What: "layer", Name: t})
	}
	return b.mlpTypes[i] == "dense", true
}

// firstDense says that the first layers are dense, and of the rest each
// moe_layer_freq-th has experts.
func firstDense(b *build, i int) bool {
	if dense, known := denseByType(b, i); known {
		return dense
	}
	first := b.optional(b.first("first_k_dense_replace", "num_dense_layers"), 0, maxLayers)
	freq := max(b.optional("moe_layer_freq", 1, maxLayers), 1)
	return i < first || i%freq != 0
}

// sparseStep is Qwen's rule: mlp_only_layers are dense, and of the rest each
// decoder_sparse_step-th has experts.
func sparseStep(b *build, i int) bool {
	step := max(b.optional("decoder_sparse_step", 1, maxLayers), 1)
	return b.mlpOnly[i] || (i+1)%step != 0
}
