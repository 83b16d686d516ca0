package practice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Hours are those of a working week in a time zone, in which nodes are to be left
// alone. To before From, or the same, is over midnight; the days are those on which
// they begin.
type Hours struct {
	Zone     *time.Location
	Days     []time.Weekday
	From, To time.Duration // since midnight, whole minutes
}

// Clock reads a time of day such as 09:00; 24:00 ends a day.
func Clock(s string) (time.Duration, error) {
	if s == "24:00" {
		return day, nil
	}
	t, err := time.Parse("15:04", s)
	if err != nil {
		return 0, fmt.Errorf("%q is no time of day: write one such as 09:00", s)
	}
	return time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute, nil
}

// weekdays by their names, from Sunday as cron counts.
var weekdays = []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// Weekdays reads days and spans of them, such as mon-fri or sat,sun.
func Weekdays(s string) ([]time.Weekday, error) {
	var all []time.Weekday
	for _, part := range strings.Split(s, ",") {
		first, last, span := strings.Cut(strings.TrimSpace(part), "-")
		from, ok := weekday(first)
		to := from
		if ok && span {
			to, ok = weekday(last)
		}
		if !ok {
			return nil, fmt.Errorf("%q are no days: write them such as mon-fri or sat,sun", s)
		}
		for d := from; ; d = (d + 1) % 7 {
			if !slices.Contains(all, d) {
				all = append(all, d)
			}
			if d == to {
				break
			}
		}
	}
	slices.Sort(all)
	return all, nil
}

func weekday(s string) (time.Weekday, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	i := slices.IndexFunc(weekdays, func(name string) bool { return len(s) >= 2 && strings.HasPrefix(name, s) })
	return time.Weekday(i), i >= 0
}

// length is how long the hours of one day are.
func (h Hours) length() time.Duration {
	if h.To > h.From {
		return h.To - h.From
	}
	return h.To + day - h.From
}

// Closing is the schedule and duration of a budget that closes a pool in these hours.
// Karpenter counts in UTC, and a zone's offset changes over the year: the window is the
// union over all of them, so it is longer by what lies between, and begins on another
// weekday where midnight lies in that.
func (h Hours) Closing() (schedule string, lasts time.Duration, err error) {
	offsets := Offsets(h.Zone)
	least, most := offsets[0], offsets[len(offsets)-1]
	lasts = h.length() + most - least
	start := h.From - most
	shift := 0
	for start < 0 {
		start, shift = start+day, shift-1
	}
	for start >= day {
		start, shift = start-day, shift+1
	}
	switch {
	case start%time.Minute != 0 || lasts%time.Minute != 0:
		return "", 0, fmt.Errorf("%s is not whole minutes from UTC", h.Zone)
	case len(h.Days) == 0:
		return "", 0, errors.New("the hours have no days")
	case len(h.Days) == 7 && lasts >= day:
		return "", 0, errors.New("the hours are all of the week: no node could ever be replaced, not even one that drifted")
	}
	return fmt.Sprintf("%d %d * * %s", start%time.Hour/time.Minute, start/time.Hour, cronDays(h.Days, shift)), lasts, nil
}

// Shifted says that the weekdays of the schedule in UTC are others than the user's.
func (h Hours) Shifted() bool {
	offsets := Offsets(h.Zone)
	start := h.From - offsets[len(offsets)-1]
	return start < 0 || start >= day
}

// cronDays writes weekdays, moved by some, as cron does: 1-5, or a list. Every day is *.
func cronDays(days []time.Weekday, shift int) string {
	var set [7]bool
	for _, d := range days {
		set[((int(d)+shift)%7+7)%7] = true
	}
	if !slices.Contains(set[:], false) {
		return "*"
	}
	var parts []string
	for d := 0; d < 7; d++ {
		if !set[d] {
			continue
		}
		end := d
		for end+1 < 7 && set[end+1] {
			end++
		}
		switch {
		case end == d:
			parts = append(parts, fmt.Sprint(d))
		case end == d+1:
			parts = append(parts, fmt.Sprint(d), fmt.Sprint(end))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", d, end))
		}
		d = end
	}
	return strings.Join(parts, ",")
}

// HoursMinutes writes a duration as budgets take it: 9h, 8h30m.
func HoursMinutes(d time.Duration) string {
	hours, minutes := int(d/time.Hour), int(d%time.Hour/time.Minute)
	switch {
	case minutes == 0:
		return fmt.Sprintf("%dh", hours)
	case hours == 0:
		return fmt.Sprintf("%dm", minutes)
	}
	return fmt.Sprintf("%dh%dm", hours, minutes)
}
