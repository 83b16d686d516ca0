package plan

import (
	"cmp"
	"fmt"

	"assay/internal/model"
)

// Request is what a user asks, and the files that it names.
type Request struct {
	Asked
	PriceFiles []string // prices beside the embedded ones
	NodePools  []string // Karpenter's objects: only what they launch is an option
	Calibrate  string   // a run or an engine's start-up log in place of estimates; empty: none
	Explain    bool     // options with the figures behind their numbers
}

// Serve plans how to serve a model. The error is a *UsageError where the request
// says too little or contradicts itself; a request that nothing meets is an answer,
// whose verdict says so.
func Serve(r Request) (*Result, error) {
	p, err := resolve(r)
	if err != nil {
		return nil, err
	}
	answer := p.answer(r.Explain)
	if p.refusal != nil {
		return nil, p.refusal
	}
	return answer, nil
}

// answer looks at every layout and puts the result together.
func (p *planner) answer(explain bool) *Result {
	o := p.look()
	out := &Result{Request: p.asked, Model: p.modelOf(), Memory: p.memoryOf(), Rejected: o.rejected, Remarks: p.remarks, Options: []Option{}}
	for _, f := range o.options {
		option := p.shown(f)
		if explain {
			p.explain(&option, f.sized)
		}
		out.Options = append(out.Options, option)
	}
	if len(o.options) == 0 {
		out.Verdict = p.nearest(o)
		if n := out.Verdict.Nearest; n != nil && n.Option != nil && !explain {
			n.Option.Figures = nil
		}
	} else {
		out.Verdict = p.verdict(out.Options)
	}
	if out.Rejected == nil {
		out.Rejected = []Rejection{}
	}
	out.NotKnown = p.notKnown(out)
	return out
}

// shown is an option with what is computed only for those that are shown.
func (p *planner) shown(f found) Option {
	o := f.option
	p.addKnee(&o, f.sized)
	p.addCandidates(&o, f.sized)
	return o
}

// modelOf describes the model.
func (p *planner) modelOf() Model {
	m := Model{Name: p.asked.Model, Parameters: p.parameters, Active: p.arch.ActiveParameters(), Precision: p.called(), Context: p.arch.Context, From: p.from}
	if len(p.others) > 0 {
		m.Assumed = true
		for _, a := range p.others {
			m.Candidates = append(m.Candidates, a.Name)
		}
	} else if p.arch.Name != "" {
		m.Name = p.arch.Name
	}
	m.Serve = cmp.Or(p.served, "MODEL")
	return m
}

// memoryOf is the memory of one replica as a whole.
func (p *planner) memoryOf() Memory {
	m := Memory{Weights: p.weights(), KVPerToken: p.kvPerToken(p.arch), KVFormat: p.kv.Name, WeightsExact: p.exact}
	if r, ok := p.overCandidates(func(a model.Arch) float64 { return float64(p.kvPerToken(a)) }); ok {
		m.KVRange = &r
	}
	return m
}

// kvPerToken is what one token keeps over all layers of one replica, scales of the
// format aside, while every window still holds it.
func (p *planner) kvPerToken(a model.Arch) int64 { return a.KVBytesPerToken(p.kv.Width()) }

// notKnown says what a reader may miss.
func (p *planner) notKnown(r *Result) []string {
	var out []string
	if len(r.Options) == 0 {
		return nil
	}
	first := r.Options[0]
	if first.Price.OnDemand == nil {
		out = append(out, fmt.Sprintf("the on-demand price of %s in %s: give --price-file", first.Instance, p.asked.Region))
	}
	if first.Price.Spot == nil {
		out = append(out, "Spot prices: "+first.Price.AskSpot+" > spot.json, then --price-file spot.json")
	}
	if first.Predicted.Knee == nil {
		out = append(out, "the knee: it is not reached at the loads that were looked at")
	}
	return out
}
