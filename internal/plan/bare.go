package plan

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"assay/internal/figure"
	"assay/internal/memory"
	"assay/internal/model"
	"assay/internal/predict"
)

// A bare count such as 30B says how many weights there are and nothing of what a
// token keeps in the KV cache. The plan is made for the candidate with the middle KV
// cache; its ranges cover those with the smallest and the largest.

// pick keeps three of the candidates, the middle one decides.
func (p *planner) pick(all []model.Arch) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(x, y model.Arch) int { return cmp.Compare(x.KVBytesPerToken(2), y.KVBytesPerToken(2)) })
	p.arch = all[len(all)/2]
	p.others = []model.Arch{all[0]}
	for _, a := range []model.Arch{p.arch, all[len(all)-1]} {
		if a.Name != p.others[len(p.others)-1].Name {
			p.others = append(p.others, a)
		}
	}
}

// name is what the model is called in the answer.
func (p *planner) name(a model.Arch) string {
	if len(p.others) > 0 {
		return fmt.Sprintf("%s (as %s)", p.asked.Model, a.Name)
	}
	return a.Name
}

// scaled are the weights of a candidate by part, given the count that was asked for.
func (p *planner) scaled(a model.Arch) *model.Counts {
	k := float64(p.parameters) / float64(a.Parameters())
	var bytes model.Counts
	for part, n := range a.Counts() {
		bytes[part] = int64(k * float64(n) * p.format.Width(model.Part(part)))
	}
	return &bytes
}

// addCandidates widens an option over the architectures that the count may be.
func (p *planner) addCandidates(o *Option, s sized) {
	if len(p.others) < 2 {
		return
	}
	var tokens []float64
	scale := o.Predicted.Output.Mid / s.predicted.OutputTPS.Mid
	for _, a := range p.others {
		q, held, err := p.forArch(a, s)
		var small *memory.TooSmallError
		if errors.As(err, &small) {
			held, err = 0, nil
			tokens = append(tokens, 0)
			continue
		}
		if err != nil {
			continue
		}
		tokens = append(tokens, float64(held*s.layout.dp))
		widen(&o.Predicted.TTFT, q.TTFT)
		widen(&o.Predicted.ITL, q.ITL)
		widen(&o.Predicted.E2E, q.E2E)
		widen(&o.Predicted.Output, q.OutputTPS.Scale(scale))
		widen(&o.Predicted.Requests, q.RequestsPerSecond.Scale(scale))
	}
	if len(tokens) == 0 {
		return
	}
	tokens = append(tokens, float64(o.KVTokens))
	o.KVTokensRange = &figure.Range{Low: slices.Min(tokens), Mid: float64(o.KVTokens), High: slices.Max(tokens)}
	o.SLO = judge(o.Predicted, p.asked.SLO, s.tails())
	o.Meets = overall(o.SLO)
	if hourly, ok := p.hourly(s.instance, o.Count); ok {
		o.USD = perMillion(hourly, o.Predicted.Output)
	}
}

// forArch is the prediction and the KV tokens of a rank, were the model that one.
func (p *planner) forArch(a model.Arch, s sized) (predict.Prediction, int, error) {
	a.Context = max(a.Context, p.asked.Context)
	cfg := p.memoryConfig(a, s.chip, s.layout)
	cfg.Stored = p.scaled(a)
	account, err := memory.Of(cfg)
	if err != nil {
		return predict.Prediction{}, 0, err
	}
	c := s.candidate
	c.account = account
	q, err := p.at(p.system(a, c), s.load)
	return q, account.KVTokens, err
}

func widen(r *figure.Range, other figure.Range) {
	r.Low, r.High = min(r.Low, other.Low), max(r.High, other.High)
}

// overCandidates is the range of a figure over the architectures of a bare count.
func (p *planner) overCandidates(of func(model.Arch) float64) (figure.Range, bool) {
	if len(p.others) < 2 {
		return figure.Range{}, false
	}
	var all []float64
	for _, a := range p.others {
		all = append(all, of(a))
	}
	return figure.Range{Low: slices.Min(all), Mid: of(p.arch), High: slices.Max(all)}, true
}
