package plan

import (
	"errors"
	"fmt"
	"math"

	"assay/internal/memory"
	"assay/internal/model"
	"assay/internal/predict"
)

// nearest finds, where nothing meets the request, what comes closest and what to
// ask instead.
func (p *planner) nearest(o outcome) Verdict {
	switch {
	case o.dear > 0:
		if v, ok := p.withoutBudget(); ok {
			return v
		}
		return p.slowest(o)
	case len(o.misses) > 0:
		return p.slowest(o)
	case o.slow > 0:
		return p.overloaded(o)
	case o.fits > 0:
		return Verdict{Verdict: NoForecast, Say: fmt.Sprintf("%s fits in %d layouts, and none of them is left: the reasons stand below", p.name(p.arch), o.fits)}
	}
	return p.larger(o)
}

// withoutBudget is the cheapest option at any price.
func (p *planner) withoutBudget() (Verdict, bool) {
	free := *p
	free.budget = 0
	o := free.look()
	if len(o.options) == 0 {
		return Verdict{}, false
	}
	best := p.shown(o.options[0])
	over := o.options[0].hourly - p.budget
	return Verdict{
		Verdict: OverBudget,
		Say:     fmt.Sprintf("nothing meets this for %s: the cheapest that does, %s, costs %s", dollars(p.budget), best.ID, dollars(o.options[0].hourly)),
		Nearest: &Nearest{Option: &best, Misses: []string{fmt.Sprintf("costs %s more than the budget", dollars(over))},
			Relax: []string{fmt.Sprintf("--budget %s", dollarFlag(o.options[0].hourly))}},
	}, true
}

// dollarFlag is a price an hour as --budget takes it, rounded up to cents.
func dollarFlag(hourly float64) string { return fmt.Sprintf("%.2f$/h", math.Ceil(100*hourly)/100) }

// slowest is the verdict where options fit and none is fast enough.
func (p *planner) slowest(o outcome) Verdict {
	switch {
	case len(o.misses) > 0:
	case o.slow > 0:
		return p.overloaded(o)
	default:
		return p.larger(o)
	}
	f := o.misses[0]
	best := p.shown(f)
	n := &Nearest{Option: &best}
	for _, j := range missed(f.sized.judged) {
		n.Misses = append(n.Misses, fmt.Sprintf("%s: %.0f %% above the limit", j.said(), 100*(j.Value.Mid/j.Limit-1)))
	}
	if len(n.Misses) == 0 {
		return p.overloaded(o)
	}
	n.Relax = append(n.Relax, relaxed(f.sized.judged))
	if next := p.smallerFormat(); next != "" {
		n.Relax = append(n.Relax, next)
	}
	return Verdict{Verdict: MeetsNone, Say: fmt.Sprintf("nothing meets the SLO: %s comes closest", best.ID), Nearest: n}
}

// larger is the verdict where nothing holds the model: a smaller precision that
// fits where it was asked for, or where it does fit.
func (p *planner) larger(o outcome) Verdict {
	v := Verdict{Verdict: TooLarge, Say: fmt.Sprintf("nothing that was allowed holds %s in %s with %d tokens of context", p.name(p.arch), p.called(), p.asked.Context)}
	n := &Nearest{}
	for _, name := range []string{"fp8", "int4"} {
		other, ok := p.in(name)
		if !ok {
			continue
		}
		if fit, _ := other.candidates(); len(fit) > 0 {
			n.Relax = append(n.Relax, fmt.Sprintf("--precision %s fits on %s (%s)", name, fit[0].instance.Name, fit[0].layout))
			break
		}
	}
	if context := p.longest(); context > 0 && context < p.asked.Context {
		n.Relax = append(n.Relax, fmt.Sprintf("--context %d", context))
	}
	if best, ok := p.anywhere(); ok {
		n.Option = &best
		n.Relax = append(n.Relax, "--instance "+best.Instance)
	}
	if len(n.Relax) > 0 {
		v.Nearest = n
	}
	return v
}

// anywhere is the cheapest option among all instances, where only some were allowed.
func (p *planner) anywhere() (Option, bool) {
	if len(p.asked.Instances) == 0 && len(p.pools) == 0 {
		return Option{}, false
	}
	wide := *p
	wide.instances, wide.pools = everyInstance(), nil
	o := wide.look()
	if len(o.options) == 0 {
		return Option{}, false
	}
	return wide.shown(o.options[0]), true
}

// overloaded is the verdict where what was allowed does not keep up with the load:
// how many replicas would, at any price.
func (p *planner) overloaded(o outcome) Verdict {
	free := *p
	free.asked.ReplicasMax, free.budget = mostReplicas, 0
	if more := free.look(); len(more.options) > 0 {
		f := more.options[0]
		best := free.shown(f)
		n := &Nearest{Option: &best, Misses: []string{}, Relax: []string{}}
		if best.Replicas > p.asked.ReplicasMax {
			n.Misses = append(n.Misses, fmt.Sprintf("--replicas-max is %d", p.asked.ReplicasMax))
			n.Relax = append(n.Relax, fmt.Sprintf("--replicas-max %d", best.Replicas))
		}
		if p.budget > 0 && f.hourly > p.budget {
			n.Misses = append(n.Misses, fmt.Sprintf("costs %s more than the budget", dollars(f.hourly-p.budget)))
			n.Relax = append(n.Relax, "--budget "+dollarFlag(f.hourly))
		}
		return Verdict{Verdict: MeetsNone, Say: fmt.Sprintf("nothing that was allowed holds the load: the cheapest that does, %s, takes %s%s", best.ID, replicas(best.Replicas), free.forCost(best)), Nearest: n}
	}
	if len(o.misses) == 0 {
		return Verdict{Verdict: MeetsNone, Say: "nothing holds the load: the reasons stand below"}
	}
	f := o.misses[0]
	best := p.shown(f)
	return Verdict{Verdict: MeetsNone, Say: fmt.Sprintf("nothing holds the load: %s comes closest", best.ID),
		Nearest: &Nearest{Option: &best, Misses: []string{p.whyNot(f.sized, p.mostReplicas(f.sized.candidate))}, Relax: []string{}}}
}

// smallerFormat is a precision of smaller weights with which something meets what
// was asked, and the cheapest that does; empty where none is.
func (p *planner) smallerFormat() string {
	for _, name := range []string{"fp8", "int4"} {
		other, ok := p.in(name)
		if !ok {
			continue
		}
		if o := other.look(); len(o.options) > 0 {
			best := o.options[0].option
			return fmt.Sprintf("--precision %s: %s%s", name, best.ID, other.forCost(best))
		}
	}
	return ""
}

// in is the same request in a precision of smaller weights; false where it has none.
func (p *planner) in(name string) (*planner, bool) {
	f, err := p.arch.Quantised(name)
	if err != nil || f.Width(model.Projection) >= p.format.Width(model.Projection) {
		return nil, false
	}
	other := *p
	other.format, other.stored, other.accounts = f, nil, map[placed]held{}
	other.predictions, other.curves, other.simulations = map[asking]answered{}, map[placed]predict.Curve{}, map[asking]*simulation{}
	return &other, true
}

// longest is the longest context of which some layout holds one request.
func (p *planner) longest() int {
	longest := 0
	for _, h := range p.accounts {
		var small *memory.TooSmallError
		if errors.As(h.err, &small) {
			longest = max(longest, small.MaxModelLen)
		}
	}
	return longest
}
