package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/figure"
	"assay/internal/predict"
)

// option describes a sized candidate. Its knee, which costs more than a prediction,
// is added for those that are shown.
func (p *planner) option(s sized) Option {
	a, l := s.account, s.layout
	o := Option{
		Instance: s.instance.Name, Count: s.instances(s.replicas),
		TP: l.tp, PP: l.pp, DP: l.dp, EP: l.ep, Replicas: s.replicas,
		GPU:      GPU{s.chip.Name, s.chip.Vendor, a.Usable, a.Weights, a.Activation, a.Graphs, a.Other, a.KV},
		GPUs:     l.gpus() * s.replicas,
		KVTokens: a.KVTokens * l.dp, MaxConcurrency: a.MaxConcurrency * float64(l.dp), KVBlocks: a.Blocks, BlockSize: a.BlockSize,
		Predicted: p.predictedOf(s), SLO: s.judged, Meets: overall(s.judged),
		Flags: p.flags(s), Host: p.host(s),
	}
	o.ID = fmt.Sprintf("%s-%s-x%d", o.Instance, l, o.Replicas)
	o.GPUsIdle = o.Count*s.instance.Count - o.GPUs
	o.Load = Load{Concurrency: s.load.Concurrency}
	if s.load.Rate > 0 {
		o.Load = Load{Rate: &s.load.Rate}
	}
	o.Calibrated = p.calibrated(s)
	if n := s.predicted.Note; n != "" {
		o.Notes = append(o.Notes, n)
	}
	if arch := s.instance.Architecture(); arch != "amd64" {
		o.Notes = append(o.Notes, "its hosts are "+arch+": the engine's image has to be built for them")
	}
	if onNeuron(s.chip) {
		o.Notes = append(o.Notes, neuronNote)
	}
	o.Notes = append(o.Notes, s.notes...)
	o.Simulated = p.simulatedOf(s)
	o.Price = p.priceOf(s.instance, o.Count)
	if hourly, ok := p.hourly(s.instance, o.Count); ok {
		o.USD = perMillion(hourly, o.Predicted.Output)
	}
	if n := p.asked.Spare; n > 0 {
		count := s.instances(s.replicas + n)
		o.Spare = &Spare{Replicas: s.replicas + n, Count: count, OnDemand: p.priceOf(s.instance, count).OnDemand}
	}
	return o
}

// predictedOf is what all replicas do together. The fullest one sets the latencies;
// throughput is that of all requests, of which the others have one less.
func (p *planner) predictedOf(s sized) Predicted {
	scale := float64(s.replicas)
	if c := s.load.Concurrency; c > 0 {
		scale = float64(p.asked.Concurrency) / float64(c)
	}
	q := s.predicted
	return Predicted{TTFT: q.TTFT, ITL: q.ITL, E2E: q.E2E, Output: q.OutputTPS.Scale(scale), Requests: q.RequestsPerSecond.Scale(scale)}
}

// addKnee adds the load past which the option's throughput stops growing.
func (p *planner) addKnee(o *Option, s sized) {
	key := placed{s.chip.Name, s.layout}
	curve, ok := p.curves[key]
	if !ok {
		curve, _ = predict.CurveOf(p.system(p.arch, s.candidate), p.asked.ISL, p.asked.OSL)
		p.curves[key] = curve
	}
	p.noteSlowEnd(o, s, curve)
	k := curve.Knee
	if k.High <= 0 { // not reached, or refused
		return
	}
	n := float64(s.replicas)
	o.Predicted.Knee = &Knee{Low: n * k.Low, High: n * k.High, Unit: "requests in flight", Output: outputAt(curve, k.Low).Scale(n)}
	if hourly, ok := p.hourly(s.instance, o.Count); ok {
		o.AtKnee = perMillion(hourly, o.Predicted.Knee.Output)
	}
}

// noteSlowEnd says so where the low end of what the replicas can do is less than what
// arrives: requests would then wait without end.
func (p *planner) noteSlowEnd(o *Option, s sized, c predict.Curve) {
	least := 0.0
	for _, point := range c.Points {
		least = max(least, point.RequestsPerSecond.Low*float64(s.replicas))
	}
	if p.asked.Rate > 0 && len(c.Points) > 0 && least < p.asked.Rate {
		o.Notes = append(slices.Clone(o.Notes), fmt.Sprintf("at the low end of its range it serves %.3g requests/s, fewer than the %.3g that arrive: more replicas, or a measurement, make it sure", least, p.asked.Rate))
	}
}

// outputAt is the throughput of the last point up to a concurrency.
func outputAt(c predict.Curve, concurrency float64) figure.Range {
	var out figure.Range
	for _, point := range c.Points {
		if float64(point.Concurrency) <= concurrency || out.Mid == 0 {
			out = point.OutputTPS
		}
	}
	return out
}

// explain adds the figures behind an option's numbers.
func (p *planner) explain(o *Option, s sized) {
	memory := s.account.Figures
	if onNeuron(s.chip) {
		memory = neuronFigures(memory)
	}
	o.Figures = slices.Concat(memory, s.predicted.Figures, tailFigures(o.SLO, o.Predicted, s.tails()), simulatedFigures(o.Simulated), p.priceFigures(*o, s.instance), p.hostFigures(s))
}

// sorted puts options in order: those whose cost is known first, what an hour costs, then what tokens cost, then names.
func (p *planner) sorted(options []found) { slices.SortFunc(options, byCost) }

func byCost(a, b found) int {
	return cmp.Or(
		-compareBool(a.priced, b.priced),
		cmp.Compare(a.hourly, b.hourly),
		cmp.Compare(perToken(a), perToken(b)),
		cmp.Compare(a.option.ID, b.option.ID),
	)
}

// before says whether one option stands before another.
func before(a, b found) bool { return byCost(a, b) < 0 }

// found is an option, its candidate, and the cost that orders it.
type found struct {
	option  Option
	sized   sized
	priced  bool    // hourly is what it costs, not what stands for it
	hourly  float64 // +Inf where no price is known
	settled bool    // by the engine
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func perToken(f found) float64 {
	if f.option.Predicted.Output.Mid <= 0 {
		return math.Inf(1)
	}
	return f.hourly / f.option.Predicted.Output.Mid
}

func (p *planner) found(s sized) found {
	f := found{option: p.option(s), sized: s}
	each, priced := p.order(s.instance)
	f.hourly, f.priced = each*float64(f.option.Count), priced
	return f
}
