package compare

import (
	"fmt"
	"math"

	"assay/internal/record"
	"assay/internal/stats"
)

// enoughRepeats is from how many runs of one load their spread decides: of two
// the spread is known to a factor of 30 only (95 %).
const enoughRepeats = 3

// measured is one figure of one side: over its repeats, where there are some.
type measured struct {
	value   *float64 // in the figure's unit; of repeats their mean on the figure's scale
	est     estimate
	known   bool    // est is
	repeats int     // levels behind it
	spread  float64 // between repeats, on the scale; NaN: too few
}

// combine makes one figure of a side's repeats. From enoughRepeats on the spread
// between them is the error, and holds what differs from run to run; below it
// the errors within them are.
func combine(f figure, g group, of map[*record.Level]map[string]estimate) measured {
	m := measured{repeats: len(g), spread: math.NaN()}
	var raw, scaled []float64
	var ests []estimate
	for _, l := range g {
		v := f.value(l)
		if v == nil {
			return m
		}
		raw, scaled = append(raw, *v), append(scaled, f.scale(*v))
		if e, ok := of[l][f.name]; ok {
			ests = append(ests, e)
		}
	}
	mean, std := stats.MeanStd(scaled)
	value := f.unscale(mean)
	if len(g) == 1 || math.IsNaN(mean) { // a value of 0 has no place on the scale
		value, _ = stats.MeanStd(raw)
	}
	m.value = &value
	switch {
	case math.IsNaN(mean):
	case len(g) >= enoughRepeats:
		m.known, m.spread = true, std
		m.est = estimate{stats.Repeats(scaled), fmt.Sprintf("%d repeats", len(g))}
		if len(ests) == len(g) && f.share() {
			m.atLeast(within(mean, ests))
		}
	case len(ests) == len(g):
		m.known, m.est = true, within(mean, ests)
	}
	return m
}

// within is the mean of estimates whose spread among each other is not known.
func within(mean float64, ests []estimate) estimate {
	var v, w float64
	for _, e := range ests {
		v += e.Error * e.Error
		w += math.Pow(e.Error, 4) / e.DF
	}
	k := float64(len(ests))
	out := estimate{stats.Estimate{Value: mean, Error: math.Sqrt(v) / k, DF: ests[0].DF}, ests[0].basis}
	if w > 0 {
		out.DF = v * v / w
	}
	if len(ests) > 1 {
		out.basis = fmt.Sprintf("%d repeats, %s each", len(ests), ests[0].basis)
	}
	return out
}

// atLeast widens the error to that within the repeats: equal counts of few failures
// are no proof that none will come.
func (m *measured) atLeast(e estimate) {
	if e.Error > m.est.Error {
		m.est.Error, m.est.DF = e.Error, e.DF
	}
}

// borrow gives a side of too few repeats the spread that the other side's
// repeats show, where it is larger than its own error.
func (m measured) borrow(from measured) measured {
	if !m.known || !math.IsNaN(m.spread) || math.IsNaN(from.spread) {
		return m
	}
	if e := from.spread / math.Sqrt(float64(m.repeats)); e > m.est.Error {
		m.est.Error, m.est.DF = e, float64(from.repeats-1)
		m.est.basis += ", with the spread between the other side's repeats"
	}
	return m
}
