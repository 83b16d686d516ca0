package memory

import (
	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/model"
)

// What a rank needs beside weights and KV cache. Each is an estimate with a
// range; the constants are fitted on what vLLM's own logs say (testdata/logs.csv).
const (
	// sortedLogits is the bytes of each logit while V1's sampler holds them: in 16
	// bits, in float32, sorted with 8-byte indices, their probabilities and sums.
	sortedLogits = 36.6
	// leanLogits is the same without sorted copies.
	leanLogits = 10.0

	activationBase = 0.36 * facts.GiB
	aloneOther     = 0.15 * facts.GiB // of CUDA libraries, outside of torch
	groupOther     = 0.60 * facts.GiB // with NCCL's buffers and those of custom all-reduce
)

// activation is the peak of a forward pass over all batched tokens, or of sampling
// after it, whichever is more.
func (c Config) activation(s stage) figure.Range {
	forward := float64(c.MaxBatchedTokens) * c.tokenBytes(s)
	sample := 0.0
	if s.end == s.total {
		logit := sortedLogits
		if c.lean() {
			logit = leanLogits
		}
		sample = float64(c.MaxNumSeqs) * float64(c.Model.Vocab) * logit
	}
	mid := max(forward, sample) + activationBase
	return figure.Range{Low: 0.6 * mid, Mid: mid, High: 1.5 * mid}
}

// lean says whether logits are sampled without sorted copies.
func (c Config) lean() bool {
	return c.Engine.Name != "vllm" || c.Engine.since(firstLeanAll) || c.Engine.since(firstLeanDense) && c.dense()
}

func (c Config) dense() bool {
	for _, l := range c.Model.Layers {
		if l.MLP.Experts > 0 || l.State.Recurrent+l.State.Conv > 0 {
			return false
		}
	}
	return true
}

// tokenBytes is what one token needs at the widest place of a forward pass: its
// residual and hidden state, and the largest of a layer's inner widths, 16 bits each.
func (c Config) tokenBytes(s stage) float64 {
	inner, tp := 0.0, float64(c.TP)
	for _, l := range c.Model.Layers[s.first:s.end] {
		inner = max(inner, c.innerWidth(l, tp))
	}
	return 2 * (3*float64(c.Model.Hidden) + inner)
}

func (c Config) innerWidth(l model.Layer, tp float64) float64 {
	m := l.MLP
	dense := float64(m.Matrices) * float64(max(m.Intermediate, m.SharedIntermediate)) / tp
	if m.Experts == 0 {
		return dense
	}
	visits := float64(m.ActiveExperts)
	width := float64(m.Matrices)*float64(m.ExpertIntermediate)/tp + float64(c.Model.Hidden)
	return max(dense, visits*width)
}

// graphs is the memory of CUDA graphs, one for each size of batch that is captured.
func (c Config) graphs(s stage) figure.Range {
	if c.Engine.Name != "vllm" || !c.Engine.since(firstGraphEstimate) {
		return figure.Exactly(0) // they lie in what the utilisation leaves
	}
	sizes := captureSizes(c.MaxNumSeqs)
	layers := float64(s.end - s.first)
	mid := float64(sizes) * layers * graphBytes
	return figure.Range{Low: 0.3 * mid, Mid: mid, High: 3 * mid}
}

// graphBytes is of one layer in one captured size.
const graphBytes = 0.35 * (1 << 20)

// captureSizes is how many batch sizes vLLM captures: 1, 2, 4, each 8 up to 256,
// each 16 up to 512, or up to twice max_num_seqs (config/vllm.py).
func captureSizes(maxNumSeqs int) int {
	most := min(2*maxNumSeqs, 512)
	n := min(3, most)
	if most >= 8 {
		n += min(most, 255) / 8
	}
	if most >= 256 {
		n += (most-256)/16 + 1
	}
	return n
}

func (c Config) other() figure.Range {
	if c.TP*c.PP*c.DP > 1 {
		return figure.Range{Low: 0.4 * facts.GiB, Mid: groupOther, High: 1.2 * facts.GiB}
	}
	return figure.Range{Low: 0.05 * facts.GiB, Mid: aloneOther, High: 0.4 * facts.GiB}
}
