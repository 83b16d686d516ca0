package compare

import (
	"fmt"
	"math"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

const (
	// confidence of each interval by itself.
	confidence = 0.95
	// chance is the share of the verdicts better and worse that may be chance.
	// A comparison holds hundreds of figures, and of intervals that hold 95 %
	// each some leave out 0 always: without this, two runs of the same thing
	// would differ in something each time. The price is that a small change of
	// one figure alone takes a narrower interval to be shown. Gates look at the
	// one figure that their user named beforehand, and so at its own interval.
	chance = 0.05
)

// row compares one figure of one pair.
func row(base, next Side, p pair, f figure, whole string, of map[*record.Level]map[string]estimate) (m Metric, change *stats.Change) {
	b, n := combine(f, p.base, of), combine(f, p.next, of)
	first := p.base.first()
	m = Metric{
		Scenario: first.Scenario, Level: first.Base(), Name: f.name, Unit: f.unit, Base: b.value, New: n.value,
		Points: f.share(), Verdict: NotComparable, higherIsBetter: f.higher, load: first.Load,
	}
	m.DeltaPct = delta(f, b.value, n.value)
	for _, why := range []string{whole, unlike(p), spoiled("BASE", p.base, f), spoiled("NEW", p.next, f), missing(b, n, p, f), defined(base, next, p, f)} {
		if why != "" {
			m.Why = why
			return m, nil
		}
	}
	m.Verdict = NoDifference
	if m.Why = unknown(base, next, b, n); m.Why != "" {
		return m, nil
	}
	x, y := b.borrow(n), n.borrow(b)
	c := stats.Differ(x.est.Estimate, y.est.Estimate, confidence)
	ci := Range{f.percent(c.Low), f.percent(c.High)}
	if math.IsInf(ci.High, 0) || math.IsNaN(ci.Low+ci.High) {
		m.Why = "the values vary too much for an interval"
		return m, nil
	}
	m.CI, m.P = &ci, &c.P
	m.Basis = fmt.Sprintf("BASE: %s; NEW: %s", x.est.basis, y.est.basis)
	return m, &c
}

// missing says which side has no value, and why; empty when both have one.
func missing(b, n measured, p pair, f figure) string {
	switch {
	case b.value == nil:
		return lacking("BASE", p.base, f)
	case n.value == nil:
		return lacking("NEW", p.next, f)
	}
	return ""
}

// delta is the change in per cent, or in points; nil where it has no meaning.
func delta(f figure, base, next *float64) *float64 {
	if base == nil || next == nil {
		return nil
	}
	d := f.percent(f.scale(*next) - f.scale(*base))
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return nil
	}
	return &d
}

// unknown says why there is no interval; empty when there is one.
func unknown(base, next Side, b, n measured) string {
	for _, s := range []struct {
		name string
		side Side
		m    measured
	}{{"BASE", base, b}, {"NEW", next, n}} {
		switch {
		case s.m.known:
		case *s.m.value <= 0:
			return s.name + " is 0: a change from it has no size"
		case s.side.Requests == nil:
			return fmt.Sprintf("no interval: the file of %s holds no single requests", s.name)
		default:
			return fmt.Sprintf("no interval: too few requests in %s, it takes %d", s.name, fewest)
		}
	}
	return ""
}

// decide gives each figure that has an interval its verdict.
func decide(metrics []Metric, changes []*stats.Change) {
	var p []float64
	var at []int
	for i, c := range changes {
		if c != nil {
			p, at = append(p, c.P), append(at, i)
		}
	}
	shown := stats.Discoveries(p, chance)
	for k, i := range at {
		m, c := &metrics[i], changes[i]
		switch {
		case shown[k] && (c.Value > 0) == m.higherIsBetter:
			m.Verdict = Better
		case shown[k]:
			m.Verdict = Worse
		case c.Low > 0 || c.High < 0:
			m.Why = fmt.Sprintf("its own interval leaves out 0, but among %d figures some do by chance", len(p))
		}
	}
}

// overall is the verdict over all figures.
func overall(metrics []Metric) string {
	n := map[string]int{}
	for _, m := range metrics {
		n[m.Verdict]++
	}
	switch {
	case n[Better] > 0 && n[Worse] > 0:
		return Mixed
	case n[Better] > 0:
		return Better
	case n[Worse] > 0:
		return Worse
	case n[NoDifference] > 0:
		return NoDifference
	}
	return NotComparable
}

// shownFor reports whether a figure has anything to say at a pair: goodput only
// with an SLO, a cost only with a price.
func shownFor(f figure, p pair) bool {
	b, n := p.base.first(), p.next.first()
	if f.latency != "" {
		return b.Metric(f.latency).N+n.Metric(f.latency).N > 0
	}
	if f.name == spec.RequestsPerS || f.name == spec.OutputTokensPerS {
		return true
	}
	return f.value(b) != nil || f.value(n) != nil
}
