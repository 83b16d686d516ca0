package practice

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCalendar(t *testing.T) {
	zone, err := Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	budgets := []Budget{
		budget(t, "10%", "", ""),
		budget(t, "0", "0 7 * * 1-5", "10h", "Underutilized", "Drifted"),
	}
	c := CalendarOf("gpu", budgets, zone, at(t, "2026-12-02 12:00"))
	got := map[string][]string{}
	for _, w := range c.Weeks {
		for _, reason := range w.Reasons {
			for _, s := range w.Spans[:min(3, len(w.Spans))] {
				got[reason] = append(got[reason], s.From.In(zone).Format("Mon 15:04")+" "+s.Say())
			}
		}
	}
	days := []string{"Mon 00:00 up to 10%", "Mon 08:00 closed", "Mon 18:00 up to 10%"}
	want := map[string][]string{"Underutilized": days, "Drifted": days, "Empty": {"Mon 00:00 up to 10%"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if len(c.Weeks) != 2 {
		t.Errorf("%d weeks of reasons", len(c.Weeks))
	}
	if end := c.Weeks[0].Spans[len(c.Weeks[0].Spans)-1].To; !end.Equal(time.Date(2026, 12, 7, 0, 0, 0, 0, zone)) {
		t.Errorf("the week ends at %s", end)
	}
}

func TestCalendarWithoutBudgets(t *testing.T) {
	c := CalendarOf("gpu", nil, time.UTC, at(t, "2026-12-06 23:59"))
	if len(c.Weeks) != 1 || c.Weeks[0].Spans[0].Say() != "up to 10%" || !c.Weeks[0].From.Equal(at(t, "2026-11-30 00:00")) {
		t.Errorf("%+v", c)
	}
}
