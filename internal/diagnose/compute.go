package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// compute: the tensor cores are what a step waits for.
func (x *examination) compute() finding {
	f := finding{verdict: record.BoundCompute,
		change: &record.Change{Text: "compute less or faster: weights and activations in FP8 where the chip has it, prefixes reused, more replicas", Flag: "--quantization", To: "fp8"},
		next:   "give the same load half the prompt: requests a second should rise nearly in proportion to the tokens saved"}
	f.experiment = x.experiment(record.BoundCompute, x.prefillExperiments()...)
	x.lacksGPU(&f)
	if g := x.gpu; g != nil && g.TensorActive != nil {
		f.speaksFor(0.8*ramp(*g.TensorActive, x.at(tensorBusy)*0.45, x.at(tensorBusy)), x.tensorFact())
		f.speaksAgainst(0.7*ramp(*g.TensorActive, x.at(tensorBusy)*0.6, x.at(tensorBusy)*0.3), x.tensorFact())
		if g.DRAMActive != nil && *g.DRAMActive/reachableReads > *g.TensorActive/reachableFLOPs {
			f.speaksAgainst(0.5*ramp(*g.DRAMActive, x.at(dramBusy)*0.7, x.at(dramBusy)), x.dramFact())
		}
	} else {
		x.computeByTokens(&f)
	}
	if v, ok := x.mfu(); ok {
		f.speaksFor(0.6*ramp(v, x.at(tensorBusy)*0.4, x.at(tensorBusy)*0.9), x.fact("the engine's estimate of its FLOPs is "+percent(v)+" of the chip's peak", "flops_per_s", x.server.FLOPs, "FLOP/s"))
	}
	x.batchIsFree(&f)
	x.hostIdle(&f)
	x.requestsElsewhere(&f)
	return f
}

// computeByTokens judges by the tokens of a step beside the ridge, without the
// GPU's own word.
func (x *examination) computeByTokens(f *finding) {
	if x.server == nil || x.server.IterationTokens == nil {
		return
	}
	tokens, ridge := *x.server.IterationTokens, x.ridge()
	e := x.fact(fmt.Sprintf("a mean step held %.0f tokens, and about %.0f fill the tensor cores", tokens, ridge), "iteration_tokens_mean", x.server.IterationTokens, "tokens")
	most := 0.4
	if x.Chip != nil {
		most = 0.5
	}
	f.speaksFor(most*ramp(tokens/ridge, 0.7, 2), e)
	f.speaksAgainst(0.6*ramp(tokens/ridge, 0.7, 0.3), e)
	if growth, e, ok := x.stepGrowth(); ok && tokens > ridge {
		f.speaksFor(0.3*ramp(growth, 0.5, 0.9), e)
	}
}
