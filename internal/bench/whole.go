package bench

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

// Answers in one piece, such as vectors and scores, have no tokens: no first
// one, no gaps, no output. What such a service is measured by is the whole
// answer, and what it does is read prompts.

// wholeSLO holds for them where the user gives none: the time that users of a
// stream are given to its first token. It is ours.
var wholeSLO = []spec.Criterion{{Metric: "e2e", Percentile: "p95", Limit: 500}}

// DefaultSLO is what an API's answers are judged by where the user says nothing.
func DefaultSLO(api string) []spec.Criterion {
	if inOnePiece(api) {
		return wholeSLO
	}
	return spec.DefaultSLO()
}

// inOnePiece reports an API whose answers are. Auto never takes one.
func inOnePiece(api string) bool { return api != "" && api != wire.Auto && !wire.Streams(api) }

// fitConditions refuses conditions on what the API's answers do not have.
func fitConditions(api string, slo []spec.Criterion) error {
	if !inOnePiece(api) {
		return nil
	}
	var without []string
	for _, c := range slo {
		if c.Metric != "e2e" {
			without = append(without, c.String())
		}
	}
	if len(without) > 0 {
		return fmt.Errorf("%s: an answer of --api %s comes in one piece and has no tokens; give a condition on e2e", strings.Join(without, ", "), api)
	}
	return nil
}

// work is what a level's throughput is taken in: output tokens; prompt tokens
// where there is no output; requests where nothing is counted.
func work(l *record.Level) float64 {
	t := l.Throughput
	switch {
	case l.Got.Output != nil || t.OutputTokensPerS > 0: // chunks stand for tokens that no one counted
		return t.OutputTokensPerS
	case l.Got.Prompt != nil:
		return t.TotalTokensPerS
	}
	return t.RequestsPerS
}

// workOf is one request's share of it.
func workOf(r *record.Request) float64 {
	switch {
	case r.OutputTokens != nil:
		return float64(*r.OutputTokens)
	case r.PromptTokens != nil:
		return float64(*r.PromptTokens)
	}
	return 1
}

// nameWork says of a curve without output tokens what it is drawn in, and leaves
// no other count under their name.
func nameWork(s *record.Saturation, levels []record.Level) {
	if s == nil || slices.ContainsFunc(levels, func(l record.Level) bool { return l.Got.Output != nil || l.Requests.Completed == 0 }) {
		return
	}
	unit := "requests"
	if slices.ContainsFunc(levels, func(l record.Level) bool { return l.Got.Prompt != nil }) {
		unit = "prompt tokens"
	}
	s.Remarks = append(s.Remarks, "answers have no output tokens: the knee is that of "+unit+" per second")
	if s.Peak != nil {
		s.Peak.OutputTokensPerS = 0
	}
	if s.OperatingPoint != nil {
		s.OperatingPoint.OutputTokensPerS = 0
	}
}
