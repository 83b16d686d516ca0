package practice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func hours(t *testing.T, zone, days, from, to string) Hours {
	t.Helper()
	var h Hours
	var err error
	if h.Zone, err = Zone(zone); err != nil {
		t.Fatal(err)
	}
	if h.Days, err = Weekdays(days); err != nil {
		t.Fatal(err)
	}
	if h.From, err = Clock(from); err != nil {
		t.Fatal(err)
	}
	if h.To, err = Clock(to); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestClosing(t *testing.T) {
	for _, test := range []struct{ zone, days, from, to, schedule, lasts string }{
		{"UTC", "mon-fri", "09:00", "18:00", "0 9 * * 1-5", "9h"},
		{"Europe/Berlin", "mon-fri", "09:00", "18:00", "0 7 * * 1-5", "10h"},             // 7 to 16 in summer, 8 to 17 in winter
		{"America/New_York", "mon-fri", "08:00", "20:00", "0 12 * * 1-5", "13h"},         // to 01:00 the next day
		{"Asia/Tokyo", "mon-fri", "08:00", "18:00", "0 23 * * 0-4", "10h"},               // Monday's morning is Sunday in UTC; no daylight saving
		{"Asia/Kolkata", "mon-sat", "09:00", "18:00", "30 3 * * 1-6", "9h"},              // half an hour
		{"Asia/Kathmandu", "sun-fri", "10:00", "17:00", "15 4 * * 0-5", "7h"},            // 45 minutes
		{"Australia/Lord_Howe", "mon-fri", "09:00", "17:00", "0 22 * * 0-4", "8h30m"},    // daylight saving of half an hour
		{"Australia/Sydney", "mon,wed,fri", "09:00", "17:00", "0 22 * * 0,2,4", "9h"},    // 22:00 to 06:00 in summer, an hour later in winter
		{"America/Los_Angeles", "fri-sat", "20:00", "04:00", "0 3 * * 0,6", "9h"},        // over midnight, and the next day in UTC
		{"Pacific/Kiritimati", "mon", "00:00", "24:00", "0 10 * * 0", "24h"},             // UTC+14
		{"Pacific/Pago_Pago", "sat", "13:00", "14:00", "0 0 * * 0", "1h"},                // UTC-11
		{"Europe/London", "mon-sun", "06:00", "23:00", "0 5 * * *", "18h"},               // each day
		{"Africa/Casablanca", "mon-fri", "09:00", "18:00", "0 8 * * 1-5", "10h"},         // Ramadan moves its clock
		{"Antarctica/Troll", "mon-fri", "09:00", "17:00", "0 7 * * 1-5", "10h"},          // two hours of daylight saving
		{"America/Argentina/Buenos_Aires", "mon", "21:30", "22:00", "30 0 * * 2", "30m"}, // the next weekday
	} {
		schedule, lasts, err := hours(t, test.zone, test.days, test.from, test.to).Closing()
		if err != nil || schedule != test.schedule || HoursMinutes(lasts) != test.lasts {
			t.Errorf("%s %s %s to %s: %q for %s, %v; want %q for %s", test.zone, test.days, test.from, test.to, schedule, HoursMinutes(lasts), err, test.schedule, test.lasts)
		}
	}
	if _, _, err := hours(t, "Europe/Berlin", "mon-sun", "00:00", "24:00").Closing(); err == nil || !strings.Contains(err.Error(), "all of the week") {
		t.Errorf("all of the week: %v", err)
	}
}

// within says whether a moment lies in the hours, by the clock on the wall: those of a
// day may reach into the next.
func (h Hours) within(moment time.Time) bool {
	local := moment.In(h.Zone)
	clock := time.Duration(local.Hour())*time.Hour + time.Duration(local.Minute())*time.Minute
	today, yesterday := slices.Contains(h.Days, local.Weekday()), slices.Contains(h.Days, (local.Weekday()+6)%7)
	if h.To > h.From {
		return today && h.From <= clock && clock < h.To
	}
	return today && h.From <= clock || yesterday && clock < h.To
}

// covers holds a year's minutes against the budget that closes the hours.
func covers(h Hours, year int, step time.Duration) (bad time.Time, why string) {
	schedule, lasts, err := h.Closing()
	if err != nil {
		return time.Time{}, err.Error()
	}
	b, err := ParseBudget("0", schedule, HoursMinutes(lasts), nil)
	if err != nil {
		return time.Time{}, err.Error()
	}
	offsets := Offsets(h.Zone)
	slack := offsets[len(offsets)-1] - offsets[0]
	from, to := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(year+1, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, s := range Spans([]Budget{b}, "Empty", from, to) {
		closed := len(s.Budgets) == 1
		for moment := s.From; moment.Before(s.To); moment = moment.Add(step) {
			switch in := h.within(moment); {
			case in && !closed:
				return moment, "open in business hours"
			case !in && closed && !near(h, moment, slack):
				return moment, "closed further from business hours than offsets differ"
			}
		}
	}
	return time.Time{}, ""
}

// near says whether business hours are no further than slack.
func near(h Hours, moment time.Time, slack time.Duration) bool {
	for d := time.Duration(0); d <= slack; d += time.Minute {
		if h.within(moment.Add(d)) || h.within(moment.Add(-d)) {
			return true
		}
	}
	return false
}

func TestClosingCoversEveryMinute(t *testing.T) {
	for _, zone := range []string{"Europe/Berlin", "Asia/Tokyo", "Australia/Lord_Howe", "America/St_Johns"} {
		if moment, why := covers(hours(t, zone, "mon-fri", "08:00", "18:30"), 2027, time.Minute); why != "" {
			t.Errorf("%s: %s (UTC) %s", zone, moment, why)
		}
	}
}

func TestClosingCovers(t *testing.T) {
	zones := []string{
		"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/Los_Angeles", "America/Sao_Paulo", "America/St_Johns", "Asia/Tokyo", "Asia/Kolkata",
		"Asia/Kathmandu", "Australia/Sydney", "Australia/Adelaide", "Australia/Lord_Howe", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Pacific/Chatham", "Africa/Casablanca", "Antarctica/Troll",
	}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := Zone(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		h := Hours{
			Zone: zone,
			Days: rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, 6), func(d int) time.Weekday { return time.Weekday(d) }), 1, 6, func(d time.Weekday) time.Weekday { return d }).Draw(t, "days"),
			From: time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "from")) * time.Minute,
			To:   time.Duration(rapid.IntRange(1, 24*60).Draw(t, "to")) * time.Minute,
		}
		if moment, why := covers(h, rapid.IntRange(offsetsFrom, offsetsTo-1).Draw(t, "year"), 17*time.Minute); why != "" {
			t.Fatalf("%s: %s (UTC) %s", zone, moment, why)
		}
	})
}

// TestClosingIsTheUnion holds the one window in UTC against those of each offset that the
// zone has over the year: it counts when one of them does, and else never.
func TestClosingIsTheUnion(t *testing.T) {
	zones := []string{"Europe/Berlin", "America/New_York", "America/St_Johns", "Asia/Kolkata", "Australia/Sydney", "Australia/Lord_Howe", "Pacific/Chatham", "Antarctica/Troll"}
	rapid.Check(t, func(t *rapid.T) {
		zone, err := Zone(rapid.SampledFrom(zones).Draw(t, "zone"))
		if err != nil {
			t.Fatal(err)
		}
		offsets := Offsets(zone)
		h := Hours{
			Zone: zone,
			Days: rapid.SliceOfNDistinct(rapid.Map(rapid.IntRange(0, 6), func(d int) time.Weekday { return time.Weekday(d) }), 1, 6, func(d time.Weekday) time.Weekday { return d }).Draw(t, "days"),
			From: time.Duration(rapid.IntRange(0, 24*60-1).Draw(t, "from")) * time.Minute,
		}
		// As long as offsets differ, so that the windows of two meet.
		lasts := time.Duration(rapid.IntRange(int((offsets[len(offsets)-1]-offsets[0])/time.Minute)+1, 24*60).Draw(t, "lasts")) * time.Minute
		h.To = (h.From+lasts-1)%day + 1
		one := closed(t, h)
		var each []Budget
		for _, o := range offsets {
			h.Zone = time.FixedZone("", int(o/time.Second))
			each = append(each, closed(t, h))
		}
		from := time.Date(2027, 3, 22, 0, 0, 0, 0, time.UTC)
		for _, moment := range edgesOf(append(each, one), from, from.AddDate(0, 0, 14)) {
			any := slices.ContainsFunc(each, func(b Budget) bool { return b.active(moment) })
			if one.active(moment) != any {
				t.Fatalf("%s: closed is %v, and by one of the offsets %v", moment.Format("Mon 15:04"), !any, any)
			}
		}
	})
}

func closed(t *rapid.T, h Hours) Budget {
	schedule, lasts, err := h.Closing()
	if err != nil {
		t.Fatal(err)
	}
	b, err := ParseBudget("0", schedule, HoursMinutes(lasts), nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// edgesOf are the moments at which one of the budgets begins or ends, and those just
// before.
func edgesOf(budgets []Budget, from, to time.Time) []time.Time {
	var all []time.Time
	for _, s := range Spans(budgets, "Empty", from, to) {
		all = append(all, s.From, s.To.Add(-time.Minute))
	}
	return all
}

func TestZoneRefused(t *testing.T) {
	for _, name := range []string{"", "Local", "CET", "IST", "Europe/Berln", "/etc/passwd", "../etc/x", "Asia/../UTC"} {
		if _, err := Zone(name); err == nil {
			t.Errorf("%q is a zone", name)
		}
	}
}

func TestHoursRefused(t *testing.T) {
	for _, s := range []string{"9", "25:00", "09:60", "9 am", ""} {
		if _, err := Clock(s); err == nil {
			t.Errorf("%q is a time", s)
		}
	}
	for _, s := range []string{"", "x", "mon-", "m", "mon fri"} {
		if _, err := Weekdays(s); err == nil {
			t.Errorf("%q are days", s)
		}
	}
	if got, err := Weekdays("Fri-Mon, we"); err != nil || !slices.Equal(got, []time.Weekday{0, 1, 3, 5, 6}) {
		t.Errorf("%v, %v", got, err)
	}
}
