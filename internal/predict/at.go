package predict

import (
	"cmp"
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
)

// OverloadError says that more requests arrive than a system serves.
type OverloadError struct {
	Rate, Most float64 // requests per second
}

func (e *OverloadError) Error() string {
	return fmt.Sprintf("%.3g requests a second arrive, and about %.3g can be served", e.Rate, e.Most)
}

// At predicts how a system serves a load. The error is a *Refused where the system
// can't be predicted, and an *OverloadError where it can't keep up with a rate.
func At(s System, l Load) (Prediction, error) {
	if err := l.check(); err != nil {
		return Prediction{}, err
	}
	at, err := siteOf(s)
	if err != nil {
		return Prediction{}, err
	}
	at.ISL, at.OSL = l.ISL, l.OSL
	if l.Rate == 0 {
		at.Concurrency = l.Concurrency
		return current().predict(at), nil
	}
	return current().atRate(at, l.Rate)
}

// siteOf is a system without its load.
func siteOf(s System) (site, error) {
	s.TP, s.PP, s.DP, s.EP = max(s.TP, 1), max(s.PP, 1), max(s.DP, 1), max(s.EP, 1)
	s.Engine = engineOf(s.Engine)
	at := site{System: s, model: shortName(cmp.Or(s.Model.Repo, s.Model.Name))}
	switch how, why := s.Chip.Runs(cmp.Or(s.Format.Name, "bf16")); {
	case len(s.Model.Layers) == 0:
		return at, &Refused{"no architecture is given"}
	case s.Chip.Bandwidth <= 0 || s.Chip.Half() <= 0:
		return at, &Refused{fmt.Sprintf("bandwidth or arithmetic of %s is not known", s.Chip.Name)}
	case how == facts.Refused && s.Chip.BF16 > 0:
		return at, &Refused{why}
	}
	at.spread()
	return at, nil
}

// predict is a site's load in all that is asked of it.
func (m *Model) predict(s site) Prediction {
	f := flowOf(s)
	p, g := m.latencies(s, &f)
	p.Figures = m.figures(s, &f, g, p)
	return p
}

// latencies are a prediction without what explains it.
func (m *Model) latencies(s site, f *flow) (Prediction, guess) {
	g := m.guess(s, f)
	p := Prediction{Concurrency: f.open, TTFT: g.ttft, ITL: g.itl, Waiting: f.over > crowded, Note: g.note()}
	p.Form = Form{TTFT: 1e3 * g.form.ttft, ITL: 1e3 * g.form.itl, Wait: 1e3 * g.form.ttft * g.form.waited}
	p.finish(float64(s.OSL), f.running, g.form.waited)
	return p, g
}

// finish derives what follows from the two latencies: throughput is of the requests
// that run, over the time in which each does.
func (p *Prediction) finish(osl, running, waited float64) {
	decode := p.ITL.Scale(max(osl-1, 0))
	if osl <= 1 {
		decode = figure.Range{}
	}
	p.E2E = p.TTFT.Plus(decode)
	p.RequestsPerSecond = p.TTFT.Scale(1 - waited).Plus(decode).Inverse(1e3 * running)
	p.OutputTPS = p.RequestsPerSecond.Scale(osl)
}

// atRate is the load at which as many requests are open as arrive while one is
// served (Little 1961): concurrency = rate x E2E.
func (m *Model) atRate(s site, rate float64) (Prediction, error) {
	served := func(n int) float64 {
		s.Concurrency = n
		f := flowOf(s)
		p, _ := m.latencies(s, &f)
		return p.RequestsPerSecond.Mid
	}
	low, high := 0, 1
	for most, x := 0.0, served(high); x < rate; x = served(high) {
		if x <= most*1.01 {
			return Prediction{}, &OverloadError{rate, most}
		}
		most = x
		if low, high = high, high*2; high > maxConcurrency {
			return Prediction{}, &OverloadError{rate, most}
		}
	}
	for high-low > 1 {
		if mid := (low + high) / 2; served(mid) < rate {
			low = mid
		} else {
			high = mid
		}
	}
	s.Concurrency = high
	p := m.predict(s)
	// Between two counts, and below one, latency hardly moves; what is open follows.
	p.Concurrency = min(rate*p.E2E.Mid/1e3, p.Concurrency)
	p.RequestsPerSecond, p.OutputTPS = figure.Exactly(rate), figure.Exactly(rate*float64(s.OSL))
	for i := range p.Figures {
		if p.Figures[i].Name == throughputFigure {
			p.Figures[i] = figure.Figure{Name: throughputFigure, Value: p.OutputTPS.Mid, Unit: "tokens/s", Kind: figure.Computed,
				Formula: "requests that arrive a second x OSL: all are served", Inputs: []figure.Input{{Name: "arrivals", Value: rate, Unit: "requests/s"}, {Name: "OSL", Value: float64(s.OSL), Unit: "tokens"}}}
		}
	}
	return p, nil
}

// note joins what makes a range wide.
func (g *guess) note() string {
	out := ""
	for i, n := range g.notes {
		if i > 0 {
			out += "; "
		}
		out += n
	}
	return out
}

const throughputFigure = "output tokens per second"

// figures defend a prediction.
func (m *Model) figures(s site, f *flow, g guess, p Prediction) []figure.Figure {
	source := facts.Source{Title: "step model fitted to " + fmt.Sprint(len(m.Correction.keys)) + " published measurements, corrected by those nearby", URL: "docs/prediction.md", Date: m.Steps.Date}
	inputs := []figure.Input{
		{Name: "decode step of the fitted form", Value: 1e3 * g.form.step, Unit: "ms"},
		{Name: "with the prompts of others in between", Value: 1e3 * g.form.itl, Unit: "ms"},
		{Name: "correction by measurements", Value: g.itl.Mid / (1e3 * g.form.itl), Unit: "x"},
		{Name: "requests in a step", Value: f.running, Unit: "requests"},
	}
	itl, ttft, tps := g.itl, g.ttft, p.OutputTPS
	out := []figure.Figure{
		{Name: "ITL", Value: itl.Mid, Unit: "ms", Range: &itl, Kind: figure.Estimated, Source: source, Inputs: inputs,
			Formula: "(step + prompts of others x their pass / OSL) x correction"},
		{Name: "TTFT", Value: ttft.Mid, Unit: "ms", Range: &ttft, Kind: figure.Estimated, Source: source,
			Formula: "(request + steps + own prompt + others' prompts + wait for the KV cache) x correction",
			Inputs: []figure.Input{
				{Name: "of the fitted form", Value: 1e3 * g.form.ttft, Unit: "ms"},
				{Name: "correction by measurements", Value: g.ttft.Mid / (1e3 * g.form.ttft), Unit: "x"},
				{Name: "requests beyond the room for them", Value: 100 * f.over, Unit: "%"},
			}},
		{Name: throughputFigure, Value: tps.Mid, Unit: "tokens/s", Range: &tps, Kind: figure.Estimated, Source: source,
			Formula: "concurrency x OSL / (TTFT + ITL x (OSL - 1))", Inputs: []figure.Input{{Name: "concurrency", Value: p.Concurrency, Unit: "requests"}}},
	}
	for i := range out {
		if math.IsNaN(out[i].Value) {
			return nil
		}
	}
	return out
}
