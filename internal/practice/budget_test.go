package practice

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	moment, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

func budget(t *testing.T, nodes, schedule, duration string, reasons ...string) Budget {
	t.Helper()
	b, err := ParseBudget(nodes, schedule, duration, reasons)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// active says whether a budget counts at a moment, as Karpenter itself finds out: from
// each time that its schedule fires, for its duration, the end left out.
func (b Budget) active(now time.Time) bool {
	if b.Schedule == nil {
		return true
	}
	next, ok := b.Schedule.Next(now.Add(-b.Duration))
	return !ok || !next.After(now) // of a schedule that never fires Karpenter takes the zero time, which is past
}

// What Karpenter v1.13's Budget.IsActive said of these, run 2026-11-30.
func TestActive(t *testing.T) {
	for _, test := range []struct {
		schedule, duration, moment string // 2026-12-04 is a Friday
		want                       bool
	}{
		{"0 9 * * 1-5", "8h", "2026-12-04 08:59", false},
		{"0 9 * * 1-5", "8h", "2026-12-04 09:00", true},
		{"0 9 * * 1-5", "8h", "2026-12-04 16:59", true},
		{"0 9 * * 1-5", "8h", "2026-12-04 17:00", false},
		{"0 9-17 * * 1-5", "8h", "2026-12-04 17:00", true},
		{"0 9-17 * * 1-5", "8h", "2026-12-05 00:59", true}, // the hour of 17 fires too
		{"0 9-17 * * 1-5", "8h", "2026-12-05 01:00", false},
		{"@daily", "30m", "2026-12-04 00:29", true},
		{"@daily", "30m", "2026-12-04 00:30", false},
		{"0 0 30 2 *", "1h", "2026-12-04 12:00", true}, // it never fires: Karpenter takes the zero time for a hit
		{"0 9 * * 1-5", "0h", "2026-12-04 09:00", false},
		{"", "", "2026-12-04 09:00", true},
	} {
		if got := budget(t, "0", test.schedule, test.duration).active(at(t, test.moment)); got != test.want {
			t.Errorf("%q for %s at %s: %v", test.schedule, test.duration, test.moment, got)
		}
	}
}

func TestBudgetRefused(t *testing.T) {
	for _, test := range []struct{ nodes, schedule, duration, want string }{
		{"110%", "", "", "percentage up to 100%"},
		{"-1", "", "", "nodes is"},
		{"0", "0 9 * * 1-5", "", "stand together"},
		{"0", "", "8h", "stand together"},
		{"0", "0 9 * * 1-5", "90s", "no other unit"},
		{"0", "0 9 * * 1-5", "1d", "no other unit"},
		{"0", "0 9 * *", "8h", "five fields"},
		{"0", "0 25 * * *", "8h", "no cron"},
		{"0", "TZ=Asia/Tokyo 0 9 * * 1-5", "8h", "UTC alone"},
		{"0", "CRON_TZ=Asia/Tokyo 0 9 * * 1-5", "8h", "UTC alone"},
		{"0", "@every 1h          ", "8h", "no cron"},
	} {
		if _, err := ParseBudget(test.nodes, test.schedule, test.duration, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

func TestGap(t *testing.T) {
	monday := at(t, "2026-11-30 00:00")
	closed := budget(t, "0", "0 9 * * 1-5", "8h")
	if moment, ok := Gap([]Budget{closed}, "Drifted", monday); !ok || !moment.Equal(monday) {
		t.Errorf("a scheduled budget alone: %s, %v", moment, ok)
	}
	if _, ok := Gap([]Budget{closed, budget(t, "10%", "", "")}, "Drifted", monday); ok {
		t.Error("a gap beside a budget that always counts")
	}
	if _, ok := Gap([]Budget{closed, budget(t, "10%", "", "", "Empty")}, "Drifted", monday); !ok {
		t.Error("no gap for a reason that the budget that always counts is not about")
	}
	tiles := []Budget{budget(t, "0", "0 0 * * *", "12h"), budget(t, "0", "0 12 * * *", "12h")}
	if !AlwaysClosed(tiles, "Empty", monday) {
		t.Error("two halves of a day do not close it")
	}
	if AlwaysClosed([]Budget{closed}, "Empty", monday) {
		t.Error("business hours close all of the week")
	}
}

// TestSpansAgree holds the spans against the moments, which are judged by Karpenter's
// own steps.
func TestSpansAgree(t *testing.T) {
	from := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	field := func(t *rapid.T, name string, low, high int) string {
		switch rapid.IntRange(0, 3).Draw(t, name) {
		case 0:
			return "*"
		case 1:
			a := rapid.IntRange(low, high).Draw(t, name)
			b := rapid.IntRange(a, high).Draw(t, name)
			return strconv.Itoa(a) + "-" + strconv.Itoa(b) + "/" + strconv.Itoa(rapid.IntRange(1, 9).Draw(t, name))
		}
		return strconv.Itoa(rapid.IntRange(low, high).Draw(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		var budgets []Budget
		for range rapid.IntRange(1, 3).Draw(t, "budgets") {
			schedule := strings.Join([]string{
				field(t, "minute", 0, 59), field(t, "hour", 0, 23), field(t, "day", 1, 31), field(t, "month", 1, 12), field(t, "weekday", 0, 6),
			}, " ")
			duration := strconv.Itoa(rapid.IntRange(0, 60).Draw(t, "hours")) + "h" + strconv.Itoa(rapid.IntRange(0, 59).Draw(t, "minutes")) + "m"
			b, err := ParseBudget("0", schedule, duration, nil)
			if err != nil {
				t.Fatal(err)
			}
			budgets = append(budgets, b)
		}
		spans := Spans(budgets, "Empty", from, from.AddDate(0, 0, 14))
		end := from
		for _, s := range spans {
			if !s.From.Equal(end) {
				t.Fatalf("a span begins at %s, the last one ends at %s", s.From, end)
			}
			end = s.To
			inside := rapid.Int64Range(0, int64(s.To.Sub(s.From))-1).Draw(t, "inside")
			for _, moment := range []time.Time{s.From, s.From.Add(time.Duration(inside)), s.To.Add(-1)} {
				for i, b := range budgets {
					if got := slices.Contains(s.Budgets, i); got != b.active(moment) {
						t.Fatalf("%q for %s at %s: span says %v", b.Schedule.Text, b.Duration, moment, got)
					}
				}
			}
		}
		if !end.Equal(from.AddDate(0, 0, 14)) {
			t.Fatalf("spans end at %s", end)
		}
	})
}

func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"0 9 * * 1-5", "@daily", "*/5 * * * *", "0 0 29 2 *", "TZ= 1 2 3 4", "1-60 * * * *"} {
		f.Add(s)
	}
	from := time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, s string) {
		b, err := ParseBudget("10%", s, "8h", nil)
		if err != nil {
			return
		}
		for _, span := range Spans([]Budget{b}, "Empty", from, from.AddDate(0, 0, 7)) {
			if b.active(span.From) != (len(span.Budgets) == 1) {
				t.Errorf("%q at %s", s, span.From)
			}
		}
	})
}
