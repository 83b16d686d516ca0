package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// notSaturated: throughput still grew at the highest load, and nothing waits.
func (x *examination) notSaturated() finding {
	f := finding{verdict: record.BoundNotSaturated}
	switch {
	case x.Service:
		x.headroom(&f)
	case x.sat != nil && !x.sat.Saturated && len(x.sat.Elasticities) >= levelsForKnee-1 && x.top != nil:
		x.stillGrows(&f)
	}
	return f
}

func (x *examination) stillGrows(f *finding) {
	e := x.lastElasticity()
	end := x.endElasticity(e)
	if end < x.at(grows) {
		return
	}
	against := 0.35 * ramp(end, x.at(growsWell), x.at(grows))
	if _, tried := x.spoiledAbove(); !tried {
		against = max(against, 0.35*ramp(e, inProportion, x.at(growsWell)))
	}
	f.speaksAgainst(against, record.Evidence{Fact: "and no more than that: the knee may be near", Metric: "elasticity", Value: &e, Unit: "%/%", Source: "saturation"})
	top := x.top.Load.Value
	f.speaksFor(0.5+0.25*ramp(end, x.at(grows), x.at(growsWell)), elasticityFact(e))
	f.next = fmt.Sprintf("extend the grid past %g, to %g: throughput should stop growing somewhere", top, 2*top)
	f.change = &record.Change{Text: "nothing binds yet: measure higher loads"}
	f.experiment = x.experiment(record.BoundNotSaturated, record.DoubleLoad)
	x.nothingWaits(f)
	x.slowAtRest(f)
	if l, ok := x.spoiledAbove(); ok {
		load := l.Load.Value
		f.speaksAgainst(0.5, record.Evidence{Fact: "a higher load was tried and is not valid: " + validityOf(l), Metric: "validity", Value: &load, Unit: l.Load.Kind, Source: "level " + l.ID})
		f.next = fmt.Sprintf("see why %s is not valid, and measure between %g and %g: throughput should stop growing somewhere", l.ID, top, load)
	}
}

// inProportion is an elasticity at which throughput grew as the load did, so that the
// knee can hardly lie within the last step. Ours.
const inProportion = 0.85

// slowAtRest speaks against a server that is merely short of load while its GPU does
// next to nothing for the requests that it has, or its steps take longer than any
// GPU needs: it may still be starting, or be short of something else.
func (x *examination) slowAtRest(f *finding) {
	s, g := x.server, x.gpu
	if s == nil || s.RunningMean == nil || *s.RunningMean < 1 {
		return
	}
	switch {
	case g != nil && g.EngineActive != nil:
		f.speaksAgainst(0.4*ramp(*g.EngineActive, 0.3, 0.1), x.engineFact())
	case s.StepMS != nil && s.IterationTokens != nil && *s.IterationTokens < x.ridge():
		f.speaksAgainst(0.3*ramp(*s.StepMS, 80, 160), x.fact(fmt.Sprintf("a step of %.0f tokens took %.0f ms", *s.IterationTokens, *s.StepMS), "step_ms", s.StepMS, "ms"))
	}
}

// headroom: a service in production whose busiest span shows no wait.
func (x *examination) headroom(f *finding) {
	if x.server == nil {
		return
	}
	f.next = "look again at the busiest hour, or put load on with `assay bench`: at some load requests should begin to wait"
	f.change = &record.Change{Text: "nothing binds at this load; fewer replicas would do, as far as latency allows"}
	x.nothingWaits(f)
	if n := x.sat; n != nil && len(n.Elasticities) > 0 {
		e := x.lastElasticity()
		f.speaksFor(0.4*ramp(e, x.at(grows), x.at(growsWell)), elasticityFact(e))
		f.speaksAgainst(0.6*ramp(e, x.at(grows), 0), elasticityFact(e))
	}
	if s := x.server; s.RunningMax != nil && s.MaxNumSeqs != nil && *s.RunningMax < x.at(atLimit)**s.MaxNumSeqs {
		f.speaksFor(0.2, x.fact(fmt.Sprintf("the batch had room: %.0f running of max-num-seqs %.0f", *s.RunningMax, *s.MaxNumSeqs), "running_max", s.RunningMax, "requests"))
	}
}

func (x *examination) nothingWaits(f *finding) {
	waiting, known := x.queue()
	if !known {
		f.lacks("whether requests waited (the engine's metrics: --metrics URL)")
		return
	}
	if waiting {
		f.speaksAgainst(0.5, x.queueFact())
		return
	}
	f.speaksFor(0.65*ramp(*x.server.WaitingShare, x.at(queueShare), 0.05), x.fact("hardly any request waited", "waiting_share", x.server.WaitingShare, "share"))
	if kv := x.server.KVUsageMax; kv != nil && *kv < x.at(kvRoomy) {
		f.speaksFor(0.2, x.fact("the KV cache had room", "kv_usage_max", kv, "share"))
	}
}

// growth speaks against any limit while throughput still grows with load.
func (x *examination) growth(f *finding) {
	if x.sat == nil || x.sat.Saturated || len(x.sat.Elasticities) == 0 {
		return
	}
	weight := 0.25
	if waiting, known := x.queue(); known && !waiting {
		weight = 0.6
	}
	e := x.lastElasticity()
	f.speaksAgainst(weight*ramp(x.endElasticity(e), x.at(grows), x.at(growsWell)), elasticityFact(e))
}

// lastElasticity is that of the last step. Throughput that grows by more than the
// load is noise of the level below, so then the step below counts as well.
func (x *examination) lastElasticity() float64 {
	all, n := x.sat.Elasticities, len(x.valid)
	last := all[len(all)-1]
	if last < mostElastic || len(all) < 2 || n < 3 || x.valid[n-3].Load.Value <= 0 {
		return last
	}
	upper := math.Log(x.valid[n-1].Load.Value / x.valid[n-2].Load.Value)
	lower := math.Log(x.valid[n-2].Load.Value / x.valid[n-3].Load.Value)
	if upper+lower <= 0 {
		return last
	}
	return (last*upper + all[len(all)-2]*lower) / (upper + lower)
}

// mostElastic is beyond what load can do for throughput.
const mostElastic = 1.2

// endElasticity is the elasticity at the end of the last step, whose mean is e: the
// time of a request grows along a line within it, as in a closed loop, so that
// throughput levels off.
func (x *examination) endElasticity(e float64) float64 {
	n := len(x.valid)
	if n < 2 || x.valid[n-2].Load.Value <= 0 || x.valid[n-1].Load.Value <= x.valid[n-2].Load.Value {
		return e
	}
	step := x.valid[n-1].Load.Value / x.valid[n-2].Load.Value
	time := math.Pow(step, 1-e) // of a request, against 1 before the step
	slope := max((time-1)/(step-1), 0)
	return max(1-slope*step/time, 0)
}

// spoiledAbove is the lowest level above the highest valid one.
func (x *examination) spoiledAbove() (record.Level, bool) {
	for _, l := range x.levels {
		if l.Load.Value > x.top.Load.Value {
			return l, true
		}
	}
	return record.Level{}, false
}

func elasticityFact(e float64) record.Evidence {
	return record.Evidence{Fact: fmt.Sprintf("throughput grew by %.2f %% for each %% of load in the last step", e),
		Metric: "elasticity", Value: &e, Unit: "%/%", Source: "saturation"}
}
