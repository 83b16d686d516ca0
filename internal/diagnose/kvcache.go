package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// kvCache: the KV cache is full and requests wait for its blocks, or running
// ones were preempted. The count of preemptions lags (it is taken at an edge of
// the level, and a queue at admission needs none), so 0 weakens the verdict and
// does not refute it.
func (x *examination) kvCache() finding {
	f := finding{verdict: record.BoundKVCache}
	weight, how := x.kvIsFull()
	if weight == 0 {
		return f
	}
	s := x.server
	waiting, known := x.queue()
	preempted := s.Preemptions != nil && *s.Preemptions > 0
	if !waiting && !preempted {
		return f
	}
	f.change, f.next = x.changeKV(), x.nextKV()
	f.experiment = x.experiment(record.BoundKVCache, record.HalveOutput)
	f.speaksFor(weight, how)
	if waiting {
		f.speaksFor(0.4, x.queueFact())
	}
	switch {
	case s.Preemptions == nil:
		f.lacks("preemptions")
	case preempted:
		f.speaksFor(0.6, x.fact(fmt.Sprintf("running requests were preempted %.0f times", *s.Preemptions), "preemptions", s.Preemptions, ""))
	default:
		f.speaksAgainst(0.05, x.fact("no preemption was counted, which alone proves little: the counter lags, and a queue at admission needs none", "preemptions", s.Preemptions, ""))
	}
	if !known {
		f.lacks("whether requests waited")
	}
	switch full, how := x.batchFull(); {
	case s.MaxNumSeqs == nil || s.RunningMax == nil:
		f.lacks("max-num-seqs, to tell a full cache from a full batch")
	case full:
		f.speaksAgainst(0.45, how)
	default:
		f.speaksFor(0.25, x.fact(fmt.Sprintf("the batch had room: %.0f running of max-num-seqs %.0f", *s.RunningMax, *s.MaxNumSeqs), "running_max", s.RunningMax, "requests"))
	}
	x.largerBatch(&f)
	return f
}

// kvIsFull says how far the KV cache has no room: for a block, or for another
// prompt, since vLLM admits a request only when its whole prompt fits. The
// latter decides only where the batch is not at its own limit.
func (x *examination) kvIsFull() (float64, record.Evidence) {
	s := x.server
	if s == nil || s.KVUsageMax == nil {
		return 0, record.Evidence{}
	}
	if *s.KVUsageMax >= x.at(kvFull) {
		return 0.65, x.fact("the KV cache was full at "+fraction(s.KVUsageMax), "kv_usage_max", s.KVUsageMax, "share")
	}
	next, of := x.nextPrompt()
	if batch, _ := x.batchFull(); (batch && s.MaxNumSeqs != nil) || next == 0 || *s.KVUsageMax+next < x.at(kvFull) {
		return 0, record.Evidence{}
	}
	return 0.6, x.fact(fmt.Sprintf("the KV cache had no room for another prompt: %s in use at most, and %s takes %s", fraction(s.KVUsageMax), of, percent(next)),
		"kv_usage_max", s.KVUsageMax, "share")
}

// nextPrompt is the share of the KV cache that one more request needs at its
// admission: a mean prompt's, or where the cache's size is not known, what a
// running request holds.
func (x *examination) nextPrompt() (share float64, of string) {
	s := x.server
	if prompt, ok := ratio(s.PromptTokens, s.Finished); ok && s.KVTokens != nil && *s.KVTokens > 0 {
		return prompt / *s.KVTokens, "a prompt"
	}
	if each, ok := ratio(s.KVUsageMax, s.RunningMax); ok {
		return each, "a running request"
	}
	return 0, ""
}

func (x *examination) changeKV() *record.Change {
	return &record.Change{Text: "store keys and values in 8 bits (--kv-cache-dtype fp8), which halves a token's bytes, or give the KV cache more memory: --gpu-memory-utilization 0.95 (vLLM's default is 0.92), a larger --tensor-parallel-size, or another replica",
		Flag: "--kv-cache-dtype", To: "fp8"}
}

func (x *examination) nextKV() string {
	capacity := ""
	if x.server.KVTokens != nil {
		capacity = fmt.Sprintf(" than its %.0f tokens", *x.server.KVTokens)
	}
	return fmt.Sprintf("give the KV cache more room%s and measure again: under the same load its usage should stay below %s, preemptions be gone, and throughput be higher", capacity, percent(x.at(kvFull)))
}

// largerBatch weighs a limit on the batch by what a larger one would bring. A
// step that grows in proportion to the batch makes a limit on it harmless.
func (x *examination) largerBatch(f *finding) {
	gain := x.curve.batch
	if gain == 0 {
		f.lacks("levels below the limit, to see what a larger batch would bring")
		return
	}
	brings := gain - 1
	e := x.fact(fmt.Sprintf("twice the batch would bring %s more throughput, by the levels below it", percent(brings)), "batch_gain", &brings, "share")
	f.speaksFor(0.5*ramp(gain, x.at(batchCostly), x.at(batchFree)), e)
	f.speaksAgainst(0.75*ramp(gain, x.at(batchCostly)+0.2, x.at(batchCostly)-0.05), e)
}
