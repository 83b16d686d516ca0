package report

import (
	"assay/internal/record"
	"assay/internal/stats"
	"fmt"
	"math"
	"strings"
)

func nothingMeasured(run record.Run) string {
	if len(run.Levels) == 0 {
		return "Nothing was measured: no level ran."
	}
	errors := map[string]int{}
	failed := 0
	for _, l := range run.Levels {
		failed += l.Requests.Failed
		for k, n := range l.Errors {
			errors[k] += n
		}
	}
	if failed == 0 {
		return "Nothing was measured: no request finished."
	}
	return fmt.Sprintf("Nothing was measured: all %s failed (%s).", plural(failed, "request"), errorsOf(errors))
}

// loadIn names a load in a scenario's unit.
func loadIn(unit string, v float64) string { return loadValue(unit, v) + " " + unitWord(unit) }

// loadValue leaves the decimals off ten and more in flight: an interpolated
// load is not known better than to one request.
func loadValue(unit string, v float64) string {
	if unitWord(unit) == inFlight && v >= 10 {
		v = math.Round(v)
	}
	return short(v)
}

const inFlight = "in flight"

func unitWord(unit string) string {
	if unit == "" || unit == "concurrency" {
		return inFlight
	}
	return plain(unit)
}

func interval(i record.Interval, unit string) string {
	low, high := loadValue(unit, i.Low), loadValue(unit, i.High)
	if low == high {
		return low + " " + unitWord(unit)
	}
	return low + "–" + high + " " + unitWord(unit)
}

// pointLoad is the operating point's load in the scenario's unit.
func pointLoad(s record.Saturation) float64 {
	if unitWord(s.Unit) == inFlight {
		// Rounded down: one more in flight may already miss the SLO.
		if c := s.OperatingPoint.Concurrency; c >= 10 {
			return math.Floor(c)
		}
		return s.OperatingPoint.Concurrency
	}
	return s.OperatingPoint.RequestsPerS
}

func saturationSentence(run record.Run) string {
	s := *run.Saturation
	var knee string
	switch {
	case s.Knee != nil && loadValue(s.Unit, s.Knee.Low) == loadValue(s.Unit, s.Knee.High):
		knee = "Throughput stops growing at about " + interval(*s.Knee, s.Unit)
	case s.Knee != nil:
		knee = fmt.Sprintf("Throughput stops growing between %s and %s %s", loadValue(s.Unit, s.Knee.Low), loadValue(s.Unit, s.Knee.High), unitWord(s.Unit))
	case s.Saturated:
		knee = "Throughput stopped growing, but the levels do not say where"
	case validLevels(run.Levels, s.Scenario) < kneeNeeds:
		knee = "Too few levels are valid to look for a knee"
	default:
		knee = "No knee was reached"
		if top, ok := topLoad(run.Levels, s.Scenario); ok {
			knee += " up to " + loadIn(s.Unit, top)
		}
	}
	switch {
	case s.OperatingPoint != nil && s.OperatingPoint.LimitedBy == "grid":
		knee += fmt.Sprintf(". At %s it gives %s, and more may be possible",
			loadIn(s.Unit, pointLoad(s)), pointFlow(s.OperatingPoint.OutputTokensPerS, s.OperatingPoint.RequestsPerS))
	case s.OperatingPoint != nil:
		knee += fmt.Sprintf(". Run it at %s: %s", loadIn(s.Unit, pointLoad(s)), pointFlow(s.OperatingPoint.OutputTokensPerS, s.OperatingPoint.RequestsPerS))
		if len(run.SLO.Criteria) > 0 {
			knee += " within the SLO"
		}
	default:
		knee += ", and there is no operating point"
		if why := plain(s.WhyNoPoint); why != "" {
			knee += ": " + strings.TrimRight(why, ".")
		}
	}
	if c, ok := refutedAt(s); ok {
		knee += fmt.Sprintf(". But an open loop at %s requests/s, %s of the knee's rate, is not held", short(c.Rate), short(c.Share))
	}
	return knee + ". " + boundSentence(run.Bound)
}

// kneeNeeds is how many valid levels a knee can be told from.
const kneeNeeds = 3

func validLevels(levels []record.Level, scenario string) int {
	n := 0
	for _, l := range levels {
		if l.Scenario == scenario && l.Validity.Verdict == record.Valid {
			n++
		}
	}
	return n
}

func topLoad(levels []record.Level, scenario string) (float64, bool) {
	top, ok := 0.0, false
	for _, l := range levels {
		if l.Scenario == scenario && l.Validity.Verdict == record.Valid && l.Load.Value >= top {
			top, ok = l.Load.Value, true
		}
	}
	return top, ok
}

// notValid is the validity of the level of that load, in words, where it is
// not valid.
func notValid(levels []record.Level, scenario string, load float64) (string, bool) {
	for _, l := range levels {
		if l.Scenario == scenario && l.Load.Value == load && l.Validity.Verdict != record.Valid {
			return markOf(l).Word, true
		}
	}
	return "", false
}

// fixedSentence is the verdict of levels whose load was given, not sought.
func fixedSentence(run record.Run, measured []record.Level) string {
	gs := groups(measured)
	g := gs[len(gs)-1]
	l := g.Levels[len(g.Levels)-1]
	s := "At " + g.name(l) + ": " + latencies(l) + ", " + flow(l) + "."
	if len(g.Levels) > 1 {
		s = rangeSentence(g)
	}
	if l.Validity.Verdict != record.Valid {
		s += " The level at " + g.name(l) + " is " + markOf(l).Word + "."
	}
	switch {
	case len(run.SLO.Criteria) == 0 && !anyCriterion(measured):
		return s
	case run.SLO.Met == nil:
		return s + " Whether the SLO is met is undecided."
	case *run.SLO.Met:
		return s + " The SLO is met."
	default:
		return s + " The SLO is missed."
	}
}

// rangeSentence says how the latencies go from a group's lowest load to its
// highest, each at a percentile that both support.
func rangeSentence(g group) string {
	first, last := g.Levels[0], g.Levels[len(g.Levels)-1]
	var parts []string
	keys := []string{"ttft", "itl"}
	if wholeAnswers(g) {
		keys = []string{"e2e"}
	}
	for _, key := range keys {
		pa, _, okA := central(first.Metric(key))
		pb, _, okB := central(last.Metric(key))
		if !okA || !okB {
			continue
		}
		p := min(pa, pb) // "mean" < "p50" < "p90" < "p95"
		a, b := first.Metric(key), last.Metric(key)
		parts = append(parts, fmt.Sprintf("%s %s from %s to %s", metricName(key), p, millis(at(a, p)), millis(at(b, p))))
	}
	unit, of := flowOf(g)
	parts = append(parts, fmt.Sprintf("throughput from %s to %s %s", num(of(first)), num(of(last)), unit))
	return fmt.Sprintf("From %s to %s: %s.", g.amount(first), g.name(last), list(parts))
}

// at is a percentile that d supports.
func at(d stats.Dist, p string) float64 {
	switch p {
	case mean:
		return value(d.Mean)
	case "p50":
		return value(d.P50)
	case "p90":
		return value(d.P90)
	}
	return value(d.P95)
}

func anyCriterion(levels []record.Level) bool {
	for _, l := range levels {
		if len(l.SLO) > 0 {
			return true
		}
	}
	return false
}

// latencies names each latency at the highest percentile that it supports, or
// its mean where it supports none.
func latencies(l record.Level) string {
	var parts []string
	for _, m := range []struct {
		name string
		d    stats.Dist
	}{{"TTFT", l.TTFT}, {"ITL", l.ITL}, {"E2E", l.E2E}} {
		if p, v, ok := central(m.d); ok {
			parts = append(parts, m.name+" "+p+" "+millis(v))
		}
	}
	if len(parts) == 0 {
		return plural(l.Requests.Completed, "request")
	}
	return list(parts)
}
