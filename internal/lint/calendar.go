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
// read of its budgets is in Mistakes, and left out.
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
	var budgets []practice.Budget
	for _, v := range o.Get("spec", "disruption", "budgets").Items() {
		b, err := practice.ParseBudget(v.Get("nodes").Text(), v.Get("schedule").Text(), v.Get("duration").Text(), v.Get("reasons").Texts())
		if err != nil {
			c.Mistakes = append(c.Mistakes, fmt.Sprintf("%s:%d:%d: %s", at.File, v.Line(), v.Column(), strings.TrimSpace(err.Error())))
			continue
		}
		budgets = append(budgets, b)
	}
	c.Calendar = practice.CalendarOf(o.Name, budgets, zone, moment)
	return c
}
