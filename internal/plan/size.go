package plan

import (
	"math"

	"assay/internal/predict"
)

// sized is a candidate with as many replicas as the load needs.
type sized struct {
	candidate
	replicas  int
	load      predict.Load // of one replica
	predicted predict.Prediction
	judged    []Judged
	simulated *simulation // nil: not, or not yet
	notes     []string    // where the simulation overrules the prediction
}

// tails are those of its own simulation; nil without one.
func (s sized) tails() tailsOf {
	if s.simulated == nil {
		return nil
	}
	return s.simulated.tails
}

// size finds the fewest replicas that bear the load at the SLO: more of them never
// make it slower. Where even the most that are allowed do not, it gives those that
// come close, and false.
func (p *planner) size(c candidate, most int) (sized, bool, error) {
	one, err := p.with(c, 1)
	if err == nil && p.bears(one) {
		return one, true, nil
	}
	if most == 1 {
		return one, false, err
	}
	best, err := p.with(c, most)
	if err != nil {
		return sized{}, false, err
	}
	enough := p.bears
	ok := p.bears(best)
	if !ok {
		// Nothing does: the fewest that are about as good as the most.
		enough = func(s sized) bool { return excess(s.judged) <= 1.05*excess(best.judged) && p.holds(s) == p.holds(best) }
	}
	low, high := 1, most // high does, low does not
	for high-low > 1 {
		middle := (low + high) / 2
		s, err := p.with(c, middle)
		if err == nil && enough(s) {
			high, best = middle, s
		} else {
			low = middle
		}
	}
	return best, ok, nil
}

// bears says whether the replicas hold the load, and the middle of each prediction
// its limit.
func (p *planner) bears(s sized) bool { return p.holds(s) && excess(s.judged) <= 1 }

// holds says whether the replicas keep up: without an SLO nothing else says that
// requests must not wait for room, and no service answers fewer than arrive.
func (p *planner) holds(s sized) bool {
	if p.asked.Rate > 0 && s.predicted.RequestsPerSecond.Mid < 0.99*s.load.Rate {
		return false
	}
	return len(p.asked.SLO) > 0 || !s.predicted.Waiting
}

// with is a candidate with that many replicas.
func (p *planner) with(c candidate, replicas int) (sized, error) {
	s := sized{candidate: c, replicas: replicas, load: p.loadOf(replicas)}
	var err error
	if s.predicted, err = p.predict(c, s.load); err != nil {
		return s, err
	}
	s.judged = judge(p.predictedOf(s), p.asked.SLO, nil)
	return s, nil
}

// loadOf is the load of the fullest of several replicas.
func (p *planner) loadOf(replicas int) predict.Load {
	l := predict.Load{ISL: p.asked.ISL, OSL: p.asked.OSL}
	if p.asked.Rate > 0 {
		l.Rate = p.asked.Rate / float64(replicas)
	} else {
		l.Concurrency = (p.asked.Concurrency + replicas - 1) / replicas
	}
	return l
}

// mostReplicas is how many may be tried: no more than requests, than the user
// allows, than the budget pays.
func (p *planner) mostReplicas(c candidate) int {
	most := p.asked.ReplicasMax
	if p.asked.Concurrency > 0 {
		most = min(most, p.asked.Concurrency)
	}
	if hourly, ok := p.cost(c.instance); ok && p.budget > 0 {
		affordable := int(math.Min(p.budget/hourly*(1+1e-9), mostReplicas)) // instances
		most = min(most, affordable/c.nodes()*c.perInstance())
	}
	return most
}

// predict asks for a prediction, once for each system and load: instances that
// differ in their host alone share it.
func (p *planner) predict(c candidate, l predict.Load) (predict.Prediction, error) {
	key := asking{placed{c.chip.Name, c.layout}, l}
	got, ok := p.predictions[key]
	if !ok {
		s := p.system(p.arch, c)
		if got.prediction, got.err = p.at(s, l); got.err == nil && p.measured != nil {
			got.prediction = p.measured.Adjust(s, l, got.prediction)
		}
		p.predictions[key] = got
	}
	return got.prediction, got.err
}

type asking struct {
	placed
	load predict.Load
}

type answered struct {
	prediction predict.Prediction
	err        error
}
