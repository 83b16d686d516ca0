package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// tokenBudget: the engine's steps are filled to the token budget, so prompts
// wait their turn to be read though the GPU could read more of them in a step.
func (x *examination) tokenBudget() finding {
	f := finding{verdict: record.BoundTokenBudget}
	s := x.server
	if s == nil || s.IterationTokens == nil {
		return f
	}
	share, known := x.budgetShare()
	budget, ok := x.budget()
	switch {
	case known && share >= x.at(budgetFull):
		f.speaksFor(0.6+0.2*ramp(share, x.at(budgetFull), 0.95), x.budgetFact(share))
	case known:
		return f
	default:
		f.lacks("the engine's max-num-batched-tokens (vLLM does not publish it): compare with the flag")
		if _, _, known := x.prefillPart(); !ok && !known {
			return f // neither a budget nor what it does to requests was seen
		}
		if ok {
			f.speaksFor(0.3, x.fact(fmt.Sprintf("a mean step held %.0f tokens, whatever the load: nearly %.0f, as if that were the budget", *s.IterationTokens, budget), "iteration_tokens_mean", s.IterationTokens, "tokens"))
		}
	}
	f.change, f.next = x.changeBudget(budget)
	f.experiment = x.experiment(record.BoundTokenBudget, x.prefillExperiments()...)
	x.waitsForPrefill(&f)
	x.largerBudget(&f, budget)
	x.requestsElsewhere(&f)
	return f
}

func (x *examination) changeBudget(budget float64) (*record.Change, string) {
	c := &record.Change{Text: "let a step take more tokens, at the price of ITL; reuse prefixes if prompts share any", Flag: "--max-num-batched-tokens"}
	if budget == 0 {
		return c, fmt.Sprintf("start the server with twice its --max-num-batched-tokens and measure again: at load %g throughput rises and TTFT falls", x.top.Load.Value)
	}
	c.From, c.To = fmt.Sprintf("%.0f", budget), fmt.Sprintf("%.0f", 2*budget)
	return c, fmt.Sprintf("start the server with --max-num-batched-tokens %.0f (now %.0f) and measure again: at load %g throughput rises and TTFT falls", 2*budget, budget, x.top.Load.Value)
}

// budget is the engine's token budget, or what looks like it: a mean step just
// below a power of two that does not grow with load; 0: not known.
func (x *examination) budget() (float64, bool) {
	s := x.server
	if s.MaxBatchedTokens != nil {
		return *s.MaxBatchedTokens, true
	}
	near := math.Exp2(math.Ceil(math.Log2(*s.IterationTokens)))
	if x.below == nil || x.below.Server.IterationTokens == nil || near < 64 || *s.IterationTokens < 0.85*near {
		return 0, false
	}
	return near, math.Abs(*s.IterationTokens / *x.below.Server.IterationTokens - 1) < 0.1
}

// budgetShare is how much of the budget a mean step fills, where it is known.
func (x *examination) budgetShare() (float64, bool) {
	if x.server == nil {
		return 0, false
	}
	return ratio(x.server.IterationTokens, x.server.MaxBatchedTokens)
}

// budgetFact counts as vLLM does: the whole of a prompt in the step that ends it, so
// that prompts read over several steps come to more than the budget.
func (x *examination) budgetFact(share float64) record.Evidence {
	s := x.server
	text := fmt.Sprintf("a mean step held %.0f tokens, %.0f %% of max-num-batched-tokens %.0f", *s.IterationTokens, 100*share, *s.MaxBatchedTokens)
	if share > 1 {
		text = fmt.Sprintf("%.0f tokens came to each step that ended a prompt or gave a token, and max-num-batched-tokens is %.0f: prompts are read over several steps", *s.IterationTokens, *s.MaxBatchedTokens)
	}
	return x.fact(text, "iteration_tokens_mean", s.IterationTokens, "tokens")
}

// waitsForPrefill weighs what a budget does to requests: they wait to be taken up,
// and then spend their time being read rather than written.
func (x *examination) waitsForPrefill(f *finding) {
	waiting, known := x.queue()
	switch {
	case !known:
		f.lacks("whether requests waited")
	case waiting:
		f.speaksFor(0.25, x.queueFact())
	default:
		f.speaksAgainst(0.4, x.queueFact())
	}
	if part, e, ok := x.prefillPart(); ok {
		f.speaksFor(0.5*ramp(part, 0.25, 0.65), e)
		f.speaksAgainst(0.6*ramp(part, 0.3, 0.05), e)
	}
}

// prefillPart is the share of prefill in the time that a request runs.
func (x *examination) prefillPart() (float64, record.Evidence, bool) {
	p := x.parts
	if p.prefill == nil || p.decode == nil || *p.prefill+*p.decode <= 0 {
		return 0, record.Evidence{}, false
	}
	part := *p.prefill / (*p.prefill + *p.decode)
	return part, x.fact(fmt.Sprintf("prefill was %s of the time that a request ran", percent(part)), "prefill_mean_ms", p.prefill, "ms"), true
}

// largerBudget weighs the budget by what a larger one would bring: nothing past
// the ridge, where a step grows in proportion to its tokens.
func (x *examination) largerBudget(f *finding, budget float64) {
	if share, ok := x.budgetShare(); ok && share <= 1 && x.curve.tokens > 0 {
		gain := x.curve.tokens
		brings := gain - 1
		e := x.fact(fmt.Sprintf("twice the tokens in a step would bring %s more of them a second, by the levels below", percent(brings)), "tokens_gain", &brings, "share")
		f.speaksFor(0.35*ramp(gain, x.at(batchCostly), x.at(batchFree)), e)
		f.speaksAgainst(0.5*ramp(gain, x.at(batchCostly)+0.1, x.at(batchCostly)-0.05), e)
	}
	if g := x.gpu; g != nil && g.TensorActive != nil {
		f.speaksFor(0.5*ramp(*g.TensorActive, x.at(tensorBusy)*0.6, x.at(tensorBusy)*0.3), x.tensorFact())
		f.speaksAgainst(0.75*ramp(*g.TensorActive, x.at(tensorBusy)*0.6, x.at(tensorBusy)), x.tensorFact())
	}
	x.hostIdle(f)
	if budget == 0 {
		return
	}
	ridge := x.ridge()
	e := x.fact(fmt.Sprintf("the budget is %s of the %.0f tokens at which a step becomes bound by compute", times(budget/ridge), ridge), "iteration_tokens_mean", x.server.IterationTokens, "tokens")
	f.speaksFor(0.25*ramp(budget/ridge, 1, 0.5), e)
	f.speaksAgainst(0.5*ramp(budget/ridge, 1.5, 4), e)
}

// prefillExperiments are those that tell whether prompts are what costs. Shared
// prompts show it only to an engine that looks them up.
func (x *examination) prefillExperiments() []string {
	if s := x.server; s != nil && s.PrefixQueries != nil && *s.PrefixQueries > 0 {
		return []string{record.SharedPrompts, record.OneToken, record.HalveOutput}
	}
	return []string{record.OneToken, record.HalveOutput}
}
