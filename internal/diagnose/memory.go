package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// memory: reading weights and the KV cache is what a step waits for.
func (x *examination) memory() finding {
	f := finding{verdict: record.BoundMemory,
		change: &record.Change{Text: "read fewer bytes in a step: quantised weights, an FP8 KV cache where contexts are long, or speculative decoding; or a chip with more bandwidth", Flag: "--quantization", To: "fp8"},
		next:   "give the same load half the output: requests a second should nearly double"}
	f.experiment = x.experiment(record.BoundMemory, record.HalveOutput)
	x.lacksGPU(&f)
	if g := x.gpu; g != nil && g.DRAMActive != nil {
		f.speaksFor(0.75*ramp(*g.DRAMActive, x.at(dramBusy)*0.6, x.at(dramBusy)), x.dramFact())
		f.speaksAgainst(0.7*ramp(*g.DRAMActive, x.at(dramBusy)*0.7, x.at(dramBusy)*0.4), x.dramFact())
		if t := g.TensorActive; t != nil {
			f.speaksFor(0.2*ramp(*t, 0.3, 0.1), x.tensorFact())
			if *t/reachableFLOPs > *g.DRAMActive/reachableReads {
				f.speaksAgainst(0.6*ramp(*t, x.at(tensorBusy)*0.6, x.at(tensorBusy)), x.tensorFact())
			}
		}
	} else {
		x.memoryByTokens(&f)
	}
	if v, ok := x.mbu(); ok {
		f.speaksFor(0.6*ramp(v, x.at(dramBusy)*0.6, x.at(dramBusy)), x.fact("the engine's estimate of the bytes it moves is "+percent(v)+" of the chip's bandwidth", "memory_bytes_per_s", x.server.MemoryBytes, "B/s"))
	}
	x.batchIsFree(&f)
	x.budgetIsFull(&f)
	x.nothingShows(&f, 0.65)
	x.promptsWait(&f)
	x.placesWait(&f)
	x.hostIdle(&f)
	x.requestsElsewhere(&f)
	return f
}

// promptsWait speaks against memory while there are prompts to be read: a step could
// take more of their tokens for the same bytes, so what keeps it from that binds.
func (x *examination) promptsWait(f *finding) {
	waiting, known := x.queue()
	if part, e, ok := x.prefillPart(); ok && known && waiting {
		f.speaksAgainst(0.5*ramp(part, 0.5, 0.85), e)
	}
}

// placesWait speaks against memory and collectives while requests wait for a place in
// a batch, or in a KV cache, that is full: reading the weights for more of them, or
// waiting for the other GPUs, costs the same.
func (x *examination) placesWait(f *finding) {
	waiting, known := x.queue()
	if !known || !waiting || (x.curve.batch > 0 && x.curve.batch < x.at(batchCostly)) {
		return
	}
	full, how := x.batchFull()
	if noRoom, why := x.kvIsFull(); noRoom > 0 {
		full, how = true, why
	}
	if full {
		f.speaksAgainst(0.35, how)
	}
}

// memoryByTokens judges by how a step grows, without the GPU's own word: few
// tokens, and a time that grows with the batch, mean that the KV cache is what is
// read; one that does not may as well be the host's.
func (x *examination) memoryByTokens(f *finding) {
	side, e, ok := x.intensity()
	if !ok {
		return
	}
	few := ramp(side, 0.9, 0.35)
	f.speaksFor(0.3*few, e)
	f.speaksFor(0.35*ramp(x.context()/x.contextOfWeights(), 0.5, 2)*few, x.contextFact())
	f.speaksAgainst(0.5*ramp(side, 0.9, 2), e)
	if growth, e, ok := x.stepGrowth(); ok {
		f.speaksFor(0.4*few*ramp(growth, 0.3, 0.7), e)
	}
	if draw, e, ok := x.draw(); ok {
		f.speaksFor(0.2*ramp(draw, 0.45, 0.6), e)
	}
	if share, ok := x.weightsShare(); ok && share <= 1.3 {
		f.speaksFor(0.4*ramp(share, 0.3, 0.7), x.fact("reading the weights in 16 bits would take "+percent(share)+" of a step", "step_ms", x.server.StepMS, "ms"))
	}
}

func (x *examination) contextFact() record.Evidence {
	return x.fact(fmt.Sprintf("the batch held about %.0f tokens of context to read in each step; those of %.0f are about as many bytes as the weights", x.context(), x.contextOfWeights()),
		"running_mean", x.server.RunningMean, "requests")
}
