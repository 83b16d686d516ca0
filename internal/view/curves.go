package view

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"assay/internal/record"
	"assay/internal/stats"
)

// chartHeight is that of the curves, lines.
const chartHeight = 7

// curves are throughput and latency over load of the scenario so far: done
// levels as ●, those that are not valid as ×, the level under way as ○.
func (s *state) curves(width int) []string {
	done := s.curve()
	if len(done) == 0 {
		return nil
	}
	unit, flow := flowOf(done)
	metric := latencyOf(done)
	var throughput, latency []mark
	for _, l := range done {
		sign := '●'
		if l.Validity.Verdict != record.Valid {
			sign = '×'
		}
		throughput = append(throughput, mark{l.Load.Value, flow(l), sign})
		if ms := metric.of(l); ms != nil {
			latency = append(latency, mark{l.Load.Value, *ms, sign})
		}
	}
	if requests, tokens, ok := s.rate.perSecond(); ok && s.tick.Finished > 0 {
		now := requests
		if unit == inTokens {
			now = tokens
		}
		throughput = append(throughput, mark{s.level.Load.Value, now, '○'})
	}
	running := &s.ttft
	if metric.whole {
		running = &s.e2e
	}
	if ms := running.percentile(metric.percentile); ms != nil {
		latency = append(latency, mark{s.level.Load.Value, *ms, '○'})
	}
	half := min(60, (width-4)/2)
	left := chart(unit, throughput, half, chartHeight)
	right := chart(metric.name, latency, half, chartHeight)
	if len(left) == 0 {
		return chart(unit, throughput, width, chartHeight)
	}
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top,
		lipgloss.NewStyle().Width(half+4).Render(strings.Join(left, "\n")), strings.Join(right, "\n")), "\n")
}

// curve are the ended levels that the one under way is a point beside.
func (s *state) curve() []record.Level {
	var out []record.Level
	for _, l := range s.done {
		if l.Scenario == s.level.Scenario.Name && l.Load.Kind == s.level.Load.Kind {
			out = append(out, l)
		}
	}
	return out
}

// Units of throughput.
const (
	inTokens   = "output tokens/s"
	inRequests = "requests/s"
)

// flowOf is throughput in output tokens, or in requests where answers have none.
func flowOf(levels []record.Level) (unit string, of func(record.Level) float64) {
	if slices.ContainsFunc(levels, func(l record.Level) bool { return l.Throughput.OutputTokensPerS > 0 }) {
		return inTokens, func(l record.Level) float64 { return l.Throughput.OutputTokensPerS }
	}
	return inRequests, func(l record.Level) float64 { return l.Throughput.RequestsPerS }
}

// latency is what one curve shows of all its levels.
type latency struct {
	name       string
	whole      bool // of the whole answer
	percentile float64
	of         func(record.Level) *float64
}

// latencyOf is the TTFT, or of answers without tokens the time of the whole one,
// at the highest percentile that the samples of all levels support.
func latencyOf(levels []record.Level) latency {
	out := latency{whole: !slices.ContainsFunc(levels, func(l record.Level) bool { return l.TTFT.Mean != nil })}
	dist := func(l record.Level) stats.Dist {
		if out.whole {
			return l.E2E
		}
		return l.TTFT
	}
	for _, c := range []struct {
		name string
		p    float64
		of   func(stats.Dist) *float64
	}{
		{"p95", 95, func(d stats.Dist) *float64 { return d.P95 }},
		{"p90", 90, func(d stats.Dist) *float64 { return d.P90 }},
		{"p50", 50, func(d stats.Dist) *float64 { return d.P50 }},
	} {
		out.name, out.percentile = "TTFT "+c.name+", ms", c.p
		if out.whole {
			out.name = "E2E " + c.name + ", ms"
		}
		out.of = func(l record.Level) *float64 { return c.of(dist(l)) }
		if !slices.ContainsFunc(levels, func(l record.Level) bool { return dist(l).Mean != nil && c.of(dist(l)) == nil }) {
			break
		}
	}
	return out
}
