package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/internal/lint"
	"assay/internal/practice"
)

// LintCalendar draws when nodes may be disrupted: a line a day, a character for half an
// hour, in the time zone of the calendar.
func LintCalendar(w io.Writer, all []lint.PoolCalendar, opt TextOptions) error {
	t := newTextWriter(w, opt)
	for i, c := range all {
		if i > 0 {
			t.line("")
		}
		t.line(t.style("NodePool "+plain(c.Pool), bold) + fmt.Sprintf("  %s:%d, times of %s", plain(c.At.File), c.At.Line, c.Zone))
		for _, week := range c.Weeks {
			t.week(week, c.Zone)
		}
		t.shift(c.Calendar)
		for _, m := range c.Mistakes {
			t.wrap("  ", plain(m), yellow)
		}
	}
	t.line("")
	t.wrap("", "Budgets hold for consolidation and drift alone: expiry, Spot interruptions and repairs come at any time.", dim)
	return t.w.Flush()
}

// marks are how allowances are drawn: closed, unbounded, then the bounds in the order
// in which they are met.
const (
	closedMark    = "·"
	unboundedMark = "#"
	boundMarks    = "abcdefghij"
)

var days = []string{"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"}

func (t *textWriter) week(week practice.Week, zone *time.Location) {
	legend := legendOf(week)
	t.line("  " + strings.Join(week.Reasons, ", ") + ", the week of " + week.From.Format(time.DateOnly))
	t.line("       " + hours())
	for d := range 7 {
		day := week.From.AddDate(0, 0, d)
		var b strings.Builder
		for half := range 48 {
			at := time.Date(day.Year(), day.Month(), day.Day(), half/2, half%2*30, 0, 0, zone)
			if at.Hour() != half/2 {
				b.WriteString(" ") // the clocks leave this hour out
				continue
			}
			b.WriteString(legend.mark[sayAt(week, at)])
		}
		t.line("  " + days[d] + "  " + b.String())
	}
	for _, say := range legend.order {
		t.line("    " + legend.mark[say] + "  " + say)
	}
}

// shift says when windows come to lie at other hours, where there are windows.
func (t *textWriter) shift(c practice.Calendar) {
	scheduled := slices.ContainsFunc(c.Weeks, func(w practice.Week) bool { return len(w.Spans) > 1 })
	at, by, ok := practice.Shift(c.Zone, c.Weeks[0].From)
	if !scheduled || !ok {
		return
	}
	how := "later"
	if by < 0 {
		how, by = "earlier", -by
	}
	t.wrap("  ", fmt.Sprintf("Schedules are UTC: from %s, when the clocks change, these windows lie %s %s.", at.In(c.Zone).Format("Mon 2006-01-02"), tidySpan(by), how), dim)
}

// tidySpan is a change of clocks in words: an hour, or minutes.
func tidySpan(d time.Duration) string {
	if d == time.Hour {
		return "an hour"
	}
	return fmt.Sprintf("%.0f minutes", d.Minutes())
}

func hours() string {
	var b strings.Builder
	for h := 0; h < 24; h += 3 {
		fmt.Fprintf(&b, "%02d    ", h)
	}
	return strings.TrimRight(b.String(), " ")
}

// sayAt is the allowance at a moment.
func sayAt(week practice.Week, at time.Time) string {
	for _, s := range week.Spans {
		if !at.Before(s.From) && at.Before(s.To) {
			return s.Say()
		}
	}
	return ""
}

type legend struct {
	mark  map[string]string
	order []string
}

func legendOf(week practice.Week) legend {
	l := legend{mark: map[string]string{"": " "}}
	bounds := 0
	for _, s := range week.Spans {
		say := s.Say()
		if _, there := l.mark[say]; there {
			continue
		}
		switch {
		case s.Closed():
			l.mark[say] = closedMark
		case s.Unbounded():
			l.mark[say] = unboundedMark
		default:
			l.mark[say] = string(boundMarks[min(bounds, len(boundMarks)-1)])
			bounds++
		}
		l.order = append(l.order, say)
	}
	return l
}

// CalendarAnswer is a calendar as JSON has it; times are UTC.
type CalendarAnswer struct {
	NodePool string         `json:"nodepool"`
	File     string         `json:"file"`
	Line     int            `json:"line"`
	TimeZone string         `json:"time_zone"`
	Weeks    []CalendarWeek `json:"weeks"`
	Mistakes []string       `json:"mistakes,omitempty"`
}

// CalendarWeek is a week of reasons for which budgets are the same.
type CalendarWeek struct {
	Reasons []string       `json:"reasons"`
	Spans   []CalendarSpan `json:"spans"`
}

// CalendarSpan is a time of one allowance: closed, unbounded, or of which budgets the
// least holds.
type CalendarSpan struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Allow string    `json:"allow"`
	Nodes []string  `json:"nodes"`
}

// LintCalendarAnswer are calendars for scripts.
func LintCalendarAnswer(all []lint.PoolCalendar) []CalendarAnswer {
	var out []CalendarAnswer
	for _, c := range all {
		a := CalendarAnswer{NodePool: c.Pool, File: c.At.File, Line: c.At.Line, TimeZone: c.Zone.String(), Mistakes: c.Mistakes}
		for _, week := range c.Weeks {
			w := CalendarWeek{Reasons: week.Reasons}
			for _, s := range week.Spans {
				span := CalendarSpan{From: s.From.UTC(), To: s.To.UTC(), Allow: "bounded", Nodes: s.Nodes}
				if s.Closed() {
					span.Allow = "closed"
				} else if s.Unbounded() {
					span.Allow, span.Nodes = "unbounded", []string{}
				}
				w.Spans = append(w.Spans, span)
			}
			a.Weeks = append(a.Weeks, w)
		}
		out = append(out, a)
	}
	return out
}
