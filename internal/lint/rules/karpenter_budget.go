package rules

import (
	"fmt"
	"strings"
	"time"

	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// budget is one of a NodePool's, and where it stands.
type budget struct {
	practice.Budget
	at source.Value
}

// aMonday is where weeks are looked at: budgets count in UTC, the same in any week.
var aMonday = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)

// poolBudgets are the budgets of a NodePool; ok is false where one cannot be read.
func poolBudgets(o *lint.Object) (all []budget, ok bool) {
	for _, item := range o.Get("spec", "disruption", "budgets").Items() {
		b, err := practice.ParseBudget(item.Get("nodes").Text(), item.Get("schedule").Text(), item.Get("duration").Text(), item.Get("reasons").Texts())
		if err != nil {
			return nil, false
		}
		all = append(all, budget{b, item})
	}
	return all, true
}

func budgetsAlone(all []budget) []practice.Budget {
	var p []practice.Budget
	for _, b := range all {
		p = append(p, b.Budget)
	}
	return p
}

// onBudgets is a rule over the budgets of a NodePool.
func onBudgets(check func(*lint.Pass, *lint.Object, []budget)) func(*lint.Pass, *lint.Object) {
	return func(p *lint.Pass, o *lint.Object) {
		if _, isPool := poolOf(o); !isPool {
			return
		}
		if all, ok := poolBudgets(o); ok && len(all) > 0 {
			check(p, o, all)
		}
	}
}

// chain is how long a budget counts from a time at which its schedule fires after a
// pause, how often it fires within, and the least time between.
type chain struct {
	from, to time.Time
	fires    int
	least    time.Duration
}

// chainOf follows a schedule from the first pause; ok is false where it never pauses
// for a week.
func chainOf(b practice.Budget) (chain, bool) {
	const most = 8 * 24 * time.Hour
	at, ok := b.Schedule.Next(aMonday)
	if !ok {
		return chain{}, false
	}
	c := chain{from: at, to: at.Add(b.Duration), fires: 1, least: most}
	for c.to.Sub(c.from) < most {
		next, ok := b.Schedule.Next(at)
		if !ok || next.After(c.to) {
			return c, true
		}
		c.least = min(c.least, next.Sub(at))
		at, c.to = next, next.Add(b.Duration)
		c.fires++
	}
	return c, false
}

func budgetHourly(p *lint.Pass, o *lint.Object, all []budget) {
	for _, b := range all {
		if b.Schedule == nil || b.Schedule.Fields() == nil {
			continue
		}
		c, ok := chainOf(b.Budget)
		if !ok || c.fires < 2 || c.least >= b.Duration || c.least >= 24*time.Hour {
			continue
		}
		at := b.at.Get("schedule")
		once := onceADay(b.Schedule.Fields(), c.from)
		f := p.Fail(at, "the schedule %q fires %d times from %s to %s UTC; with a duration of %s the budget counts without a pause until %s, %s and not %s: write %q",
			at.Text(), c.fires, c.from.Format("15:04"), c.to.Add(-b.Duration).Format("15:04"), b.at.Get("duration").Text(), clockAt(c.from, c.to), inHours(c.to.Sub(c.from)), inHours(b.Duration), once)
		f.Edits = p.SetScalar(at, once)
	}
}

// onceADay is a schedule that fires at the first of its times alone.
func onceADay(fields []string, first time.Time) string {
	return fmt.Sprintf("%d %d %s", first.Minute(), first.Hour(), strings.Join(fields[2:], " "))
}

// clockAt is the time of a later moment, with its day where that is another.
func clockAt(from, to time.Time) string {
	switch days := int(to.Truncate(24*time.Hour).Sub(from.Truncate(24*time.Hour)).Hours() / 24); days {
	case 0:
		return to.Format("15:04")
	case 1:
		return to.Format("15:04") + " the next day"
	default:
		return fmt.Sprintf("%s %d days later", to.Format("15:04"), days)
	}
}

func inHours(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// budgetUnbounded looks at what budgets leave open, an empty list first.
func budgetUnbounded(p *lint.Pass, o *lint.Object) {
	if list := o.Get("spec", "disruption", "budgets"); list.IsList() && len(list.Items()) == 0 && isPool(o) {
		p.Fail(o.Get("spec", "disruption").Key("budgets"), "an empty list of budgets takes the place of the default of 10 %%: Karpenter may disrupt all nodes of the pool at once")
		return
	}
	onBudgets(budgetScheduledOnly)(p, o)
}

func isPool(o *lint.Object) bool {
	_, ok := poolOf(o)
	return ok
}

func budgetScheduledOnly(p *lint.Pass, o *lint.Object, all []budget) {
	for _, reason := range practice.BudgetReasons {
		bound := false
		for _, b := range all {
			bound = bound || b.Schedule != nil && b.Binds(reason)
		}
		if !bound {
			continue
		}
		gap, ok := practice.Gap(budgetsAlone(all), reason, aMonday)
		if !ok {
			continue
		}
		at := o.Get("spec", "disruption").Key("budgets")
		p.Fail(at, "each budget for %s nodes has a schedule: outside of it, as on %s at %s UTC, Karpenter may disrupt all nodes of the pool at once",
			strings.ToLower(reason), gap.Weekday(), gap.Format("15:04"))
		return
	}
}

func budgetNeverLifts(p *lint.Pass, o *lint.Object, all []budget) {
	if hasOpenZero(all) {
		return
	}
	for _, reason := range practice.BudgetReasons {
		if !practice.AlwaysClosed(budgetsAlone(all), reason, aMonday) {
			continue
		}
		for _, b := range all {
			if b.Schedule != nil && b.Closed() && b.Binds(reason) {
				at := b.at.Get("schedule")
				p.Fail(at, "the schedule %q with a duration of %s leaves no time without this budget of no nodes: %s nodes are never replaced", at.Text(), b.at.Get("duration").Text(), strings.ToLower(reason))
				return
			}
		}
	}
}

// hasOpenZero says that a budget of no nodes counts at all times: see budgetZero.
func hasOpenZero(all []budget) bool {
	for _, b := range all {
		if b.Schedule == nil && b.Closed() {
			return true
		}
	}
	return false
}

func budgetZero(p *lint.Pass, o *lint.Object, all []budget) {
	if o.Get("spec", "replicas").Exists() {
		return
	}
	for _, b := range all {
		if b.Schedule == nil && b.Closed() && b.Binds("Empty") {
			p.Fail(b.at.Get("nodes"), "nodes: %q without a schedule: no node of the pool is ever consolidated, not even an empty one", b.Nodes)
			return
		}
	}
}

func budgetUnreadable(p *lint.Pass, o *lint.Object) {
	if _, isPool := poolOf(o); !isPool {
		return
	}
	for _, item := range o.Get("spec", "disruption", "budgets").Items() {
		at := item.Get("schedule")
		if !at.Exists() || at.Open() {
			continue
		}
		if _, err := practice.ParseSchedule(at.Text()); err != nil {
			p.Fail(at, "%v", err)
		}
	}
}

func expiryInClosedHours(p *lint.Pass, o *lint.Object, all []budget) {
	at := o.Get("spec", "template", "spec", "expireAfter")
	expire, err := time.ParseDuration(at.Text())
	if err != nil || expire <= 0 || expire > 24*time.Hour {
		return
	}
	for _, b := range all {
		if b.Schedule != nil && b.Closed() {
			p.Fail(at, "expireAfter %s drains each node at least once a day, in the hours too that the budget of no nodes (%q for %s) is to keep: expiry asks no budget",
				at.Text(), b.at.Get("schedule").Text(), b.at.Get("duration").Text())
			return
		}
	}
}
