package train

import (
	"math"

	"assay/internal/facts"
)

// Memory is what one GPU holds at the peak of a step, in bytes: of the stage that
// holds most.
type Memory struct {
	Weights     int64 `json:"weights_bytes"`     // as the passes use them, or their shard
	Gradients   int64 `json:"gradients_bytes"`   // FP32, of what is trained
	Optimizer   int64 `json:"optimizer_bytes"`   // its state, and the FP32 copy where weights are BF16
	Activations int64 `json:"activations_bytes"` // kept for the backward pass, of all micro-batches at work
	Logits      int64 `json:"logits_bytes"`      // of the output and its loss
	Gather      int64 `json:"gather_bytes"`      // FSDP's: layers put together from their shards
	Overhead    int64 `json:"overhead_bytes"`    // CUDA context, NCCL's buffers, fragmentation
	Total       int64 `json:"total_bytes"`
	Usable      int64 `json:"usable_bytes"`
}

// Fits says whether the GPU holds it.
func (m Memory) Fits() bool { return m.Total <= m.Usable }

// Constants of memory.
const (
	nf4 = 4.127 / 8 // bytes of a QLoRA weight: 4 bits, 8 for a scale of each 64, 32 for one of each 256 of those

	// PyTorch's cross entropy over all logits at once: in BF16, in FP32, their gradient.
	logitBytes = 2 + 4 + 4
	// Chunked or fused losses hold one chunk in 8 at a time.
	lossChunks = 8

	contextBytes  = 2 * facts.GiB // CUDA context and libraries, NCCL's buffers: 1 to 3 GiB
	fragmentation = 0.05          // of what comes and goes in a step
)

// adapter weights, gradients and optimizer are kept in FP32.
const adapterWeight = 4

// sizing is what of a request decides memory and time whatever the layout.
type sizing struct {
	work
	method    Method
	precision string // bf16, fp8
	optimizer Optimizer
	adapters  int64 // parameters
	chunked   bool  // the loss is computed in chunks
}

// stage are the parameters of the fullest pipeline stage on one of its GPUs.
func (s sizing) stage(l Layout) (dense, expert float64) {
	share := math.Ceil(float64(s.layers)/float64(l.PP)) / float64(s.layers)
	ends := float64(s.embedding + s.output)
	if l.PP > 1 { // the first stage holds the embedding, the last one the output
		ends = float64(max(s.embedding, s.output))
	}
	dense = (float64(s.layer)*share + ends + float64(s.other)) / float64(l.TP)
	expert = float64(s.expert) * share / float64(l.TP*max(1, l.EP))
	return dense, expert
}

// memory of one GPU under a layout.
func (s sizing) memory(l Layout, usable int64) Memory {
	var m [6]float64
	if s.method == Full {
		m[0], m[1], m[2], m[5] = s.trained(l)
	} else {
		m[0], m[1], m[2], m[5] = s.frozen(l)
	}
	m[3], m[4] = s.working(l)
	passing := m[3] + m[4] + m[5]
	out := Memory{
		Weights: int64(m[0]), Gradients: int64(m[1]), Optimizer: int64(m[2]), Activations: int64(m[3]), Logits: int64(m[4]), Gather: int64(m[5]),
		Overhead: contextBytes + int64(fragmentation*passing), Usable: usable,
	}
	out.Total = out.Weights + out.Gradients + out.Optimizer + out.Activations + out.Logits + out.Gather + out.Overhead
	return out
}

// trained is the memory of weights that are all trained. With FSDP they are kept in
// FP32 shards and put together in BF16 layer by layer; without it in BF16 whole,
// beside FP32 gradients, and their optimizer is sharded over the copies (ZeRO-1).
func (s sizing) trained(l Layout) (weights, gradients, optimizer, gather float64) {
	dense, expert := s.stage(l)
	if l.FSDP == 1 {
		copies := float64(l.DP)
		expertCopies := math.Max(1, copies/float64(max(1, l.EP)))
		state := (4 + s.optimizer.State) * (dense/copies + expert/expertCopies)
		return 2 * (dense + expert), 4 * (dense + expert), state, 0
	}
	own := dense/float64(l.FSDP) + expert/math.Max(1, float64(l.FSDP)/float64(max(1, l.EP)))
	return 4 * own, 4 * own, s.optimizer.State * own, s.gathered(l, 3, 2)
}

// gathered is FSDP's buffers: layers in use, the next one and a gradient on its way,
// and the embedding and output, at that many bytes.
func (s sizing) gathered(l Layout, layers, width float64) float64 {
	unit := float64(s.perLayer) + float64(s.largestExpert)/float64(max(1, l.EP))
	return width * (layers*unit + float64(max(s.embedding, s.output))) / float64(l.TP)
}

// frozen is the memory of adapters beside weights that are not trained.
func (s sizing) frozen(l Layout) (weights, gradients, optimizer, gather float64) {
	dense, expert := s.stage(l)
	adapters := float64(s.adapters) / float64(l.PP*l.TP*l.FSDP)
	weights = s.frozenBytes(dense, expert, l)/float64(l.FSDP) + adapterWeight*adapters
	if l.FSDP > 1 {
		gather = s.gathered(l, 2, 2)
	} else if s.method == QLoRA {
		gather = 2 * float64(s.matrix) / float64(l.TP) // a matrix unpacked
	}
	return weights, 4 * adapters, s.optimizer.State * adapters, gather
}

// frozenBytes is the size of a stage's frozen weights: in BF16, or in NF4 but for
// the embedding, the output and what stands outside the layers.
func (s sizing) frozenBytes(dense, expert float64, l Layout) float64 {
	if s.method != QLoRA {
		return 2 * (dense + expert)
	}
	ends := float64(s.embedding + s.output)
	if l.PP > 1 {
		ends = float64(max(s.embedding, s.output))
	}
	wide := (ends + float64(s.other)) / float64(l.TP)
	return nf4*(dense-wide+expert) + 2*wide
}

// working are the activations and the logits of the stage where both together are
// most. The first stage keeps as many micro-batches as there are stages (1F1B), the
// last one keeps one and computes the loss.
func (s sizing) working(l Layout) (activations, logits float64) {
	tokens := l.tokens(s.sequence) / float64(l.TP)
	each := s.stored[l.Recompute] * math.Ceil(float64(s.layers)/float64(l.PP)) / float64(s.layers)
	once := s.hidden // the embedding's output
	if l.Recompute != NoRecompute {
		once += s.within // a layer whole, while it is computed again
	}
	flight := float64(min(l.PP, max(1, l.Accumulation)))
	logits = tokens * float64(s.arch.Vocab) * logitBytes
	if s.chunked {
		logits /= lossChunks
	}
	first, last := tokens*(each*flight+once), tokens*(each+once)
	if l.PP > 1 && first > last+logits {
		return first, 0
	}
	return last, logits
}

// state is what a checkpoint holds, in bytes: weights in FP32 and the optimizer's
// state of all that is trained.
func (s sizing) state() int64 {
	n := float64(s.adapters)
	if s.method == Full {
		n = float64(s.layer + s.expert + s.embedding + s.output + s.other)
	}
	return int64((4 + s.optimizer.State) * n)
}
