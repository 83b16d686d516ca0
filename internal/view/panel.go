package view

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

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
		lines[i] = ansi.Truncate(strings.TrimRight(l, " "), width, "…")
	}
	return strings.Join(lines, "\n")
}

func (s *state) headLine(width int, st style) string {
	head := fmt.Sprintf("── %s · %s · level %d of %d ", s.level.Scenario.Name, loadOf(s.level.Load), s.n, s.of)
	return st.faint.Render(head + strings.Repeat("─", max(0, width-lipgloss.Width(head))))
}

// loadOf is a level's load in a few words.
func loadOf(l record.Load) string {
	switch {
	case l.Arrival == record.ArrivalTrace:
		return fmt.Sprintf("replay at %gx", l.Speed)
	case l.Kind == record.ByConcurrency && l.Sessions:
		return fmt.Sprintf("sessions %.4g", l.Value)
	case l.Kind == record.ByRate:
		return fmt.Sprintf("requests/s %.4g", l.Value)
	}
	return fmt.Sprintf("%s %.4g", l.Kind, l.Value)
}

func (s *state) progressLine(width int) string {
	t := s.tick
	text := fmt.Sprintf("%d answered", t.Finished)
	if t.Asked > 0 {
		room := min(30, max(10, width-60))
		text = fmt.Sprintf("%s %d/%d", bar(float64(t.Finished)/float64(t.Asked), room), t.Finished, t.Asked)
	}
	open := fmt.Sprintf("in flight %d", t.InFlight)
	if s.level.Load.Kind == record.ByConcurrency && !s.level.Load.Sessions { // a user who thinks has nothing open
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
