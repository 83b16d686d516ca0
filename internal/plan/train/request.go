package train

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/model"
	"assay/internal/price"
)

// Request is what to train, and what it may run on. A degree of 0 is chosen.
type Request struct {
	Ref      string     // of a model, as checkpoint.Open reads it
	Model    model.Arch // instead of Ref
	Method   Method
	Tokens   float64
	Sequence int // tokens; 0: 4096, or the model's context where that is shorter

	GlobalBatch int // sequences a step; 0: by the number of tokens
	MicroBatch  int
	Precision   string    // bf16 or fp8
	Optimizer   string    // as OptimizerNamed knows it
	Recompute   Recompute // empty: chosen
	ChunkedLoss bool      // logits are never whole in memory

	DP, FSDP, TP, PP, EP int

	Adapters Adapters

	Types     []string         // instance types; none or "any": all
	Instances []facts.Instance // candidates, instead of Types
	Count     int              // instances; 0: chosen
	Region    string
	Capacity  string        // on-demand, spot, capacity-block; empty or any: what suits
	Budget    float64       // USD in all; 0: none
	Hourly    float64       // USD an hour; 0: none
	Deadline  time.Duration // 0: none

	PriceFiles []string
	Prices     *price.Book // instead of PriceFiles and what ships with the tool

	FailureHours   float64 // GPU-hours between failures; 0: published
	CheckpointRate float64 // bytes/s that one node writes; 0: assumed
}

// Bounds of what is asked: beyond these it is a slip.
const (
	mostTokens   = 1e15
	mostSequence = 1 << 22
	mostGPUs     = 1 << 16
	mostNodes    = 512

	leastFailureHours = 100 // of one GPU; published are 50,000
	leastWrite        = 1e6 // bytes a second of checkpoints
)

// Capacity types beside those of facts.
const CapacityBlock = "capacity-block"

// check fills in what was left open and refuses what cannot be.
func (r Request) check() (Request, sizing, error) {
	fail := func(format string, args ...any) (Request, sizing, error) {
		return Request{}, sizing{}, fmt.Errorf(format, args...)
	}
	r.Method, r.Precision = cmp.Or(r.Method, Full), cmp.Or(strings.ToLower(r.Precision), "bf16")
	r.Optimizer, r.Capacity = cmp.Or(r.Optimizer, "adamw"), cmp.Or(r.Capacity, "any")
	if r.Sequence == 0 {
		r.Sequence = 4096
		if r.Model.Context > 0 {
			r.Sequence = min(r.Sequence, r.Model.Context)
		}
	}
	switch {
	case len(r.Model.Layers) == 0:
		return fail("the architecture of %s is not known: layers, heads and widths are what memory and time follow from", r.Model.Name)
	case r.Method != Full && r.Method != LoRA && r.Method != QLoRA:
		return fail("method %q: known are full, lora and qlora", r.Method)
	case r.Precision != "bf16" && r.Precision != "fp8":
		return fail("precision %q: a model is trained in bf16 or fp8", r.Precision)
	case r.Precision == "fp8" && r.Method == QLoRA:
		return fail("precision fp8 with qlora: its weights are NF4, unpacked to BF16 for each product; leave --precision out")
	case !(r.Tokens >= 1) || r.Tokens > mostTokens:
		return fail("%g tokens: must be from 1 to %g, such as 10B", r.Tokens, mostTokens)
	case r.Sequence < 1 || r.Sequence > mostSequence:
		return fail("sequence %d: must be from 1 to %d tokens", r.Sequence, mostSequence)
	case r.MicroBatch < 0 || r.GlobalBatch < 0 || r.Count < 0 || r.Budget < 0 || r.Hourly < 0 || r.Deadline < 0:
		return fail("a batch, a count, a budget and a deadline must be above 0")
	case r.Count > mostNodes:
		return fail("%d instances: more than %d are not planned", r.Count, mostNodes)
	case r.Recompute != "" && r.Recompute != NoRecompute && r.Recompute != Selective && r.Recompute != FullRecompute:
		return fail("activation checkpointing %q: known are none, selective and full", r.Recompute)
	case r.Capacity != "any" && r.Capacity != facts.OnDemand && r.Capacity != facts.Spot && r.Capacity != CapacityBlock:
		return fail("capacity %q: known are on-demand, spot, capacity-block and any", r.Capacity)
	case r.FailureHours != 0 && !(r.FailureHours >= leastFailureHours):
		return fail("%g hours between failures of one GPU: must be %d or more", r.FailureHours, leastFailureHours)
	case r.CheckpointRate != 0 && !(r.CheckpointRate >= leastWrite):
		return fail("checkpoints written at %g bytes/s: must be 1 MB/s or more", r.CheckpointRate)
	case r.GlobalBatch > 0 && float64(r.GlobalBatch)*float64(r.Sequence) > r.Tokens:
		return fail("a batch of %d sequences of %d tokens is more than the %g tokens to train on", r.GlobalBatch, r.Sequence, r.Tokens)
	case r.Region != "" && !price.IsRegion(r.Region):
		return fail("%q is no AWS region, such as eu-central-1", r.Region)
	}
	if err := r.checkDegrees(); err != nil {
		return Request{}, sizing{}, err
	}
	optimizer, err := OptimizerNamed(r.Optimizer)
	if err != nil {
		return Request{}, sizing{}, err
	}
	if r.GlobalBatch == 0 {
		r.GlobalBatch = r.usualBatch()
	}
	if r.MicroBatch > r.GlobalBatch {
		return fail("micro-batch %d: more than the global batch of %d sequences", r.MicroBatch, r.GlobalBatch)
	}
	s := sizing{work: workOf(r.Model, r.Sequence), method: r.Method, precision: r.Precision, optimizer: optimizer, chunked: r.ChunkedLoss}
	if r.Method != Full {
		if r.Adapters.Rank < 1 || r.Adapters.Rank > r.Model.Hidden {
			return fail("rank %d of adapters: must be from 1 to the model's width, %d", r.Adapters.Rank, r.Model.Hidden)
		}
		if s.adapters, err = r.Adapters.parameters(r.Model); err != nil {
			return Request{}, sizing{}, err
		}
	}
	return r, s, nil
}

// checkDegrees refuses degrees of parallelism that the model does not divide into,
// and names the nearest that it does.
func (r Request) checkDegrees() error {
	for _, d := range []struct {
		flag string
		n    int
	}{{"dp", r.DP}, {"fsdp", r.FSDP}, {"tp", r.TP}, {"pp", r.PP}, {"ep", r.EP}} {
		if d.n < 0 || d.n > mostGPUs {
			return fmt.Errorf("%s %d: must be auto or a number of GPUs above 0", d.flag, d.n)
		}
	}
	heads := r.Model.Heads()
	if r.TP > 1 && heads > 0 && heads%r.TP != 0 {
		return fmt.Errorf("tp %d does not divide the %d attention heads of %s: %s", r.TP, heads, r.Model.Name, nearest(r.TP, heads))
	}
	if layers := len(r.Model.Layers); r.PP > 1 && layers%r.PP != 0 {
		return fmt.Errorf("pp %d does not divide the %d layers of %s: %s", r.PP, layers, r.Model.Name, nearest(r.PP, layers))
	}
	if r.PP > 1 && r.FSDP > 1 {
		return fmt.Errorf("pp %d with fsdp %d: a stage would gather its weights again for each micro-batch; use --dp for the copies of a pipeline, whose optimizer is sharded over them", r.PP, r.FSDP)
	}
	if r.EP > 1 {
		experts := 0
		for _, l := range r.Model.Layers {
			experts = max(experts, l.MLP.Experts)
		}
		switch {
		case experts == 0:
			return fmt.Errorf("ep %d: %s has no experts", r.EP, r.Model.Name)
		case experts%r.EP != 0:
			return fmt.Errorf("ep %d does not divide the %d experts of %s: %s", r.EP, experts, r.Model.Name, nearest(r.EP, experts))
		}
	}
	return nil
}

// nearest names the divisors of a count around a number.
func nearest(n, of int) string {
	below, above := 1, of
	for d := 1; d <= of; d++ {
		if of%d == 0 && d < n {
			below = d
		}
		if of%d == 0 && d > n {
			above = d
			break
		}
	}
	return fmt.Sprintf("the nearest that do are %d and %d", below, above)
}

// usualBatch is a common size of batch: about 4 million tokens for pretraining at
// scale, 1 million for continued pretraining, 128 sequences for fine-tuning.
func (r Request) usualBatch() int {
	tokens := 0.0
	switch {
	case r.Tokens >= 100e9:
		tokens = 4 << 20
	case r.Tokens >= 1e9:
		tokens = 1 << 20
	default:
		return 128
	}
	return max(16, int(math.Exp2(math.Round(math.Log2(tokens/float64(r.Sequence))))))
}
