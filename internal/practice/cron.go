package practice

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule is when a budget of Karpenter begins to count, in UTC: Karpenter knows no
// time zones.
type Schedule struct {
	Text string // as written
	cron *cron.SpecSchedule
}

// scheduleForm is what the NodePool's CRD takes.
var scheduleForm = regexp.MustCompile(`^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$`)

// mostSchedule bounds a schedule's text; a list of all minutes has 200 bytes.
const mostSchedule = 1000

// ParseSchedule reads five fields of cron, or a word such as @daily, as Karpenter does
// and by the same parser.
func ParseSchedule(text string) (*Schedule, error) {
	if len(text) > mostSchedule || !scheduleForm.MatchString(text) {
		return nil, fmt.Errorf("schedule %.60q is no cron: five fields, minute hour day-of-month month day-of-week, or a word such as @daily", text)
	}
	if strings.Contains(text, "TZ=") {
		return nil, fmt.Errorf("schedule %.60q names a time zone: Karpenter counts in UTC alone, and closes a budget that it cannot read", text)
	}
	s, err := cron.ParseStandard("TZ=UTC " + text)
	if err != nil {
		return nil, fmt.Errorf("schedule %.60q is no cron: %w", text, err)
	}
	spec, ok := s.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("schedule %.60q is no cron", text)
	}
	return &Schedule{text, spec}, nil
}

// Next is when the schedule fires after a moment; false where it does not in five
// years, as on a 30th of February.
func (s *Schedule) Next(after time.Time) (time.Time, bool) {
	t := s.cron.Next(after.UTC())
	return t, !t.IsZero()
}

// Fields are the five fields of the schedule; nil of a word such as @daily.
func (s *Schedule) Fields() []string {
	if f := strings.Fields(s.Text); len(f) == 5 {
		return f
	}
	return nil
}

// day is the times of a day at which the schedule fires, on the days that it does.
func (s *Schedule) day() []time.Duration {
	var all []time.Duration
	for minute := range 24 * 60 {
		if s.cron.Hour&(1<<(minute/60)) != 0 && s.cron.Minute&(1<<(minute%60)) != 0 {
			all = append(all, time.Duration(minute)*time.Minute)
		}
	}
	return all
}

// on says whether the schedule fires on the day that begins at a midnight in UTC.
func (s *Schedule) on(midnight time.Time) bool {
	next, ok := s.Next(midnight.Add(-time.Second))
	return ok && next.Before(midnight.Add(day))
}

const day = 24 * time.Hour

// A Window is from a moment, for a time; the end is left out.
type Window struct {
	From, To time.Time
}

// windows are when something that the schedule starts, and that lasts for a duration,
// is going on within a span, joined where they meet.
func (s *Schedule) windows(lasts time.Duration, from, to time.Time) []Window {
	starts := s.day()
	var all []Window
	lasts = min(lasts, to.Sub(from)+maxLasts)
	for midnight := from.Add(-lasts).UTC().Truncate(day); midnight.Before(to); midnight = midnight.Add(day) {
		if !s.on(midnight) {
			continue
		}
		for _, start := range starts {
			w := Window{midnight.Add(start), midnight.Add(start + lasts)}
			if last := len(all) - 1; last >= 0 && !w.From.After(all[last].To) {
				all[last].To = w.To
				continue
			}
			all = append(all, w)
		}
	}
	return all
}

// maxLasts bounds how far back a window may have begun: a year.
const maxLasts = 366 * day
