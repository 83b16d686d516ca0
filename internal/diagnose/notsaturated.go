package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// notSaturated: throughput still grew at the highest load, and nothing waits.
func (x *examination) notSaturated() finding {
	f := finding{verdict: record.BoundNotSaturated}
	switch {
	case x.Service:
		x.headroom(&f)
	case x.sat != nil && !x.sat.Saturated && len(x.sat.Elasticities) >= levelsForKnee-1:
		x.stillGrows(&f)
	}
	return f
}

func (x *examination) stillGrows(f *finding) {
	e := x.sat.Elasticities[len(x.sat.Elasticities)-1]
	if e < x.at(grows) {
		return
	}
	f.speaksAgainst(0.35*ramp(e, x.at(growsWell), x.at(grows)), record.Evidence{Fact: "and no more than that: the knee may be near", Metric: "elasticity", Value: &e, Unit: "%/%", Source: "saturation"})
	top := x.top.Load.Value
	f.speaksFor(0.5+0.25*ramp(e, x.at(grows), x.at(growsWell)), elasticityFact(e))
	f.next = fmt.Sprintf("extend the grid past %g, to %g: throughput should stop growing somewhere", top, 2*top)
	f.change = &record.Change{Text: "nothing binds yet: measure higher loads"}
	f.experiment = x.experiment(record.BoundNotSaturated, record.DoubleLoad)
	x.nothingWaits(f)
	if l, ok := x.spoiledAbove(); ok {
		load := l.Load.Value
		f.speaksAgainst(0.5, record.Evidence{Fact: "a higher load was tried and is not valid: " + validityOf(l), Metric: "validity", Value: &load, Unit: l.Load.Kind, Source: "level " + l.ID})
		f.next = fmt.Sprintf("see why %s is not valid, and measure between %g and %g: throughput should stop growing somewhere", l.ID, top, load)
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
	e := x.sat.Elasticities[len(x.sat.Elasticities)-1]
	f.speaksAgainst(weight*ramp(e, x.at(grows), x.at(growsWell)), elasticityFact(e))
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
