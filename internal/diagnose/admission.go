package diagnose

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// admission: the batch is at max-num-seqs while the KV cache has room.
func (x *examination) admission() finding {
	f := finding{verdict: record.BoundAdmission}
	waiting, known := x.queue()
	full, how := x.batchFull()
	if !known || !waiting || !full {
		return f
	}
	s := x.server
	f.change, f.next = x.changeAdmission()
	f.experiment = x.experiment(record.BoundAdmission, record.DoubleLoad)
	switch {
	case s.MaxNumSeqs == nil:
		f.speaksFor(0.55, how)
		f.lacks("the engine's max-num-seqs (vLLM does not publish it): compare the plateau with the flag")
	case s.KVUsageMax == nil:
		f.speaksFor(0.5, how)
	default:
		f.speaksFor(0.8, how)
	}
	f.speaksFor(0.35, x.queueFact())
	noRoom, why := x.kvIsFull()
	switch kv := s.KVUsageMax; {
	case noRoom > 0:
		f.speaksAgainst(0.6, why)
	case kv == nil:
		f.lacks("KV cache usage, to rule the KV cache out")
	case *kv < x.at(kvRoomy):
		f.speaksFor(0.3, x.fact("the KV cache had room: "+atMost(*kv), "kv_usage_max", kv, "share"))
	default:
		f.speaksAgainst(0.2, x.fact("the KV cache was nearly full too", "kv_usage_max", kv, "share"))
	}
	x.largerBatch(&f)
	x.budgetIsFull(&f)
	if part, e, ok := x.prefillPart(); ok {
		f.speaksAgainst(0.7*ramp(part, 0.3, 0.65), e)
	}
	return f
}

// budgetIsFull speaks against another limit: steps that hold all the tokens they
// may take no more requests, and read the weights for no more of them.
func (x *examination) budgetIsFull(f *finding) {
	if share, ok := x.budgetShare(); ok && share >= x.at(budgetFull) {
		f.speaksAgainst(0.6, x.budgetFact(share))
	}
}

// batchFull says whether the batch is at its limit: that of the engine where it
// is known, else a batch that no longer grows with load though requests wait.
func (x *examination) batchFull() (bool, record.Evidence) {
	s := x.server
	if s == nil || s.RunningMax == nil {
		return false, record.Evidence{}
	}
	if s.MaxNumSeqs != nil {
		if *s.RunningMax < x.at(atLimit)**s.MaxNumSeqs {
			return false, record.Evidence{}
		}
		return true, x.fact(fmt.Sprintf("the batch was at its limit: %.0f running of max-num-seqs %.0f", *s.RunningMax, *s.MaxNumSeqs), "running_max", s.RunningMax, "requests")
	}
	if x.below != nil && x.below.Server.RunningMax != nil && *s.RunningMax > 0 && math.Abs(*s.RunningMax / *x.below.Server.RunningMax - 1) <= x.at(sameBatch) {
		return true, x.fact(fmt.Sprintf("the batch stopped growing at %.0f from load %.3g to %.3g", *s.RunningMax, x.below.Load.Value, x.top.Load.Value), "running_max", s.RunningMax, "requests")
	}
	return x.batchFlat()
}

// batchFlat says whether the batch stood still within the top level. That is all
// there is to see in a service that is overrun: its other spans may be of a load that
// did not fill the batch.
func (x *examination) batchFlat() (bool, record.Evidence) {
	s := x.server
	if flat, ok := ratio(s.RunningMean, s.RunningMax); !ok || flat < 1-x.at(sameBatch)/2 || s.Samples < fewestSamples || (x.below != nil && !x.Service) {
		return false, record.Evidence{}
	}
	return true, x.fact(fmt.Sprintf("the batch stood still at %.0f while others waited", *s.RunningMax), "running_max", s.RunningMax, "requests")
}

// fewestSamples is how many it takes to see that a gauge stands still.
const fewestSamples = 5

// changeAdmission doubles max-num-seqs, or less where the KV cache would fill.
func (x *examination) changeAdmission() (*record.Change, string) {
	const flag = "--max-num-seqs"
	s := x.server
	limit := *s.RunningMax
	if s.MaxNumSeqs != nil {
		limit = *s.MaxNumSeqs
	}
	to := 2 * limit
	if s.KVUsageMax != nil && *s.KVUsageMax > 0 {
		to = min(to, math.Floor(limit*x.at(kvRoomy) / *s.KVUsageMax))
	}
	if to <= limit {
		return &record.Change{Text: fmt.Sprintf("the KV cache has no room for more than about %.0f sequences: give it more first (--gpu-memory-utilization, --kv-cache-dtype fp8), or add a replica", limit)},
			"give the KV cache more room and measure again: running should pass the plateau then"
	}
	text := "let more sequences run"
	if s.KVUsageMax != nil {
		text += ", as far as the KV cache has room"
	}
	return &record.Change{Text: text, Flag: flag, From: fmt.Sprintf("%.0f", limit), To: fmt.Sprintf("%.0f", to)},
		fmt.Sprintf("start the server with --max-num-seqs %.0f (now about %.0f) and measure again: running should pass %.0f and the knee move up with it, while ITL grows somewhat", to, limit, limit)
}
