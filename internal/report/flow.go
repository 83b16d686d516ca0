package report

import (
	"strings"

	"assay/internal/record"
)

// inOnePiece reports a level whose answers came whole, such as vectors: they
// have no first token, no gaps and no output tokens.
func inOnePiece(l record.Level) bool {
	return l.Requests.Completed > 0 && l.Got.Output == nil && l.TTFT.N == 0 && l.E2E.N > 0
}

// wholeAnswers reports a group of nothing else.
func wholeAnswers(g group) bool {
	whole := false
	for _, l := range g.Levels {
		if l.Requests.Completed > 0 && !inOnePiece(l) {
			return false
		}
		whole = whole || inOnePiece(l)
	}
	return whole
}

// What a service gives per second.
const (
	outputFlow  = "output tokens/s"
	requestFlow = "requests/s"
)

// flowOf is a group's throughput: output tokens, or requests where there are none.
func flowOf(g group) (unit string, of func(record.Level) float64) {
	if wholeAnswers(g) {
		return requestFlow, func(l record.Level) float64 { return l.Throughput.RequestsPerS }
	}
	return outputFlow, func(l record.Level) float64 { return l.Throughput.OutputTokensPerS }
}

// flow is one level's, in words.
func flow(l record.Level) string {
	unit, of := flowOf(group{Levels: []record.Level{l}})
	return num(of(l)) + " " + unit
}

// pointFlow is that of a place on the curve, in words.
func pointFlow(tokens, requests float64) string {
	if tokens == 0 && requests > 0 {
		return num(requests) + " " + requestFlow
	}
	return num(tokens) + " " + outputFlow
}

// pointRate is the operating point's throughput in a unit of flowOf.
func pointRate(p *record.OperatingPoint, unit string) float64 {
	if unit == requestFlow {
		return p.RequestsPerS
	}
	return p.OutputTokensPerS
}

func perSecond(unit string) string { return strings.TrimSuffix(unit, "/s") + " per second" }
