package plan

import (
	"fmt"
	"math"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/spec"
)

// judgedMetrics are the latencies that a plan predicts.
var judgedMetrics = []string{"ttft", "itl", "e2e"}

// Verdicts on a condition. Undecided: the error bars hold the limit.
const (
	Met       = "met"
	Missed    = "missed"
	Undecided = "undecided"
)

// tails are a percentile over the mean of the same latency where an option was not
// simulated itself: as the engine in virtual
// time shows them over its chips, models, lengths and loads: closed loops of 1 to
// 128 requests and Poisson arrivals at 0.2 to 0.85 of what the service can do,
// lengths lognormal with σ = 0.3. Low and High hold 9 services in 10; a test
// repeats them.
var tails = tailsOf{
	"ttft": {"p50": {Low: 0.80, Mid: 0.95, High: 1.02}, "p90": {Low: 1.10, Mid: 1.40, High: 1.90}, "p95": {Low: 1.10, Mid: 1.60, High: 2.35}, "p99": {Low: 1.20, Mid: 1.95, High: 3.40}},
	"itl":  {"p50": {Low: 0.95, Mid: 1.00, High: 1.07}, "p90": {Low: 1.00, Mid: 1.09, High: 1.35}, "p95": {Low: 1.00, Mid: 1.12, High: 1.50}, "p99": {Low: 1.00, Mid: 1.18, High: 1.85}},
	"e2e":  {"p50": {Low: 0.90, Mid: 0.97, High: 1.02}, "p90": {Low: 1.15, Mid: 1.37, High: 1.50}, "p95": {Low: 1.25, Mid: 1.52, High: 1.75}, "p99": {Low: 1.70, Mid: 2.15, High: 2.60}},
}

// atPercentile is a percentile of a latency whose mean is predicted. Both are
// uncertain, and by causes of their own: their bars are joined as independent ones
// of a product are, by the squares of their logarithms.
func atPercentile(mean, tail figure.Range) figure.Range {
	mid := mean.Mid * tail.Mid
	join := func(a, b float64) float64 { return math.Exp(math.Hypot(math.Log(a), math.Log(b))) }
	return figure.Range{
		Low:  mid / join(mean.Mid/mean.Low, tail.Mid/tail.Low),
		Mid:  mid,
		High: mid * join(mean.High/mean.Mid, tail.High/tail.Mid),
	}
}

// tail is a percentile over the mean of a latency, and whether the option itself was
// simulated. False where the mean itself is asked for.
func (own tailsOf) tail(metric, percentile string) (tail figure.Range, simulated, ok bool) {
	if t, ok := own[metric][percentile]; ok {
		return t, true, true
	}
	t, ok := tails[metric][percentile]
	return t, false, ok
}

// judge holds a prediction against the conditions, with the tails that its own
// simulation has; nil: none.
func judge(p Predicted, slo []spec.Criterion, own tailsOf) []Judged {
	var out []Judged
	for _, c := range slo {
		v := p.mean(c.Metric)
		j := Judged{Metric: c.Metric, Percentile: c.Percentile, Limit: c.Limit, Verdict: Undecided, How: "predicted mean"}
		if t, simulated, ok := own.tail(c.Metric, c.Percentile); ok {
			v = atPercentile(v, t)
			what := "of other services, simulated"
			if simulated {
				what = "simulated at this load"
			}
			j.How = fmt.Sprintf("predicted mean × %.3g (%.3g to %.3g, %s)", t.Mid, t.Low, t.High, what)
		}
		j.Value = v
		switch {
		case v.High < c.Limit:
			j.Verdict = Met
		case v.Low >= c.Limit:
			j.Verdict = Missed
		}
		out = append(out, j)
	}
	return out
}

// mean is the predicted mean of a latency.
func (p Predicted) mean(metric string) figure.Range {
	switch metric {
	case "ttft":
		return p.TTFT
	case "itl":
		return p.ITL
	}
	return p.E2E
}

// tailFigures defend the percentiles that the SLO was held against.
func tailFigures(judged []Judged, p Predicted, own tailsOf) []figure.Figure {
	var out []figure.Figure
	for _, j := range judged {
		tail, simulated, ok := own.tail(j.Metric, j.Percentile)
		if !ok {
			continue
		}
		kind, source := figure.Estimated, tailSource
		if simulated {
			kind, source = figure.Simulated, simulationSource
		}
		value := j.Value
		out = append(out, figure.Figure{Name: metricWord(j.Metric) + " " + j.Percentile, Value: value.Mid, Unit: "ms", Range: &value, Kind: kind,
			Formula: "predicted mean × percentile over mean; the ends of both ranges are joined by the squares of their logarithms",
			Inputs:  []figure.Input{{Name: "mean", Value: p.mean(j.Metric).Mid, Unit: "ms"}, {Name: "percentile over mean", Value: tail.Mid}, {Name: "at least", Value: tail.Low}, {Name: "at most", Value: tail.High}},
			Source:  source})
	}
	return out
}

// tailSource is where the factors from mean to percentile come from.
var tailSource = facts.Source{Title: "the simulated engine in virtual time over chips, models, lengths and loads: internal/plan/slo_test.go", Date: "2026-11-30"}

// simulationSource is where the factors of a simulated option come from.
var simulationSource = facts.Source{Title: "the engine in virtual time at this option's share of the load: docs/plan.md", Date: "2026-11-30"}

// excess is how far the middle of the worst condition lies from its limit: up to 1
// is met.
func excess(judged []Judged) float64 {
	worst := 0.0
	for _, j := range judged {
		worst = math.Max(worst, j.Value.Mid/j.Limit)
	}
	return worst
}

// overall is the worst verdict.
func overall(judged []Judged) string {
	out := Met
	for _, j := range judged {
		switch {
		case j.Verdict == Missed:
			return Missed
		case j.Verdict == Undecided:
			out = Undecided
		}
	}
	return out
}
