package practice

import (
	"slices"
	"strings"
	"time"
)

// Span is a time over which the same budgets count. Budgets are their places in the
// list; none: nothing bounds what Karpenter disrupts.
type Span struct {
	From, To time.Time
	Budgets  []int
}

// Spans cuts a time into parts of the same budgets, for one reason.
func Spans(budgets []Budget, reason string, from, to time.Time) []Span {
	windows := make([][]Window, len(budgets))
	edges := []time.Time{from}
	for i, b := range budgets {
		if !b.Binds(reason) {
			continue
		}
		windows[i] = b.windows(from, to)
		for _, w := range windows[i] {
			edges = append(edges, w.From, w.To)
		}
	}
	edges = slices.DeleteFunc(edges, func(t time.Time) bool { return t.Before(from) || !t.Before(to) })
	slices.SortFunc(edges, time.Time.Compare)
	edges = append(slices.CompactFunc(edges, time.Time.Equal), to)
	var all []Span
	at := make([]int, len(budgets)) // the window of each that may count next
	for i := range edges[1:] {
		s := Span{From: edges[i], To: edges[i+1]}
		for k := range budgets {
			for at[k] < len(windows[k]) && !windows[k][at[k]].To.After(s.From) {
				at[k]++
			}
			if at[k] < len(windows[k]) && !windows[k][at[k]].From.After(s.From) {
				s.Budgets = append(s.Budgets, k)
			}
		}
		all = append(all, s)
	}
	return all
}

// windows are when a budget counts within a span.
func (b Budget) windows(from, to time.Time) []Window {
	if b.Schedule == nil {
		return []Window{{from, to}}
	}
	if _, ok := b.Schedule.Next(from); !ok {
		return []Window{{from, to}} // see Active
	}
	if b.Duration <= 0 {
		return nil
	}
	return b.Schedule.windows(b.Duration, from, to)
}

// Calendar is when the nodes of a pool may be disrupted, over a week in a time zone.
type Calendar struct {
	Pool  string
	Zone  *time.Location
	Weeks []Week // one for all reasons where budgets do not tell them apart
}

// Week is seven days of one or more reasons, from a Monday at midnight in the zone.
type Week struct {
	Reasons []string
	From    time.Time
	Spans   []Allowance
}

// Allowance is what budgets allow for a time.
type Allowance struct {
	From, To time.Time
	Nodes    []string // of the budgets that count, of which the least holds; none: unbounded
}

// Closed says that no node may be disrupted.
func (a Allowance) Closed() bool {
	return slices.ContainsFunc(a.Nodes, func(n string) bool { return Budget{Nodes: n}.Closed() })
}

// Unbounded says that any number of nodes may be.
func (a Allowance) Unbounded() bool { return len(a.Nodes) == 0 }

// Say is the allowance in words: closed, unbounded, 10%, the least of 10% and 3.
func (a Allowance) Say() string {
	switch {
	case a.Closed():
		return "closed"
	case a.Unbounded():
		return "unbounded"
	case len(a.Nodes) == 1:
		return "up to " + a.Nodes[0]
	}
	return "up to the least of " + strings.Join(a.Nodes, " and ")
}

// CalendarOf is the calendar of the week that a moment falls in. Where budgets are nil, the
// pool has Karpenter's default of 10 %; where they are an empty list, it has none.
func CalendarOf(pool string, budgets []Budget, zone *time.Location, moment time.Time) Calendar {
	if budgets == nil {
		budgets = []Budget{{Nodes: "10%"}}
	}
	c := Calendar{Pool: pool, Zone: zone}
	local := moment.In(zone)
	monday := time.Date(local.Year(), local.Month(), local.Day()-(int(local.Weekday())+6)%7, 0, 0, 0, 0, zone)
	for _, reason := range BudgetReasons {
		w := Week{Reasons: []string{reason}, From: monday}
		for _, s := range Spans(budgets, reason, monday, monday.AddDate(0, 0, 7)) {
			w.add(s, budgets)
		}
		c.add(w)
	}
	return c
}

// Shift is when the zone's clocks next change after a moment, and by how much: as
// schedules are UTC, windows then lie that much later on the clock. ok is false where the
// clocks stay.
func Shift(zone *time.Location, after time.Time) (at time.Time, by time.Duration, ok bool) {
	_, at = after.In(zone).ZoneBounds()
	if at.IsZero() {
		return at, 0, false
	}
	_, before := after.In(zone).Zone()
	_, then := at.In(zone).Zone()
	by = time.Duration(then-before) * time.Second
	return at, by, by != 0
}

// add joins spans whose allowance is the same.
func (w *Week) add(s Span, budgets []Budget) {
	a := Allowance{From: s.From, To: s.To}
	for _, i := range s.Budgets {
		if n := budgets[i].Nodes; !slices.Contains(a.Nodes, n) {
			a.Nodes = append(a.Nodes, n)
		}
	}
	if last := len(w.Spans) - 1; last >= 0 && w.Spans[last].Say() == a.Say() {
		w.Spans[last].To = a.To
		return
	}
	w.Spans = append(w.Spans, a)
}

// add joins reasons whose weeks are the same.
func (c *Calendar) add(w Week) {
	for i, have := range c.Weeks {
		if slices.EqualFunc(have.Spans, w.Spans, func(a, b Allowance) bool {
			return a.From.Equal(b.From) && a.To.Equal(b.To) && a.Say() == b.Say()
		}) {
			c.Weeks[i].Reasons = append(have.Reasons, w.Reasons...)
			return
		}
	}
	c.Weeks = append(c.Weeks, w)
}
