package lint

import (
	"context"
	"fmt"
	"strings"
	"time"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// PoolCalendar is when the nodes of one NodePool may be disrupted. What could not be
// read of its budgets is in Mistakes, with what is drawn in its place.
type PoolCalendar struct {
	practice.Calendar
	At       source.Place
	Mistakes []string
}

// Calendars are those of all NodePools of an input, for the week of a moment.
func Calendars(ctx context.Context, input Reading, zone *time.Location, moment time.Time) ([]PoolCalendar, error) {
	var all []PoolCalendar
	for file := range input {
		if file == nil || file.Dockerfile {
			continue
		}
		for _, chunk := range file.Chunks() {
			doc, _ := chunk.Parse()
			for _, o := range ObjectsOf(doc) {
				if o.Is("karpenter.sh", "NodePool") {
					all = append(all, calendarOf(o, zone, moment))
				}
			}
		}
	}
	return all, ctx.Err()
}

func calendarOf(o *Object, zone *time.Location, moment time.Time) PoolCalendar {
	at := o.Spot(o.Get("metadata", "name"))
	c := PoolCalendar{At: at.Place}
	list := o.Get("spec", "disruption", "budgets")
	var budgets []practice.Budget
	if list.IsList() {
		budgets = []practice.Budget{} // an empty list is no default: nothing is bounded
	}
	for _, v := range list.Items() {
		schedule := v.Get("schedule").Text()
		b, err := practice.ParseBudget(v.Get("nodes").Text(), schedule, v.Get("duration").Text(), v.Get("reasons").Texts())
		drawn := "left out, for the API server refuses it"
		if _, bad := practice.ParseSchedule(schedule); schedule != "" && bad != nil {
			// What the API server lets through and Karpenter cannot read closes the pool.
			b, drawn = practice.Budget{Nodes: "0"}, "drawn as one of no nodes at all times, as Karpenter takes it"
		}
		if err != nil {
			c.Mistakes = append(c.Mistakes, fmt.Sprintf("%s:%d:%d: %s: %s", at.File, v.Line(), v.Column(), strings.TrimSpace(err.Error()), drawn))
		}
		if err == nil || b.Closed() && b.Schedule == nil {
			budgets = append(budgets, b)
		}
	}
	c.Calendar = practice.CalendarOf(o.Name, budgets, zone, moment)
	return c
}
