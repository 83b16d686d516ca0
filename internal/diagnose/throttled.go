package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// throttled: a GPU's clock was held back by heat or by the power brake.
func (x *examination) throttled() finding {
	f := finding{verdict: record.BoundThrottled,
		change: &record.Change{Text: "drain the node and see to its cooling or its power, or replace it"},
		next:   "measure on another node, or on this one when it has cooled: the clock and the throughput should be higher"}
	if x.gpu == nil {
		return f
	}
	g, which := x.gpu, ""
	if x.gpu.Worst != "" {
		which = " of GPU " + x.gpu.Worst
	}
	if s := g.ThermalShare; s != nil {
		f.speaksFor(x.byClock()*ramp(*s, x.at(throttled)/4, x.at(throttled)), x.gpuFact(fmt.Sprintf("heat held the clock%s back in %s of the samples", which, fraction(s)), "thermal_share", s, "share"))
	}
	if s := g.BrakeShare; s != nil {
		f.speaksFor(x.byClock()*ramp(*s, x.at(throttled)/4, x.at(throttled)), x.gpuFact(fmt.Sprintf("the power brake held the clock%s back in %s of the samples", which, fraction(s)), "brake_share", s, "share"))
	}
	x.slowClock(&f, which)
	if t := g.TempMaxC; t != nil && *t >= x.at(hot) {
		f.speaksFor(0.2, x.gpuFact(fmt.Sprintf("a GPU was at %.0f °C", *t), "temperature_max_c", t, "°C"))
	}
	if share, ok := x.clock(); !ok || share > clockFarDown {
		x.batchIsFree(&f)
	}
	x.hostIdle(&f)
	x.requestsElsewhere(&f)
	if d := g.DRAMActive; d != nil {
		f.speaksAgainst(0.6*ramp(*d, reachableReads-0.25, reachableReads-0.1), x.gpuFact("the memory moved data "+fraction(d)+" of the time, about all it can, so a slower clock hardly matters", "dram_active", d, "share"))
	}
	if neither, e, ok := x.neither(); ok && x.tp() > 1 {
		f.speaksAgainst(0.6*ramp(neither, 0.3, 0.6), e)
	}
	if waiting, known := x.queue(); known && !waiting && x.sat != nil && !x.sat.Saturated && len(x.sat.Elasticities) > 0 {
		e := x.lastElasticity()
		f.speaksAgainst(0.6*ramp(x.endElasticity(e), x.at(growsWell), 0.85), elasticityFact(e))
	}
	if g.ThermalShare == nil && g.BrakeShare == nil {
		f.lacks("why clocks were held back (DCGM_FI_DEV_CLOCKS_EVENT_REASONS in the exporter's counter list: `assay render monitoring` writes one)")
	}
	return f
}

// clockFarDown is a clock, of its maximum, at which everything that a GPU does takes
// so much longer that a larger batch is no way out. Ours.
const clockFarDown = 0.6

// byClock is the most that a reason for a lower clock can convince: a clock that is
// hardly lower costs hardly any throughput.
func (x *examination) byClock() float64 {
	share, ok := x.clock()
	if !ok {
		return 0.75
	}
	return 0.4 + 0.5*ramp(share, x.at(clockLow), clockFarDown+0.15)
}

// slowClock weighs a clock below its maximum while the GPU is busy. At the power
// limit that is normal; where the reasons say that nothing held it back, it is
// somebody's setting.
func (x *examination) slowClock(f *finding, which string) {
	g := x.gpu
	share, ok := x.clock()
	if !ok || share >= x.at(clockLow) || (g.EngineActive != nil && *g.EngineActive < 0.3) {
		return
	}
	weight := 0.5 * ramp(share, x.at(clockLow), x.at(clockLow)-0.1)
	if g.ThermalShare != nil && *g.ThermalShare == 0 {
		weight *= 0.3
	}
	e := x.gpuFact(fmt.Sprintf("the SM clock%s was at %.0f MHz, %s of its maximum, while it was busy", which, *g.SMClockMHz, percent(share)), "sm_clock_mhz", g.SMClockMHz, "MHz")
	weight += 0.35 * ramp(share, x.at(clockLow)-0.05, 0.6)
	if x.powerCapped() {
		weight *= 0.2
	}
	f.speaksFor(weight, e)
}

// clock is the SM clock of the GPU that fares worst, as a share of its maximum.
func (x *examination) clock() (float64, bool) {
	most := x.gpu.SMClockMaxMHz
	if most == nil && x.Chip != nil && x.Chip.SMClock > 0 {
		most = &x.Chip.SMClock
	}
	return ratio(x.gpu.SMClockMHz, most)
}

// powerCapped says whether the power limit explains a lower clock: by the reason
// where it is given, else by a draw close to the limit.
func (x *examination) powerCapped() bool {
	g, limit := x.gpu, x.gpu.PowerLimitW
	if g.PowerCapShare != nil {
		return *g.PowerCapShare > 0.3
	}
	if limit == nil && x.Chip != nil && x.Chip.Power > 0 {
		limit = &x.Chip.Power
	}
	draw, ok := ratio(g.PowerW, limit)
	return ok && draw > 0.95
}
