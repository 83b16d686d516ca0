package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/record"
)

// levelsForKnee is how many valid levels saturation takes to be seen.
const levelsForKnee = 3

// unknown says what was seen, which causes are nearest, and what would tell more.
func (x *examination) unknown(causes []finding) record.Bound {
	b := record.Bound{Verdict: record.BoundUnknown}
	switch {
	case x.saturated():
		b.Evidence = append(b.Evidence, x.plateau()...)
	case x.Service:
	case len(x.levels) < levelsForKnee:
		b.Missing = append(b.Missing, "levels of rising load: it takes three to see saturation")
		b.Next = "run `assay bench saturation`"
	case len(x.valid) < levelsForKnee:
		b.Missing = append(b.Missing, x.tooFewValid())
		b.Next = "mend what made those levels not valid, and measure them again"
	case x.sat != nil && len(x.sat.Elasticities) > 0:
		b.Evidence = append(b.Evidence, elasticityFact(x.sat.Elasticities[len(x.sat.Elasticities)-1]))
		b.Next = fmt.Sprintf("throughput may have stopped growing, and one step does not show it: measure past %g, to %g", x.top.Load.Value, 2*x.top.Load.Value)
	}
	if x.server == nil {
		b.Missing = append(b.Missing, "the engine's metrics (--metrics URL): running, waiting, KV cache usage, tokens of a step")
		b.Next = cmp.Or(b.Next, "give --metrics URL of the engine's /metrics and measure again: a queue by KV cache, by max-num-seqs or by token budget shows there")
		return b
	}
	b.Missing = append(b.Missing, x.notSaid()...)
	if _, e, ok := x.stepGrowth(); ok {
		b.Evidence = append(b.Evidence, e)
	}
	var gpu finding
	x.lacksGPU(&gpu)
	b.Missing = append(b.Missing, gpu.missing...)
	nearest, say := x.nearest(causes)
	b.Evidence = append(b.Evidence, nearest...)
	b.Next = cmp.Or(b.Next, say, x.nextUnknown())
	return b
}

// engineUnseen takes from a verdict that rests on how busy the GPU is, where the
// engine does not say whether a limit of its own kept it from more.
func (x *examination) engineUnseen(f *finding) {
	if _, known := x.queue(); known || f.verdict == record.BoundCompute {
		return
	}
	f.blind = unseen
	f.lacks("the engine's metrics (--metrics URL), to rule out that its batch, KV cache or token budget was full")
}

// unseen is the part of its support that such a verdict loses. Ours.
const unseen = 0.3

// notSaid are the quantities that the engine did not give.
func (x *examination) notSaid() []string {
	var out []string
	for _, m := range []struct {
		value *float64
		what  string
	}{
		{x.server.WaitingShare, "whether requests waited"},
		{x.server.RunningMax, "how many requests ran"},
		{x.server.KVUsageMax, "KV cache usage"},
		{x.server.MaxNumSeqs, "max-num-seqs"},
		{x.server.IterationTokens, "tokens of a step"},
		{x.server.MaxBatchedTokens, "max-num-batched-tokens"},
	} {
		if m.value == nil {
			out = append(out, m.what)
		}
	}
	return out
}

// nearest are the strongest facts of the two best causes, and the experiment that
// would part them.
func (x *examination) nearest(causes []finding) ([]record.Evidence, string) {
	by := slices.Clone(causes)
	slices.SortStableFunc(by, func(a, b finding) int { return cmp.Compare(b.support(), a.support()) })
	var facts []record.Evidence
	var names []string
	for _, f := range by[:2] {
		if f.support() < 0.2 {
			continue
		}
		e := f.strongest(f.pro)[0]
		e.Fact += ", which speaks for " + f.verdict
		facts = append(facts, e)
		names = append(names, f.verdict)
	}
	if len(names) == 0 {
		return facts, ""
	}
	return facts, fmt.Sprintf("nearest is %s. To tell: %s", strings.Join(names, ", then "), by[0].next)
}

// nextUnknown says where to look when the engine's account explains nothing.
func (x *examination) nextUnknown() string {
	waiting, known := x.queue()
	switch {
	case x.Service:
		return "look again while there is traffic, with the GPUs' metrics (--dcgm URL)"
	case !x.saturated():
		return "run `assay bench saturation`"
	case known && waiting:
		return "requests waited, but neither the batch, nor the KV cache, nor the token budget was seen at its limit: compare the engine's flags with its running requests and tokens of a step at this load"
	}
	return "no queue explains the plateau: look at the GPU (SM, tensor and DRAM activity) and at the CPU of the API process at this load"
}

// tooFewValid names the levels that do not count, each with its first reason.
func (x *examination) tooFewValid() string {
	var spoiled []string
	for _, l := range x.levels {
		if l.Validity.Verdict != record.Valid {
			spoiled = append(spoiled, l.ID+" "+validityOf(l))
		}
	}
	return fmt.Sprintf("valid levels: %d of %d are, and it takes three to see saturation; not valid: %s",
		len(x.valid), len(x.levels), strings.Join(spoiled, "; "))
}

// validityOf is a level's verdict with its first reason.
func validityOf(l record.Level) string {
	if len(l.Validity.Reasons) == 0 {
		return l.Validity.Verdict
	}
	return l.Validity.Verdict + ": " + l.Validity.Reasons[0]
}

func (x *examination) plateau() []record.Evidence {
	var out []record.Evidence
	if k := x.sat.Knee; k != nil {
		high := k.High
		out = append(out, record.Evidence{Fact: fmt.Sprintf("throughput stops growing between %.3g and %.3g %s", k.Low, k.High, x.sat.Unit), Metric: "knee", Value: &high, Unit: x.sat.Unit, Source: "saturation"})
	}
	if n := len(x.sat.Elasticities); n > 0 {
		out = append(out, elasticityFact(x.sat.Elasticities[n-1]))
	}
	return out
}
