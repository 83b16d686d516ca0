package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/calibrate"
	"assay/internal/figure"
	"assay/internal/predict"
)

// Simulations are for the options that are shown.
const (
	mostSettled = 8
	closedForm  = 0.08 // how far the closed form of a prediction may lie from the engine, as predict's tests have it
	keepsUp     = 0.8  // share of arrivals as many as which end meanwhile, below which they pile up and not by chance
	someWait    = 0.02 // share of open requests that wait for room, from which a load waits
)

// settle runs the first options through the engine and judges them by what it shows.
// Where that misses what was asked, an option takes more replicas, or is none. It
// only grows dearer by that, so the first options in the end are the first of all.
func (p *planner) settle(out *outcome) {
	for i := 0; i < min(mostSettled, len(out.options)); {
		f := out.options[i]
		if f.settled {
			i++
			continue
		}
		out.options = slices.Delete(out.options, i, i+1)
		s, ok := p.settled(f.sized)
		if ok {
			f = p.found(s)
			f.settled = true
			at, _ := slices.BinarySearchFunc(out.options, f, byCost)
			out.options = slices.Insert(out.options, at, f)
			i = 0 // what it costs for tokens may have moved it
			continue
		}
		p.unsettled(out, s)
	}
}

// unsettled is an option that the engine refuses at any number of replicas.
func (p *planner) unsettled(out *outcome, s sized) {
	most := p.mostReplicas(s.candidate)
	if why := room(s.pools, s.instance, s.instances(s.replicas)); why != "" {
		out.reject(s.candidate, noPool, "%s", why)
		return
	}
	p.miss(out, s, most)
}

// settled is a candidate with the fewest replicas, no fewer than predicted, at which
// the engine too bears the load; false where it never does.
func (p *planner) settled(s sized) (sized, bool) {
	best := p.overruled(s)
	for most := p.mostReplicas(s.candidate); !p.bears(best); {
		if best.replicas >= most {
			return best, false
		}
		next, err := p.with(s.candidate, min(most, best.replicas+max(1, best.replicas/8)))
		if err != nil {
			return best, false
		}
		best = p.overruled(next)
	}
	return best, room(best.pools, best.instance, best.instances(best.replicas)) == ""
}

// overruled is a sized candidate after its simulation.
func (p *planner) overruled(s sized) sized {
	if s.simulated = p.simulate(s); s.simulated == nil {
		return s
	}
	s.notes = p.overrule(&s)
	s.judged = judge(p.predictedOf(s), p.asked.SLO, s.tails())
	return s
}

// overrule puts the engine's means in place of the closed form's where the two lie
// further apart than the form is good for; what measurements correct stays. It says
// where it does.
func (p *planner) overrule(s *sized) []string {
	form, sim, q := s.predicted.Form, s.simulated, &s.predicted
	shares := float64(s.layout.dp * s.layout.pp)
	q.Waiting = q.Waiting || sim.queued*shares > someWait*q.Concurrency
	if form.ITL <= 0 || form.TTFT <= 0 || p.measured != nil && p.measured.Carries(p.system(p.arch, s.candidate)) != calibrate.Nothing {
		return nil
	}
	var notes []string
	if k := sim.itl / form.ITL; p.asked.OSL > 1 && math.Abs(k-1) > closedForm {
		notes = append(notes, fmt.Sprintf("ITL is the simulated engine's, %s than the closed form's", apart(k)))
		q.ITL = scaledBy(q, "ITL", q.ITL, k)
	}
	// Of the time to a first token the form is fitted, but for the wait for room.
	if k := (form.TTFT - form.Wait + sim.wait) / form.TTFT; math.Abs(k-1) > closedForm {
		notes = append(notes, fmt.Sprintf("TTFT has the simulated engine's wait for room in it, which makes it %s than the closed form's", apart(k)))
		q.TTFT = scaledBy(q, "TTFT", q.TTFT, k)
	}
	if s.load.Rate > 0 && sim.kept < keepsUp {
		notes = append(notes, fmt.Sprintf("in the simulated engine requests pile up: %.0f in 100 that arrive are served meanwhile", 100*sim.kept))
		q.RequestsPerSecond, q.OutputTPS = q.RequestsPerSecond.Scale(sim.kept), q.OutputTPS.Scale(sim.kept)
	}
	if len(notes) > 0 {
		q.E2E = q.TTFT.Plus(q.ITL.Scale(float64(max(p.asked.OSL-1, 0))))
		if s.load.Rate == 0 { // a closed loop answers what is open, over E2E
			q.RequestsPerSecond = q.E2E.Inverse(1000 * q.Concurrency)
			q.OutputTPS = q.RequestsPerSecond.Scale(float64(p.asked.OSL))
		}
	}
	return notes
}

// scaledBy is a latency after the engine, with the figure that defends it.
func scaledBy(q *predict.Prediction, name string, was figure.Range, k float64) figure.Range {
	now := was.Scale(k)
	q.Figures = append(slices.Clone(q.Figures), figure.Figure{Name: name + ", by the engine", Value: now.Mid, Unit: "ms", Range: &now, Kind: figure.Simulated,
		Formula: "prediction × engine over closed form",
		Inputs:  []figure.Input{{Name: "prediction", Value: was.Mid, Unit: "ms"}, {Name: "engine over closed form", Value: k, Unit: "x"}}, Source: simulationSource})
	return now
}

// apart says how far one value lies from another.
func apart(k float64) string {
	switch {
	case k >= 2:
		return fmt.Sprintf("%.1f times longer", k)
	case k > 1:
		return fmt.Sprintf("%.0f %% longer", 100*(k-1))
	}
	return fmt.Sprintf("%.0f %% shorter", 100*(1-k))
}

// simulatedOf is what a reader sees of a simulation.
func (p *planner) simulatedOf(s sized) *Simulated {
	sim := s.simulated
	if sim == nil {
		return nil
	}
	shares := float64(s.layout.dp * s.layout.pp)
	out := &Simulated{
		KVPeak: sim.kvPeak, Preemptions: sim.preemptions * int64(shares), Batch: sim.batch, Queued: sim.queued * shares,
		Requests: sim.requests * int(shares), Span: sim.span.Seconds(),
	}
	// In the option's own time: the share of the time to a first token.
	if form := s.predicted.Form; sim.wait > 0 {
		out.Wait = s.predicted.TTFT.Mid * sim.wait / (form.TTFT - form.Wait + sim.wait)
	}
	for _, metric := range judgedMetrics {
		for percentile, r := range sim.tails[metric] {
			out.Factors = append(out.Factors, Factor{metric, percentile, r})
		}
	}
	slices.SortStableFunc(out.Factors, func(a, b Factor) int {
		return cmp.Or(cmp.Compare(slices.Index(judgedMetrics, a.Metric), slices.Index(judgedMetrics, b.Metric)), cmp.Compare(a.Percentile, b.Percentile))
	})
	return out
}

// simulatedFigures defend what the engine showed.
func simulatedFigures(s *Simulated) []figure.Figure {
	if s == nil {
		return nil
	}
	inputs := []figure.Input{{Name: "requests that ended", Value: float64(s.Requests)}, {Name: "span", Value: s.Span, Unit: "s"}}
	var out []figure.Figure
	for _, f := range []struct {
		name, unit, formula string
		value               float64
	}{
		{"KV cache in use at most", "%", "blocks that requests hold ÷ blocks, the most of any step", 100 * s.KVPeak},
		{"preemptions", "", "requests that lost their blocks to others", float64(s.Preemptions)},
		{"requests in a step", "requests", "mean over time, of one scheduler", s.Batch},
		{"requests that wait for room", "requests", "mean over time", s.Queued},
	} {
		out = append(out, figure.Figure{Name: f.name, Value: f.value, Unit: f.unit, Kind: figure.Simulated, Formula: f.formula, Inputs: inputs, Source: simulationSource})
	}
	return out
}
