package compare

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// Figures of a whole scenario.
const (
	KneeLoad        = "knee.load"
	OperatingLoad   = "operating_point.load"
	OperatingTokens = "operating_point.output_tokens_per_s"
)

// saturation compares the knee and the operating point of the two runs.
func saturation(base, next record.Run, whole string) []Metric {
	b, n := base.Saturation, next.Saturation
	if b == nil || n == nil || b.Scenario != n.Scenario {
		return nil
	}
	why := whole
	if why == "" && b.Unit != n.Unit {
		why = fmt.Sprintf("the curves are over %s and over %s", b.Unit, n.Unit)
	}
	out := []Metric{knee(b, n, why)}
	if b.OperatingPoint == nil && n.OperatingPoint == nil {
		return out
	}
	if why == "" && !sameConditions(base.SLO.Criteria, next.SLO.Criteria) {
		why = "the operating points are of different SLOs"
	}
	tokens := func(s *record.Saturation) *float64 { return &s.OperatingPoint.OutputTokensPerS }
	load := func(s *record.Saturation) *float64 {
		if s.Unit == record.ByConcurrency {
			return &s.OperatingPoint.Concurrency
		}
		return &s.OperatingPoint.RequestsPerS
	}
	return append(out, operating(OperatingLoad, b.Unit, b, n, why, load), operating(OperatingTokens, "tokens/s", b, n, why, tokens))
}

// knee holds the two intervals beside each other: only where they do not
// overlap has the knee moved. Each is a 95 % interval widened to that of a
// second method, so this shows less than there may be.
func knee(b, n *record.Saturation, why string) Metric {
	m := Metric{Scenario: b.Scenario, Name: KneeLoad, Unit: b.Unit, Verdict: NotComparable, Why: why, higherIsBetter: true,
		Basis: "the knees' own intervals; base and new are their middles"}
	if b.Knee != nil && b.Knee.Low > 0 {
		m.Base = middle(b.Knee)
	}
	if n.Knee != nil && n.Knee.Low > 0 {
		m.New = middle(n.Knee)
	}
	if m.Base == nil || m.New == nil {
		if m.Why == "" {
			m.Why = reached(b, n)
		}
		return m
	}
	m.DeltaPct = percent(*m.Base, *m.New)
	low, high := percent(b.Knee.High, n.Knee.Low), percent(b.Knee.Low, n.Knee.High)
	if m.Why != "" || low == nil || high == nil {
		return m
	}
	m.CI = &Range{*low, *high}
	switch {
	case m.CI.Low > 0:
		m.Verdict = Better
	case m.CI.High < 0:
		m.Verdict = Worse
	default:
		m.Verdict = NoDifference
	}
	return m
}

// percent is a change in per cent; nil where no number holds it.
func percent(from, to float64) *float64 {
	d := 100 * (to/from - 1)
	if math.IsInf(d, 0) || math.IsNaN(d) {
		return nil
	}
	return &d
}

// middle is the geometric one: loads are compared as ratios.
func middle(k *record.Interval) *float64 {
	v := math.Sqrt(k.Low * k.High)
	return &v
}

// reached says which run reached a knee.
func reached(b, n *record.Saturation) string {
	switch {
	case b.Knee == nil && n.Knee == nil:
		return "neither run located a knee"
	case b.Knee == nil:
		return "BASE located no knee"
	}
	return "NEW located no knee"
}

// operating compares the operating points. They are interpolated between levels
// and carry no interval, so no difference is shown by them alone.
func operating(name, unit string, b, n *record.Saturation, why string, of func(*record.Saturation) *float64) Metric {
	m := Metric{Scenario: b.Scenario, Name: name, Unit: unit, Verdict: NotComparable, Why: why, higherIsBetter: true}
	if b.OperatingPoint != nil {
		m.Base = of(b)
	}
	if n.OperatingPoint != nil {
		m.New = of(n)
	}
	switch {
	case m.Base == nil && m.Why == "":
		m.Why = "BASE has no operating point: " + b.WhyNoPoint
	case m.New == nil && m.Why == "":
		m.Why = "NEW has no operating point: " + n.WhyNoPoint
	}
	if m.Base == nil || m.New == nil || *m.Base <= 0 {
		return m
	}
	m.DeltaPct = percent(*m.Base, *m.New)
	if m.Why == "" {
		m.Verdict, m.Why = NoDifference, "an operating point is one figure without an interval: the levels show whether anything changed"
	}
	return m
}

func sameConditions(a, b []record.Criterion) bool {
	return sameSLO(&record.Level{SLO: a}, &record.Level{SLO: b})
}
