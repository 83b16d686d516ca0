package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// prediction is what an experiment should make of a figure: its ratio to the
// base level where the verdict is right, and where another resource binds.
type prediction struct {
	metric, what, unit string
	value              func(record.Level) *float64
	right, wrong       float64
}

// predict says what a kind of experiment should do to the base level under a
// verdict. The last result is false where the experiment would show nothing: the
// verdict asks for no such one, or both outcomes would be much the same.
func predict(verdict, kind string, base record.Level) (prediction, bool) {
	p, ok := predictions[verdict+" "+kind]
	if !ok {
		return prediction{}, false
	}
	out, ok := p(base)
	return out, ok && math.Abs(math.Log(out.right/out.wrong)) >= leastContrast
}

// leastContrast is how far apart the two outcomes must lie, as the logarithm of
// their ratio: some 20 %, or noise would decide.
const leastContrast = 0.18

var predictions = map[string]func(record.Level) (prediction, bool){
	record.BoundMemory + " " + record.HalveOutput:        decodeShrinks,
	record.BoundKVCache + " " + record.HalveOutput:       decodeShrinks,
	record.BoundCollective + " " + record.HalveOutput:    decodeShrinks,
	record.BoundCompute + " " + record.HalveOutput:       onlyTokensShrink,
	record.BoundCompute + " " + record.OneToken:          tokensAreAll,
	record.BoundTokenBudget + " " + record.OneToken:      tokensAreAll,
	record.BoundCompute + " " + record.SharedPrompts:     promptsAreAll,
	record.BoundTokenBudget + " " + record.SharedPrompts: promptsAreAll,
	record.BoundCPU + " " + record.OneToken:              requestsAreAll,
	record.BoundAdmission + " " + record.DoubleLoad:      batchStays,
	record.BoundNotSaturated + " " + record.DoubleLoad:   throughputGrows,
}

func requests(right, wrong float64) prediction {
	return prediction{"requests_per_s", "requests a second", "requests/s",
		func(l record.Level) *float64 { return positive(l.Throughput.RequestsPerS) }, right, wrong}
}

// residence is the mean time of a request in prefill and in decode, ms, and its
// mean prompt and output, tokens.
func residence(l record.Level) (prefill, decode, prompt, output float64, ok bool) {
	if l.Got.Prompt == nil || l.Got.Output == nil || *l.Got.Output <= 1 {
		return
	}
	prompt, output = *l.Got.Prompt, *l.Got.Output
	switch s := l.Server; {
	case s != nil && s.PrefillMean != nil && s.DecodeMean != nil:
		prefill, decode = *s.PrefillMean, *s.DecodeMean
	case l.ITL.Mean != nil && l.Anatomy.Queue != nil && l.TTFT.Mean != nil:
		prefill, decode = max(*l.TTFT.Mean-*l.Anatomy.Queue, 0), *l.ITL.Mean*(output-1)
	default:
		return
	}
	return prefill, decode, prompt, output, prefill+decode > 0
}

// decodeShrinks: requests leave as soon as their decode is over, so half the
// output nearly doubles them; were the prompts what costs, hardly.
func decodeShrinks(l record.Level) (prediction, bool) {
	prefill, decode, prompt, output, ok := residence(l)
	return requests((prefill+decode)/(prefill+decode/2), (prompt+output)/(prompt+output/2)), ok
}

func onlyTokensShrink(l record.Level) (prediction, bool) {
	p, ok := decodeShrinks(l)
	p.right, p.wrong = p.wrong, p.right
	return p, ok
}

// tokensAreAll: every token costs the same, so without decode the prompts still do.
func tokensAreAll(l record.Level) (prediction, bool) {
	prefill, decode, prompt, output, ok := residence(l)
	return requests((prompt+output)/(prompt+1), max(prefill+decode, 1)/max(prefill, 1)), ok
}

// promptsAreAll: prompts that share all but their end are read once.
func promptsAreAll(l record.Level) (prediction, bool) {
	_, _, prompt, output, ok := residence(l)
	return requests((prompt+output)/(prompt*unsharedEnd+output), 1), ok
}

// unsharedEnd is the part of a prompt that the shared-prompts experiment leaves unique.
const unsharedEnd = 0.1

// requestsAreAll: the front end works for each request, so it caps requests that
// need no decode as well.
func requestsAreAll(l record.Level) (prediction, bool) {
	prefill, decode, _, _, ok := residence(l)
	return requests(1.1, max(prefill+decode, 1)/max(prefill, 1)), ok
}

func batchStays(record.Level) (prediction, bool) {
	return prediction{"running_max", "running requests", "requests", func(l record.Level) *float64 {
		if l.Server == nil || l.Server.RunningMax == nil {
			return nil
		}
		return positive(*l.Server.RunningMax)
	}, 1, 2}, true
}

func throughputGrows(record.Level) (prediction, bool) { return requests(1.7, 1), true }

func positive(v float64) *float64 {
	if v <= 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// experiment is the first kind that would show something at the top level.
func (x *examination) experiment(verdict string, kinds ...string) *record.Experiment {
	if x.top == nil || x.Service {
		return nil
	}
	for _, kind := range kinds {
		p, ok := predict(verdict, kind, *x.top)
		if !ok {
			continue
		}
		load := x.top.Load
		if kind == record.DoubleLoad {
			load.Value *= 2
		}
		return &record.Experiment{Kind: kind, Level: x.top.ID, Load: load,
			Expect: fmt.Sprintf("%s become %s of what they were if %s is right, and %s if it is not", p.what, times(p.right), verdict, times(p.wrong))}
	}
	return nil
}

func times(ratio float64) string { return fmt.Sprintf("%.2f times", ratio) }
