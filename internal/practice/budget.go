package practice

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Budget is one disruption budget of a NodePool: how many of its nodes Karpenter may
// disrupt at once, and when the budget counts. It binds what Karpenter does of its own
// will (Reasons); expiry, interruptions, repair and deletion by hand ask no budget.
//
// Source: Karpenter v1.14.0, pkg/apis/v1/nodepool.go, read 2026-11-30.
type Budget struct {
	Nodes    string    // a number, or a percentage of the pool's nodes, rounded up
	Schedule *Schedule // nil: it always counts
	Duration time.Duration
	Reasons  []string // of BudgetReasons; empty: all of them
}

// BudgetReasons are the disruptions that budgets bind.
var BudgetReasons = []string{"Underutilized", "Empty", "Drifted"}

// Unbounded is what Karpenter allows where no budget counts: as many nodes as there are.
const Unbounded = math.MaxInt32

// The forms that the NodePool's CRD takes.
var (
	budgetNodes    = regexp.MustCompile(`^((100|[0-9]{1,2})%|[0-9]+)$`)
	budgetDuration = regexp.MustCompile(`^(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?$`)
)

// ParseBudget reads a budget as a NodePool writes it; absent fields are empty.
func ParseBudget(nodes, schedule, duration string, reasons []string) (Budget, error) {
	b := Budget{Nodes: cmp.Or(nodes, "10%"), Reasons: reasons}
	if !budgetNodes.MatchString(b.Nodes) {
		return b, fmt.Errorf("nodes is %q: a number, or a percentage up to 100%%", nodes)
	}
	if (schedule == "") != (duration == "") {
		return b, errors.New("schedule and duration stand together or not at all")
	}
	if schedule == "" {
		return b, nil
	}
	s, err := ParseSchedule(schedule)
	if err != nil {
		return b, err
	}
	b.Schedule = s
	b.Duration, err = BudgetDuration(duration)
	return b, err
}

// BudgetDuration reads hours and minutes, the only units that budgets take.
func BudgetDuration(s string) (time.Duration, error) {
	if !budgetDuration.MatchString(s) {
		return 0, fmt.Errorf("duration is %q: hours and minutes such as 8h, 30m or 8h30m, no other unit", s)
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, fmt.Errorf("duration is %q, more than can be counted", s)
	}
	return d, nil
}

// Active says whether the budget counts at a moment: from each time that its schedule
// fires, for its duration, the end left out.
func (b Budget) Active(now time.Time) bool {
	if b.Schedule == nil {
		return true
	}
	next, ok := b.Schedule.Next(now.Add(-b.Duration))
	return !ok || !next.After(now) // of a schedule that never fires Karpenter takes the zero time, which is past
}

// Most is how many nodes of a pool the budget lets go at once while it counts.
func (b Budget) Most(nodes int) int {
	if percent, ok := b.percent(); ok {
		return (percent*nodes + 99) / 100
	}
	n, err := strconv.Atoi(b.Nodes)
	if err != nil {
		return 0
	}
	return min(n, Unbounded)
}

func (b Budget) percent() (int, bool) {
	if b.Nodes == "" || b.Nodes[len(b.Nodes)-1] != '%' {
		return 0, false
	}
	n, err := strconv.Atoi(b.Nodes[:len(b.Nodes)-1])
	return n, err == nil
}

// Binds says whether the budget is about a reason.
func (b Budget) Binds(reason string) bool {
	return len(b.Reasons) == 0 || slices.Contains(b.Reasons, reason)
}

// Closed says that the budget lets no node go.
func (b Budget) Closed() bool { return b.Nodes == "0" || b.Nodes == "0%" }

// Allowed is how many of so many nodes may be disrupted at a moment for a reason: the
// least of the budgets that count, Unbounded where none does.
func Allowed(budgets []Budget, now time.Time, nodes int, reason string) int {
	most := Unbounded
	for _, b := range budgets {
		if b.Binds(reason) && b.Active(now) {
			most = min(most, b.Most(nodes))
		}
	}
	return most
}

// Gap is the first moment in four weeks from a start at which no budget counts for a
// reason: Karpenter then disrupts as many nodes as it likes.
func Gap(budgets []Budget, reason string, from time.Time) (at time.Time, ok bool) {
	for _, s := range Spans(budgets, reason, from, from.AddDate(0, 0, 28)) {
		if len(s.Budgets) == 0 {
			return s.From, true
		}
	}
	return time.Time{}, false
}

// AlwaysClosed says that budgets let no node go for a reason at any time of the four
// weeks from a start: nodes are never replaced, not even those that drifted.
func AlwaysClosed(budgets []Budget, reason string, from time.Time) bool {
	for _, s := range Spans(budgets, reason, from, from.AddDate(0, 0, 28)) {
		if !slices.ContainsFunc(s.Budgets, func(i int) bool { return budgets[i].Closed() }) {
			return false
		}
	}
	return true
}
