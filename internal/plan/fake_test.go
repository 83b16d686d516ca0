package plan

import (
	"testing"

	"assay/internal/figure"
	"assay/internal/predict"
	"assay/internal/spec"
)

// bound is a predictor that knows bandwidth and arithmetic alone, so that what a plan
// makes of predictions is tested apart from them.
func bound(s predict.System, l predict.Load) (predict.Prediction, error) {
	gpus := float64(s.GPUs())
	read := float64(s.Model.WeightBytes(s.Format))
	flops := 2 * float64(s.Model.ActiveParameters())
	n := float64(l.Concurrency)
	prefill := 1000 * flops * float64(l.ISL) / (gpus * s.Chip.Half() * 0.5) // ms
	step := func(n float64) float64 {
		return 1000*read/(gpus*s.Chip.Bandwidth*0.8) + 0.1*n + prefill*n/float64(l.OSL)
	}
	if l.Rate > 0 { // Little's law, by iteration
		n = 1
		for range 100 {
			n = l.Rate * (prefill + step(n)*float64(l.OSL)) / 1000
			if n > 1000 {
				return predict.Prediction{}, &predict.OverloadError{Rate: l.Rate, Most: 1000 * 1000 / (prefill + step(1000)*float64(l.OSL))}
			}
		}
	}
	itl := figure.Range{Low: step(n) / 1.2, Mid: step(n), High: step(n) * 1.2}
	ttft := figure.Range{Low: 0.7 * prefill * (1 + n/8), Mid: prefill * (1 + n/8), High: 1.4 * prefill * (1 + n/8)}
	e2e := ttft.Plus(itl.Scale(float64(l.OSL - 1)))
	rps := e2e.Inverse(1000 * n)
	waiting := n*float64(l.ISL+l.OSL) > float64(s.KVTokens)
	return predict.Prediction{Concurrency: n, TTFT: ttft, ITL: itl, E2E: e2e, OutputTPS: rps.Scale(float64(l.OSL)), RequestsPerSecond: rps, Waiting: waiting}, nil
}

// asked is a planner of a request over the fake predictor.
func asked(t *testing.T, change func(*Request)) *planner {
	t.Helper()
	p, err := resolve(request(change))
	if err != nil {
		t.Fatal(err)
	}
	p.at = bound
	p.run = func(*planner, sized) *simulation { return nil }
	return p
}

func request(change func(*Request)) Request {
	r := Request{Asked: Asked{Model: "llama-3.1-8b", Context: 8192, Concurrency: 64, ISL: 1000, OSL: 300}}
	if change != nil {
		change(&r)
	}
	return r
}

func slo(t *testing.T, conditions ...string) []spec.Criterion {
	t.Helper()
	list, err := spec.ParseConditions(conditions)
	if err != nil {
		t.Fatal(err)
	}
	return list
}
