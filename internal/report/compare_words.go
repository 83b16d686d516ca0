package report

import (
	"fmt"
	"math"
	"strings"

	"assay/internal/compare"
	"assay/internal/record"
	"assay/internal/spec"
)

// comparedNames are the figures that are no latency as people write them.
var comparedNames = map[string]string{
	spec.RequestsPerS:       "requests/s",
	spec.OutputTokensPerS:   "output tokens/s",
	spec.GoodputPerS:        "goodput, requests/s",
	spec.ErrorShare:         "failed requests",
	spec.CachedShare:        "cached prompt tokens",
	spec.CostPerMillion:     "$ per M output tokens",
	compare.KneeLoad:        "knee",
	compare.OperatingLoad:   "operating point",
	compare.OperatingTokens: "its output tokens/s",
}

// comparedName is a figure's name: "TTFT p95", "output tokens/s".
func comparedName(m compare.Metric) string {
	if n, ok := comparedNames[m.Name]; ok {
		return n
	}
	key, stat, _ := strings.Cut(m.Name, ".")
	return metricName(key) + " " + plain(stat)
}

// comparedValue is a figure's value with its unit.
func comparedValue(m compare.Metric, v *float64) string {
	switch {
	case v == nil:
		return none
	case m.Unit == "ms":
		return millis(*v)
	case m.Unit == "USD":
		return usd(*v)
	case m.Unit == "share":
		return short(100**v) + " %"
	case m.Name == compare.KneeLoad || m.Name == compare.OperatingLoad:
		return loadIn(m.Unit, *v)
	}
	return num(*v)
}

// signed is a change with its sign: "+23", "−4.1".
func signed(v float64) string {
	decimals := 1
	if math.Abs(v) >= 9.95 {
		decimals = 0
	}
	if math.Abs(v) > mostShown {
		return fmt.Sprintf("%+.2g", v)
	}
	s := fmt.Sprintf("%+.*f", decimals, v)
	if strings.Trim(s, "+-0.") == "" {
		return "0"
	}
	return strings.Replace(s, "-", "−", 1)
}

// change is by how much a figure changed: "+23 %", of a share "+2 points".
func change(m compare.Metric) string {
	switch {
	case m.DeltaPct == nil:
		return none
	case m.Points:
		return signed(*m.DeltaPct) + " points"
	}
	return signed(*m.DeltaPct) + " %"
}

// intervalOf is the interval of the change: "[+15, +31]".
func intervalOf(m compare.Metric) string {
	if m.CI == nil {
		return none
	}
	return "[" + signed(m.CI.Low) + ", " + signed(m.CI.High) + "]"
}

// atLoad names where a figure was measured: "at 10 in flight", and the scenario
// where there are several.
func atLoad(m compare.Metric, scenarios int) string {
	s := ""
	switch l := m.Load(); l.Kind {
	case record.ByConcurrency:
		s = " at " + loadIn(record.ByConcurrency, l.Value)
	case record.ByRate:
		s = " at " + short(l.Value) + " requests/s"
	}
	if scenarios > 1 {
		s += " (" + plain(m.Scenario) + ")"
	}
	return s
}

// changed is a figure and its change in a sentence.
func changed(m compare.Metric, scenarios int) string {
	s := comparedName(m) + " " + change(m)
	if m.CI != nil {
		s += " " + intervalOf(m)
	}
	return s + atLoad(m, scenarios)
}

var comparedVerdicts = map[string]string{
	compare.Better: "better", compare.Worse: "worse", compare.NoDifference: "no difference shown", compare.NotComparable: "not comparable",
}

func comparedVerdict(v string) string {
	if s, ok := comparedVerdicts[v]; ok {
		return s
	}
	return plain(v)
}
