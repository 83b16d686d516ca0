package plan

import (
	"errors"
	"fmt"
	"math"

	"assay/internal/memory"
	"assay/internal/model"
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
	if len(o.misses) == 0 {
		return p.larger(o)
	}
	f := o.misses[0]
	best := p.shown(f)
	n := &Nearest{Option: &best}
	for _, j := range missed(f.sized.judged) {
		n.Misses = append(n.Misses, fmt.Sprintf("%s: %.0f %% above the limit", j.said(), 100*(j.Value.Mid/j.Limit-1)))
	}
	if len(n.Misses) > 0 {
		n.Relax = append(n.Relax, relaxed(f.sized.judged))
	} else { // it holds no such load
		n.Misses = []string{p.whyNot(f.sized, best.Replicas)}
		n.Relax = []string{"a larger --replicas-max, or less load"}
	}
	if next := p.smallerFormat(); next != "" {
		n.Relax = append(n.Relax, "--precision "+next+", which reads fewer bytes for a token")
	}
	return Verdict{Verdict: MeetsNone, Say: fmt.Sprintf("nothing meets the SLO: %s comes closest", best.ID), Nearest: n}
}

// larger is the verdict where nothing holds the model: a smaller precision that
// fits where it was asked for, or where it does fit.
func (p *planner) larger(o outcome) Verdict {
	v := Verdict{Verdict: TooLarge, Say: fmt.Sprintf("nothing that was allowed holds %s in %s with %d tokens of context", p.name(p.arch), p.called(), p.asked.Context)}
	n := &Nearest{}
	for _, name := range []string{"fp8", "int4"} {
		other := *p
		f, err := p.arch.Quantised(name)
		if err != nil || f.Width(model.Projection) >= p.format.Width(model.Projection) {
			continue
		}
		other.format, other.stored, other.accounts = f, nil, map[placed]held{}
		other.predictions = map[asking]answered{}
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

// smallerFormat is a precision whose weights are smaller than those of the plan.
func (p *planner) smallerFormat() string {
	for _, name := range []string{"fp8", "int4"} {
		if f, err := p.arch.Quantised(name); err == nil && f.Width(model.Projection) < p.format.Width(model.Projection) {
			return name
		}
	}
	return ""
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
