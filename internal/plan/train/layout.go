package train

import (
	"fmt"
	"strings"
)

// Method is what is trained.
type Method string

// Methods.
const (
	Full  Method = "full"  // all weights
	LoRA  Method = "lora"  // low-rank adapters beside frozen BF16 weights
	QLoRA Method = "qlora" // the same beside frozen NF4 weights
)

// Recompute is which activations are computed again in the backward pass instead of
// being kept: activation checkpointing.
type Recompute string

// Kinds of recomputation.
const (
	NoRecompute   Recompute = "none"
	Selective     Recompute = "selective" // norms, nonlinearities and every other product: cheap to repeat
	FullRecompute Recompute = "full"      // all but each layer's input
)

// Recomputes are all of them, the fastest first.
var Recomputes = []Recompute{NoRecompute, Selective, FullRecompute}

// Layout says how a model is spread over GPUs: DP × FSDP × TP × PP of them.
type Layout struct {
	DP   int `json:"dp"`   // copies, each with its share of the batch
	FSDP int `json:"fsdp"` // GPUs over which a copy's weights, gradients and optimizer are sharded, each with its share of the batch
	TP   int `json:"tp"`   // GPUs that share each matrix product, with sequence parallelism
	PP   int `json:"pp"`   // stages of layers
	EP   int `json:"ep"`   // GPUs, among those of DP and FSDP, over which experts are spread

	Interleave   int       `json:"interleave"`  // chunks of layers a stage holds (virtual stages)
	MicroBatch   int       `json:"micro_batch"` // sequences at once
	Accumulation int       `json:"accumulation"`
	Recompute    Recompute `json:"activation_checkpointing"`

	cp int // GPUs that share each sequence: of published runs, never planned
}

// GPUs is how many the layout takes.
func (l Layout) GPUs() int { return l.DP * l.FSDP * l.TP * l.PP * max(1, l.cp) }

// tokens of a micro-batch on one GPU.
func (l Layout) tokens(sequence int) float64 {
	return float64(l.MicroBatch) * float64(sequence) / float64(max(1, l.cp))
}

func (l Layout) String() string {
	parts := []string{}
	for _, p := range []struct {
		name string
		n    int
	}{{"dp", l.DP}, {"fsdp", l.FSDP}, {"tp", l.TP}, {"pp", l.PP}, {"ep", l.EP}} {
		if p.n > 1 {
			parts = append(parts, fmt.Sprintf("%s%d", p.name, p.n))
		}
	}
	if len(parts) == 0 {
		return "one GPU"
	}
	return strings.Join(parts, " ")
}
