package diagnose

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"assay/internal/record"
)

// unknown says what was seen and what would tell more.
func (c *examination) unknown() record.Bound {
	b := record.Bound{Verdict: record.BoundUnknown}
	switch {
	case c.saturated():
		b.Evidence = append(b.Evidence, c.plateau()...)
	case len(c.levels) < levelsForKnee:
		b.Missing = append(b.Missing, "levels of rising load: it takes three to see saturation")
		b.Next = "run `assay bench saturation`"
	case len(c.valid) < levelsForKnee:
		b.Missing = append(b.Missing, c.tooFewValid())
		b.Next = "mend what made those levels not valid, and measure them again"
	case c.sat != nil && len(c.sat.Elasticities) > 0:
		b.Evidence = append(b.Evidence, elasticityFact(c.sat.Elasticities[len(c.sat.Elasticities)-1]))
		b.Next = fmt.Sprintf("throughput may have stopped growing, and one step does not show it: measure past %g, to %g", c.top.Load.Value, 2*c.top.Load.Value)
	}
	if c.server == nil {
		b.Missing = append(b.Missing, "the engine's metrics (--metrics URL): running, waiting, KV cache usage, tokens of a step")
		b.Next = cmp.Or(b.Next, "give --metrics URL of the engine's /metrics and measure again: a queue by KV cache, by max-num-seqs or by token budget shows there")
		return b
	}
	for _, m := range []struct {
		value *float64
		what  string
	}{
		{c.server.WaitingShare, "whether requests waited"},
		{c.server.RunningMax, "how many requests ran"},
		{c.server.KVUsageMax, "KV cache usage"},
		{c.server.MaxNumSeqs, "max-num-seqs"},
		{c.server.IterationTokens, "tokens of a step"},
		{c.server.MaxBatchedTokens, "max-num-batched-tokens"},
	} {
		if m.value == nil {
			b.Missing = append(b.Missing, m.what)
		}
	}
	if e, ok := c.stepElasticity(); ok {
		b.Evidence = append(b.Evidence, c.fact(fmt.Sprintf("a step takes %.2f %% longer for each %% more requests in the batch (near 0: bound by memory bandwidth; near 1: by compute or by reading the KV cache)", e), "step_elasticity", &e, "%/%"))
	}
	b.Missing = append(b.Missing, "the GPU's own metrics (DCGM), to tell compute from memory bandwidth")
	b.Next = cmp.Or(b.Next, c.nextUnknown())
	return b
}

// nextUnknown says where to look when the engine's account explains nothing.
func (c *examination) nextUnknown() string {
	waiting, known := c.queue()
	switch {
	case !c.saturated():
		return "run `assay bench saturation`"
	case known && waiting:
		return "requests waited, but neither the batch, nor the KV cache, nor the token budget was seen at its limit: compare the engine's flags with its running requests and tokens of a step at this load"
	}
	return "no queue explains the plateau: look at the GPU (SM, tensor and DRAM activity) and at the CPU of the API process at this load"
}

// levelsForKnee is how many valid levels saturation takes to be seen.
const levelsForKnee = 3

// tooFewValid names the levels that do not count, each with its first reason.
func (c *examination) tooFewValid() string {
	var spoiled []string
	for _, l := range c.levels {
		if l.Validity.Verdict != record.Valid {
			spoiled = append(spoiled, l.ID+" "+validityOf(l))
		}
	}
	return fmt.Sprintf("valid levels: %d of %d are, and it takes three to see saturation; not valid: %s",
		len(c.valid), len(c.levels), strings.Join(spoiled, "; "))
}

// validityOf is a level's verdict with its first reason.
func validityOf(l record.Level) string {
	if len(l.Validity.Reasons) == 0 {
		return l.Validity.Verdict
	}
	return l.Validity.Verdict + ": " + l.Validity.Reasons[0]
}

func (c *examination) plateau() []record.Evidence {
	var out []record.Evidence
	if k := c.sat.Knee; k != nil {
		high := k.High
		out = append(out, record.Evidence{Fact: fmt.Sprintf("throughput stops growing between %.3g and %.3g %s", k.Low, k.High, c.sat.Unit), Metric: "knee", Value: &high, Unit: c.sat.Unit, Source: "saturation"})
	}
	if n := len(c.sat.Elasticities); n > 0 {
		out = append(out, elasticityFact(c.sat.Elasticities[n-1]))
	}
	return out
}

// stepElasticity is d ln(step time) / d ln(batch) between the lowest and the
// highest valid level that have both.
func (c *examination) stepElasticity() (float64, bool) {
	var low, high *record.Server
	for i := range c.valid {
		if s := c.valid[i].Server; s != nil && s.StepMS != nil && s.RunningMean != nil && *s.StepMS > 0 && *s.RunningMean > 0 {
			if low == nil {
				low = s
			}
			high = s
		}
	}
	if low == nil || *high.RunningMean < 2**low.RunningMean {
		return 0, false
	}
	return math.Log(*high.StepMS / *low.StepMS) / math.Log(*high.RunningMean / *low.RunningMean), true
}
