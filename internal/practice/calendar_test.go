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

// Windows are UTC, and lie at another hour of the clock from the night on which it
// changes; those that go over midnight, and over the end of the week, are cut in no place.
func TestCalendarOverADaylightChange(t *testing.T) {
	zone, err := Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	c := CalendarOf("gpu", []Budget{budget(t, "10%", "", ""), budget(t, "0", "0 21 * * 6,0", "8h")}, zone, at(t, "2027-03-25 12:00"))
	var got []string
	for _, s := range c.Weeks[0].Spans {
		got = append(got, s.From.In(zone).Format("Mon 15:04")+" "+s.Say())
	}
	want := []string{"Mon 00:00 closed", "Mon 06:00 up to 10%", "Sat 22:00 closed", "Sun 07:00 up to 10%", "Sun 23:00 closed"}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if end := c.Weeks[0].Spans[4].To.Sub(c.Weeks[0].From); end != 167*time.Hour {
		t.Errorf("the week has %s, and the clocks leave an hour out", end)
	}
}

func TestShift(t *testing.T) {
	for name, c := range map[string]struct {
		after, at string
		by        time.Duration
	}{
		"Europe/Berlin":       {"2027-03-01 00:00", "2027-03-28 01:00", time.Hour},
		"America/New_York":    {"2026-10-05 00:00", "2026-11-01 06:00", -time.Hour},
		"Australia/Lord_Howe": {"2026-12-01 00:00", "2027-04-03 15:00", -30 * time.Minute},
		"Asia/Tokyo":          {"2026-12-01 00:00", "", 0},
	} {
		zone, err := Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		when, by, ok := Shift(zone, at(t, c.after))
		if ok != (c.at != "") || by != c.by || ok && !when.Equal(at(t, c.at)) {
			t.Errorf("%s: %s by %s, %t", name, when.UTC(), by, ok)
		}
	}
}
