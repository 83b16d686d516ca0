package diagnose

import (
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
	x.slowLinks(&f)
	x.nothingShows(&f, 0.4)
	x.batchIsFree(&f)
	x.hostIdle(&f)
	x.requestsElsewhere(&f)
	return f
}

// computeByTokens judges by the tokens of a step beside the ridge and by power,
// without the GPU's own word on its tensor cores.
func (x *examination) computeByTokens(f *finding) {
	side, e, ok := x.intensity()
	if !ok {
		return
	}
	f.speaksFor(x.byTokens()*ramp(side, 0.7, 2), e)
	f.speaksAgainst(0.6*ramp(side, 0.7, 0.3), e)
	if growth, e, ok := x.stepGrowth(); ok && side > 1 {
		f.speaksFor(0.3*ramp(growth, 0.5, 0.9), e)
	}
	if draw, e, ok := x.draw(); ok {
		f.speaksFor(0.35*ramp(draw, 0.8, 0.97), e)
		f.speaksAgainst(0.4*ramp(draw, 0.75, 0.5), e)
	}
}

// byTokens is the most that the tokens of a step can convince: more where the
// chip's own ridge is known.
func (x *examination) byTokens() float64 {
	if x.Chip == nil {
		return 0.4
	}
	return 0.5
}
