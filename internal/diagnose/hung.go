package diagnose

import (
	"fmt"

	"assay/internal/record"
)

// hungAfter is how long requests run without a token before that is said, seconds.
// Ours: prompts are computed in less, but for the longest.
const hungAfter = 5

// hung says that requests run and nothing comes of them. No class names why, and
// none of them may be drawn from figures that stand still.
func (x *examination) hung() (record.Bound, bool) {
	s := x.server
	if !x.Service || s == nil || s.RunningMean == nil || s.OutputTokens == nil || x.top.DurationS < hungAfter {
		return record.Bound{}, false
	}
	if *s.RunningMean < 0.9 || *s.OutputTokens > 0 || s.StepMS != nil {
		return record.Bound{}, false
	}
	b := record.Bound{Verdict: record.BoundUnknown,
		Change: &record.Change{Text: "the engine hangs: look for an XID on its GPUs and at the end of its log, take a stack of the engine's process, then restart it (`assay explain vLLMStalled`)"},
		Next:   "look again for longer: a prompt of very many tokens takes that long too, and then tokens come"}
	b.Evidence = append(b.Evidence, x.fact(fmt.Sprintf("%.0f requests ran, and no token came in %.0f s", *s.RunningMean, x.top.DurationS), "output_tokens", s.OutputTokens, "tokens"))
	if s.WaitingMean != nil && *s.WaitingMean >= 0.5 {
		b.Evidence = append(b.Evidence, x.fact(fmt.Sprintf("%.0f more waited", *s.WaitingMean), "waiting_mean", s.WaitingMean, "requests"))
	}
	b.Missing = append(b.Missing, "why: a GPU's XIDs (--dcgm URL), the engine's log")
	return b, true
}
