package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"

	"assay/internal/record"
)

// style is how the panel colours its judgements; nothing else is coloured.
type style struct{ bad, faint lipgloss.Style }

func styles(color bool) style {
	s := style{bad: lipgloss.NewStyle(), faint: lipgloss.NewStyle()}
	if color {
		s.bad = s.bad.Foreground(lipgloss.Red).Bold(true)
		s.faint = s.faint.Faint(true)
	}
	return s
}

// lateMS is from which p99 lateness on a send is shown as a fault of the client.
const lateMS = 10

// panel is the state in lines of at most width columns.
func (s *state) panel(width int, st style) string {
	if s.level == nil {
		return ""
	}
	lines := []string{s.headLine(width, st), s.progressLine(width)}
	lines = append(lines, s.nowLines()...)
	if faults := s.faultLine(); faults != "" {
		lines = append(lines, st.bad.Render(clip(faults, width)))
	}
	lines = append(lines, s.clientLine(st))
	lines = append(lines, s.curves(width)...)
	for i, l := range lines {
		lines[i] = lipgloss.NewStyle().MaxWidth(width).Render(strings.TrimRight(l, " "))
	}
	return strings.Join(lines, "\n")
}

func (s *state) headLine(width int, st style) string {
	l := s.level
	unit := l.Load.Kind
	if unit == record.ByRate {
		unit = "requests/s"
	}
	head := fmt.Sprintf("── %s · %s %.4g · level %d of %d ", l.Scenario.Name, unit, l.Load.Value, s.n, s.of)
	return st.faint.Render(head + strings.Repeat("─", max(0, width-lipgloss.Width(head))))
}

func (s *state) progressLine(width int) string {
	t := s.tick
	text := fmt.Sprintf("%d measured", t.Finished)
	if t.Asked > 0 {
		room := min(30, max(10, width-60))
		text = fmt.Sprintf("%s %d/%d", bar(float64(t.Finished)/float64(t.Asked), room), t.Finished, t.Asked)
	}
	open := fmt.Sprintf("in flight %d", t.InFlight)
	if s.level.Load.Kind == record.ByConcurrency {
		open = fmt.Sprintf("in flight %d of %.4g", t.InFlight, s.level.Load.Value)
	}
	return fmt.Sprintf("%s  %s  %s  %s", text, t.Phase, open, t.Elapsed.Round(time.Second))
}

// nowLines are the figures of the latest moments and answers.
func (s *state) nowLines() []string {
	var lines []string
	if requests, tokens, ok := s.rate.perSecond(); ok {
		lines = append(lines, fmt.Sprintf("now     %8.1f requests/s  %8.0f output tokens/s of answers that ended", requests, tokens))
	}
	var parts []string
	for _, m := range []struct {
		name string
		r    *ring
	}{{"TTFT", &s.ttft}, {"ITL", &s.itl}, {"E2E", &s.e2e}} {
		if p50 := m.r.percentile(50); p50 != nil {
			parts = append(parts, fmt.Sprintf("%s %s | %s", m.name, short(*p50), short(*m.r.percentile(95))))
		}
	}
	if len(parts) > 0 {
		lines = append(lines, fmt.Sprintf("latency  %s  ms, p50 | p95 of the latest %d", strings.Join(parts, "  "), len(s.e2e.values)))
	}
	return lines
}

// faultLine names what went wrong in the level so far.
func (s *state) faultLine() string {
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(s.errors)) {
		parts = append(parts, fmt.Sprintf("%s %d", kind, s.errors[kind]))
	}
	if s.tick.Dropped > 0 {
		parts = append(parts, fmt.Sprintf("not sent for lack of connections %d", s.tick.Dropped))
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("failed  %d: %s", s.tick.Failed, strings.Join(parts, ", "))
}

// clientLine is how the client itself does.
func (s *state) clientLine(st style) string {
	c := s.sample
	if c.Level != s.level.ID {
		return st.faint.Render("client   …")
	}
	late := float64(c.LagP99US) / 1000
	text := fmt.Sprintf("client   sends late by %.1f ms at p99, scheduler %.1f ms, %.1f cores, %d MiB",
		late, c.SchedP99US/1000, c.CPUCores, c.RSSBytes>>20)
	if late > lateMS {
		return st.bad.Render(text)
	}
	return st.faint.Render(text)
}

// chartHeight is that of the curves, lines.
const chartHeight = 7

// curves are throughput and latency over load of the scenario so far: done
// levels as ●, those that are not valid as ×, the level under way as ○.
func (s *state) curves(width int) []string {
	var throughput, latency []mark
	for _, l := range s.done {
		if l.Scenario != s.level.Scenario.Name || l.Load.Kind != s.level.Load.Kind {
			continue
		}
		sign := '●'
		if l.Validity.Verdict != record.Valid {
			sign = '×'
		}
		throughput = append(throughput, mark{l.Load.Value, throughputOf(l), sign})
		if p95 := latencyOf(l); p95 != nil {
			latency = append(latency, mark{l.Load.Value, *p95, sign})
		}
	}
	if len(throughput) == 0 {
		return nil
	}
	requests, tokens, ok := s.rate.perSecond()
	if ok && tokens > 0 {
		throughput = append(throughput, mark{s.level.Load.Value, tokens, '○'})
	} else if ok {
		throughput = append(throughput, mark{s.level.Load.Value, requests, '○'})
	}
	latencyName := "TTFT"
	running := &s.ttft
	if len(s.ttft.values) == 0 {
		latencyName, running = "E2E", &s.e2e
	}
	if p95 := running.percentile(95); p95 != nil {
		latency = append(latency, mark{s.level.Load.Value, *p95, '○'})
	}
	half := min(60, (width-4)/2)
	left := chart(throughputName(s.done), throughput, half, chartHeight)
	right := chart(latencyName+" p95, ms", latency, half, chartHeight)
	if len(left) == 0 {
		return chart(throughputName(s.done), throughput, width, chartHeight)
	}
	return strings.Split(lipgloss.JoinHorizontal(lipgloss.Top,
		lipgloss.NewStyle().Width(half+4).Render(strings.Join(left, "\n")), strings.Join(right, "\n")), "\n")
}

// throughputOf is output tokens per second, or requests where answers have none.
func throughputOf(l record.Level) float64 {
	if l.Throughput.OutputTokensPerS > 0 {
		return l.Throughput.OutputTokensPerS
	}
	return l.Throughput.RequestsPerS
}

func throughputName(levels []record.Level) string {
	for _, l := range levels {
		if l.Throughput.OutputTokensPerS > 0 {
			return "output tokens/s"
		}
	}
	return "requests/s"
}

// latencyOf is the p95 TTFT, or of the whole answer where there are no tokens.
func latencyOf(l record.Level) *float64 {
	for _, p := range []*float64{l.TTFT.P95, l.TTFT.P90, l.TTFT.P50, l.E2E.P95, l.E2E.P90, l.E2E.P50} {
		if p != nil {
			return p
		}
	}
	return nil
}

func bar(share float64, width int) string {
	full := int(min(1, max(0, share)) * float64(width))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}

func clip(s string, width int) string {
	if r := []rune(s); len(r) > width {
		return string(r[:max(0, width-1)]) + "…"
	}
	return s
}
