package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// What a chip reaches of its datasheet in the kernels of an engine: large matrix
// products, and reads of weights and KV cache. Ours, as the engine's model has it.
const (
	reachableFLOPs = 0.55
	reachableReads = 0.80
)

// ridge is the tokens of a step at which a dense model of 2 bytes a weight turns
// from being bound by reading its weights to being bound by compute.
func (x *examination) ridge() float64 {
	if c := x.Chip; c != nil && c.Bandwidth > 0 {
		return c.BF16 * reachableFLOPs / (c.Bandwidth * reachableReads) * x.sparsity()
	}
	return x.at(ridge)
}

// sparsity is how many weights a step of many tokens reads for each that a token
// computes with: 1 for a dense model.
func (x *examination) sparsity() float64 {
	if m := x.Model; m != nil && m.MoE() {
		return float64(m.Parameters()) / float64(m.ActiveParameters())
	}
	return 1
}

// intensity is how far the work of a step lies to the side of compute (above 1) or
// of memory (below 1): its tokens beside those that fill the tensor cores, over the
// bytes that it reads beside those of the weights.
func (x *examination) intensity() (float64, record.Evidence, bool) {
	s := x.server
	if s == nil || s.IterationTokens == nil {
		return 0, record.Evidence{}, false
	}
	tokens, ridge := *s.IterationTokens, x.ridge()
	text := fmt.Sprintf("a mean step held %.0f tokens, and about %.0f fill the tensor cores", tokens, ridge)
	reads := 1.0
	if context := x.context(); context > 0 {
		reads += context / x.contextOfWeights()
		text += fmt.Sprintf("; it read the keys and values of some %.0f tokens", context)
	}
	return tokens / ridge / reads, x.fact(text, "iteration_tokens_mean", s.IterationTokens, "tokens"), true
}

// context is the tokens whose keys and values a step reads: each running request's
// own, and no more than the cache holds unless requests share them. 0: not known.
func (x *examination) context() float64 {
	s, got := x.server, x.top.Got
	if s.RunningMean == nil {
		return 0
	}
	each := 0.0
	switch prompt, ok := ratio(s.PromptTokens, s.Finished); {
	case got.Prompt != nil && got.Output != nil:
		each = *got.Prompt + *got.Output/2
	case ok:
		each = prompt
	}
	held := *s.RunningMean * each
	if s.KVUsageMax != nil && *s.KVUsageMax > 0 && s.KVTokens != nil && (s.PrefixHits == nil || *s.PrefixHits == 0) {
		held = min(held, *s.KVUsageMax**s.KVTokens)
	}
	return held
}

// contextOfWeights is how many tokens' keys and values are as many bytes as the
// weights.
func (x *examination) contextOfWeights() float64 {
	if m := x.Model; m != nil {
		return float64(m.WeightBytes(m.Format)) / float64(m.KVBytesPerToken(2))
	}
	return x.at(contextHeavy)
}

func (x *examination) tensorFact() record.Evidence {
	v := x.gpu.TensorActive
	return x.gpuFact("the tensor cores worked "+fraction(v)+" of the time", "tensor_active", v, "share")
}

func (x *examination) dramFact() record.Evidence {
	v := x.gpu.DRAMActive
	return x.gpuFact("the memory moved data "+fraction(v)+" of the time", "dram_active", v, "share")
}

func (x *examination) engineFact() record.Evidence {
	v := x.gpu.EngineActive
	return x.gpuFact("kernels ran "+fraction(v)+" of the time", "engine_active", v, "share")
}

// mfu and mbu are the engine's own estimates of its use of the chip, as shares of
// the datasheet.
func (x *examination) mfu() (float64, bool) {
	if x.server == nil || x.Chip == nil {
		return 0, false
	}
	return ratio(x.server.FLOPs, &x.Chip.BF16)
}

func (x *examination) mbu() (float64, bool) {
	if x.server == nil || x.Chip == nil {
		return 0, false
	}
	return ratio(x.server.MemoryBytes, &x.Chip.Bandwidth)
}

// weightsShare is the part of a step that reading the weights alone takes at what
// the chip reaches, where model, chip and time of a step are known.
func (x *examination) weightsShare() (float64, bool) {
	if x.Model == nil || x.Chip == nil || x.server == nil || x.server.StepMS == nil || *x.server.StepMS <= 0 || x.tp() == 0 || x.server.IterationTokens == nil {
		return 0, false
	}
	// As the served name says that they are stored: the most it can be where the engine quantises.
	bytes := x.Model.ReadBytes(int(max(*x.server.IterationTokens, 1)), x.Model.Format) / float64(x.tp())
	return bytes / (x.Chip.Bandwidth * reachableReads) / (*x.server.StepMS / 1000), true
}

// batchIsFree speaks against a chip's limit while something else caps the batch:
// a larger one would cost the chip little more time. Where requests spend their
// time in prefill, the size of the batch says nothing of the chip's work.
func (x *examination) batchIsFree(f *finding) {
	gain := x.curve.batch
	if gain == 0 {
		return
	}
	most, seen := 0.5, "twice the batch"
	if waiting, known := x.queue(); known && waiting {
		most, seen = 0.75, "requests waited, and twice the batch"
	}
	weight := most * ramp(gain, x.at(batchCostly), x.at(batchFree))
	if part, _, ok := x.prefillPart(); ok {
		weight *= ramp(part, 0.7, 0.3)
	}
	brings := gain - 1
	f.speaksAgainst(weight, x.fact(fmt.Sprintf("%s would bring %s more throughput", seen, percent(brings)), "batch_gain", &brings, "share"))
}

// nothingShows speaks against a limit of a service in which nothing waits and whose
// spans do not tell whether throughput still grows: a busy memory, waits for other
// GPUs and gaps between steps are those of small batches too.
func (x *examination) nothingShows(f *finding, most float64) {
	waiting, known := x.queue()
	if !x.Service || !known || waiting || (x.sat != nil && len(x.sat.Elasticities) > 0) {
		return
	}
	f.speaksAgainst(most*ramp(*x.server.WaitingShare, x.at(queueShare), 0.1), x.fact("hardly any request waited", "waiting_share", x.server.WaitingShare, "share"))
}

// hostIdle speaks against a chip's limit while the chip has nothing to do.
func (x *examination) hostIdle(f *finding) {
	g := x.gpu
	switch {
	case g == nil:
	case g.EngineActive != nil:
		f.speaksAgainst(0.6*ramp(*g.EngineActive, 0.9, 1-x.at(engineIdle)), x.engineFact())
	default:
		if draw, e, ok := x.draw(); ok {
			f.speaksAgainst(0.4*ramp(draw, 0.55, 0.3), e)
		}
	}
}

// draw is the power of a GPU as a share of its limit: how hard it works, where
// its profiling counters do not say.
func (x *examination) draw() (float64, record.Evidence, bool) {
	g := x.gpu
	if g == nil {
		return 0, record.Evidence{}, false
	}
	if clock, ok := x.clock(); ok && clock < x.at(clockLow) {
		return 0, record.Evidence{}, false // power falls with the clock, whatever is done
	}
	limit := g.PowerLimitW
	if limit == nil && x.Chip != nil && x.Chip.Power > 0 {
		limit = &x.Chip.Power
	}
	share, ok := ratio(g.PowerW, limit)
	if !ok {
		return 0, record.Evidence{}, false
	}
	return share, x.gpuFact(fmt.Sprintf("the GPU drew %.0f W, %s of its limit", *g.PowerW, percent(share)), "power_w", g.PowerW, "W"), true
}

// requestsElsewhere speaks against a limit of the engine while the requests are
// not in it.
func (x *examination) requestsElsewhere(f *finding) {
	if v := x.parts.outside; v != nil && !x.workedToCapacity() {
		f.speaksAgainst(0.6*ramp(*v, x.at(outsideShare), 2*x.at(outsideShare)), x.outsideFact())
	}
	if part, ok := ratio(x.parts.network, x.parts.whole); ok {
		f.speaksAgainst(0.6*ramp(part, x.at(networkShare), 2*x.at(networkShare)), x.networkFact(part))
	}
	if part, ok := ratio(x.parts.frontend, x.parts.whole); ok {
		f.speaksAgainst(0.6*ramp(part, x.at(frontendShare), 2*x.at(frontendShare)), x.frontendFact(part))
	}
}

// workedToCapacity says whether the GPU would do hardly more with more requests.
func (x *examination) workedToCapacity() bool {
	g, gain := x.gpu, x.curve.batch
	if g == nil || g.EngineActive == nil || *g.EngineActive < x.at(engineBusy) {
		return false
	}
	return (gain > 0 && gain < (x.at(batchCostly)+x.at(batchFree))/2) || (g.TensorActive != nil && *g.TensorActive >= x.at(tensorBusy))
}

func (x *examination) outsideFact() record.Evidence {
	n := x.top.Client.InFlight.Mean
	return x.clientFact(fmt.Sprintf("%s of the %.0f requests in flight were neither running nor waiting in the engine", fraction(x.parts.outside), n), "outside_share", *x.parts.outside, "share")
}

// stepGrowth is the elasticity of a step's time, as a fact.
func (x *examination) stepGrowth() (float64, record.Evidence, bool) {
	e := x.curve.step
	if math.IsNaN(e) {
		return 0, record.Evidence{}, false
	}
	return e, x.fact(fmt.Sprintf("a step takes %.2f %% longer for each %% more requests in the batch (near 0: bound by reading the weights or by the host; near 1: by compute or by reading the KV cache)", e), "step_elasticity", &e, "%/%"), true
}

// lacksGPU names what the GPUs did not say.
func (x *examination) lacksGPU(f *finding) {
	switch {
	case x.gpu == nil:
		f.lacks("the GPU's own metrics (--dcgm URL), to tell compute, memory bandwidth, collectives and host gaps apart")
	case x.gpu.TensorActive == nil || x.gpu.DRAMActive == nil:
		f.lacks("activity of tensor cores and memory (DCGM's profiling counters: `assay render monitoring` writes the exporter's list)")
	}
	if x.gpu == nil && x.Chip == nil {
		f.lacks("which GPU it is (--gpu), for its peak and its bandwidth")
	}
}
