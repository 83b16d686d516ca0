package practice

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
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

// Binds says whether the budget is about a reason.
func (b Budget) Binds(reason string) bool {
	return len(b.Reasons) == 0 || slices.Contains(b.Reasons, reason)
}

// Closed says that the budget lets no node go.
func (b Budget) Closed() bool { return b.Nodes == "0" || b.Nodes == "0%" }

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
