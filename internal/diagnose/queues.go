package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// kvCache: the KV cache is full and requests wait for its blocks, or running
// ones were preempted. The count of preemptions lags (it is taken at an edge of
// the level, and a queue at admission needs none), so 0 weakens the verdict and
// does not refute it.
func (c *examination) kvCache() (record.Bound, bool) {
	full, how := c.kvIsFull()
	if !full {
		return record.Bound{}, false
	}
	s := c.server
	waiting, known := c.queue()
	preempted := s.Preemptions != nil && *s.Preemptions > 0
	if !waiting && !preempted {
		return record.Bound{}, false
	}
	b := record.Bound{Verdict: record.BoundKVCache, Confidence: 0.75, Next: c.nextKV(), Evidence: []record.Evidence{how}}
	if preempted {
		b.Confidence = 0.9
		b.Evidence = append(b.Evidence, c.fact(fmt.Sprintf("running requests were preempted %.0f times", *s.Preemptions), "preemptions", s.Preemptions, ""))
	}
	if waiting {
		b.Evidence = append(b.Evidence, c.queueFact())
	}
	switch {
	case s.Preemptions == nil:
		b.Missing = append(b.Missing, "preemptions")
	case !preempted:
		b.Against = append(b.Against, c.fact("no preemption was counted, which alone proves little: the counter lags, and a queue at admission needs none", "preemptions", s.Preemptions, ""))
	}
	if !known {
		b.Missing = append(b.Missing, "whether requests waited")
	}
	switch full, how := c.batchFull(); {
	case s.MaxNumSeqs == nil || s.RunningMax == nil:
		b.Missing = append(b.Missing, "max-num-seqs, to tell a full cache from a full batch")
	case full:
		b.Confidence = 0.5
		b.Against = append(b.Against, how)
	}
	return b, true
}

// kvIsFull says whether the KV cache has no room: for a block, or for another
// prompt, since vLLM admits a request only when its whole prompt fits. The
// latter decides only where the batch is not at its own limit.
func (c *examination) kvIsFull() (bool, record.Evidence) {
	s := c.server
	if s == nil || s.KVUsageMax == nil {
		return false, record.Evidence{}
	}
	if *s.KVUsageMax >= c.at(kvFull) {
		return true, c.fact("the KV cache was full at "+fraction(s.KVUsageMax), "kv_usage_max", s.KVUsageMax, "share")
	}
	if s.PromptTokens == nil || s.Finished == nil || s.KVTokens == nil || *s.Finished <= 0 || *s.KVTokens <= 0 {
		return false, record.Evidence{}
	}
	prompt := *s.PromptTokens / *s.Finished / *s.KVTokens
	if batch, _ := c.batchFull(); batch || *s.KVUsageMax+prompt < c.at(kvFull) {
		return false, record.Evidence{}
	}
	return true, c.fact(fmt.Sprintf("the KV cache had no room for another prompt: %s in use at most, and a prompt takes %s", fraction(s.KVUsageMax), fraction(&prompt)),
		"kv_usage_max", s.KVUsageMax, "share")
}

func (c *examination) nextKV() string {
	capacity := ""
	if c.server.KVTokens != nil {
		capacity = fmt.Sprintf(" beyond the %.0f tokens of now", *c.server.KVTokens)
	}
	return fmt.Sprintf("give the KV cache more room%s: --gpu-memory-utilization 0.95 (vLLM's default is 0.92), or --kv-cache-dtype fp8, which halves a token's bytes, or a larger --tensor-parallel-size; "+
		"or add a replica. To check: at load %g kv_usage stays below %.2f and preemptions stay 0", capacity, c.top.Load.Value, c.at(kvFull))
}

// admission: the batch is at max-num-seqs while the KV cache has room.
func (c *examination) admission() (record.Bound, bool) {
	waiting, known := c.queue()
	full, how := c.batchFull()
	if !known || !waiting || !full {
		return record.Bound{}, false
	}
	s := c.server
	if s.KVUsageMax != nil && *s.KVUsageMax >= c.at(kvFull) {
		return record.Bound{}, false
	}
	b := record.Bound{Verdict: record.BoundAdmission, Confidence: 0.9, Next: c.nextAdmission(),
		Evidence: []record.Evidence{how, c.queueFact()}}
	if s.MaxNumSeqs == nil {
		b.Confidence = 0.65
		b.Missing = append(b.Missing, "the engine's max-num-seqs (vLLM does not publish it): compare the plateau with the flag")
	}
	switch {
	case s.KVUsageMax == nil:
		b.Confidence -= 0.25
		b.Missing = append(b.Missing, "KV cache usage, to rule the KV cache out")
	case *s.KVUsageMax < c.at(kvRoomy):
		b.Evidence = append(b.Evidence, c.fact("the KV cache had room: "+fraction(s.KVUsageMax)+" at most", "kv_usage_max", s.KVUsageMax, "share"))
	default:
		b.Confidence -= 0.2
		b.Against = append(b.Against, c.fact("the KV cache was nearly full too", "kv_usage_max", s.KVUsageMax, "share"))
	}
	return b, true
}

// batchFull says whether the batch is at its limit: that of the engine where it
// is known, else a batch that no longer grows with load though requests wait.
func (c *examination) batchFull() (bool, record.Evidence) {
	s := c.server
	if s == nil || s.RunningMax == nil {
		return false, record.Evidence{}
	}
	if s.MaxNumSeqs != nil {
		if *s.RunningMax < c.at(atLimit)**s.MaxNumSeqs {
			return false, record.Evidence{}
		}
		return true, c.fact(fmt.Sprintf("the batch was at its limit: %.0f running of max-num-seqs %.0f", *s.RunningMax, *s.MaxNumSeqs), "running_max", s.RunningMax, "requests")
	}
	if c.below == nil || c.below.Server.RunningMax == nil || *s.RunningMax <= 0 ||
		math.Abs(*s.RunningMax / *c.below.Server.RunningMax - 1) > c.at(sameBatch) || c.top.Load.Value < 1.2*c.below.Load.Value {
		return false, record.Evidence{}
	}
	return true, c.fact(fmt.Sprintf("the batch stopped growing at %.0f from load %g to %g", *s.RunningMax, c.below.Load.Value, c.top.Load.Value), "running_max", s.RunningMax, "requests")
}

// nextAdmission doubles max-num-seqs, or less where the KV cache would fill.
func (c *examination) nextAdmission() string {
	s := c.server
	limit := *s.RunningMax
	if s.MaxNumSeqs != nil {
		limit = *s.MaxNumSeqs
	}
	to := 2 * limit
	if s.KVUsageMax != nil && *s.KVUsageMax > 0 {
		to = min(to, math.Floor(limit*c.at(kvRoomy) / *s.KVUsageMax))
	}
	if to <= limit {
		return fmt.Sprintf("the KV cache has no room for more than about %.0f sequences: give it more first (--gpu-memory-utilization, --kv-cache-dtype fp8), or add a replica", limit)
	}
	return fmt.Sprintf("start the server with --max-num-seqs %.0f (now about %.0f) and measure again: running should pass %.0f and the knee move up with it, while ITL grows somewhat", to, limit, limit)
}

// tokenBudget: the engine's steps are filled to the token budget, so prompts
// wait their turn to be read.
func (c *examination) tokenBudget() (record.Bound, bool) {
	s := c.server
	if s == nil || s.IterationTokens == nil || s.MaxBatchedTokens == nil || *s.IterationTokens < c.at(budgetFull)**s.MaxBatchedTokens {
		return record.Bound{}, false
	}
	share := *s.IterationTokens / *s.MaxBatchedTokens
	budget := *s.MaxBatchedTokens
	b := record.Bound{Verdict: record.BoundTokenBudget, Confidence: 0.8,
		Evidence: []record.Evidence{c.fact(fmt.Sprintf("a mean step held %.0f tokens, %.0f %% of max-num-batched-tokens %.0f", *s.IterationTokens, 100*share, budget), "iteration_tokens_mean", s.IterationTokens, "tokens")},
		Next: fmt.Sprintf("for TTFT start the server with --max-num-batched-tokens %.0f (now %.0f), at the price of ITL; reuse prefixes if prompts share any. To check: at load %g iteration_tokens falls below %.0f %% of the budget and TTFT falls",
			2*budget, budget, c.top.Load.Value, 100*c.at(budgetFull))}
	if waiting, known := c.queue(); !known {
		b.Confidence = 0.6
		b.Missing = append(b.Missing, "whether requests waited")
	} else if waiting {
		b.Evidence = append(b.Evidence, c.queueFact())
	}
	if s.PrefillMean != nil && s.TTFTMean != nil && *s.TTFTMean > 0 {
		part := *s.PrefillMean / *s.TTFTMean
		b.Evidence = append(b.Evidence, c.fact(fmt.Sprintf("prefill was %.0f %% of the server's TTFT", 100*part), "prefill_mean_ms", s.PrefillMean, "ms"))
	}
	return b, true
}
