package saturate

import (
	"fmt"
	"math"

	"assay/internal/record"
)

const (
	// narrow is the ratio of a bracket's ends below which another level tells
	// less than the noise of its neighbours.
	narrow = 1.15
	// tried is the ratio within which a load counts as measured already, valid
	// or not: a level that the client spoiled would be spoiled again.
	tried = 1.05
)

// bracket is a pair of neighbouring levels between which something lies.
type bracket struct {
	low, high float64
	why       string
}

func (b bracket) ratio() float64 { return b.high / b.low }

// Next is the next load worth measuring, and why: the geometric middle of the
// wider of two brackets, that of the knee and that of the SLO's crossing, a
// whole number for concurrency. ok is false when Options.MaxRefine levels have
// been added, when the brackets are narrow, or when there is nothing to gain.
func Next(levels []Level, opt Options) (load float64, why string, ok bool) {
	budget := opt.MaxRefine
	if budget == 0 {
		budget = DefaultRefine
	}
	for _, l := range levels {
		if l.Pass == record.PassRefine {
			budget--
		}
	}
	if budget <= 0 {
		return 0, "", false
	}
	var best bracket
	for _, b := range newAnalysis(levels, opt).brackets() {
		middle := b.middle(opt)
		if b.ratio() < narrow || middle <= b.low || middle >= b.high || measured(levels, middle) {
			continue
		}
		if best.high == 0 || b.ratio() > best.ratio()*(1+1e-9) {
			best, load = b, middle
		}
	}
	if best.high == 0 {
		return 0, "", false
	}
	return load, best.why, true
}

func (b bracket) middle(opt Options) float64 {
	m := math.Sqrt(b.low * b.high)
	if opt.byRate() {
		return m
	}
	return math.Round(m)
}

func measured(levels []Level, load float64) bool {
	for _, l := range levels {
		if r := l.Load / load; r > 1/tried && r < tried {
			return true
		}
	}
	return false
}

// brackets are the places where another level would tell something, the most
// wanted first.
func (a *analysis) brackets() []bracket {
	if len(a.n) < 3 {
		return nil
	}
	var out []bracket
	last := len(a.n) - 1
	limit := a.n[last] // no operating point lies above
	switch {
	case a.knee != nil:
		out = append(out, a.kneeBracket())
		limit = a.knee.High
	case elasticity(a.n, a.x, last-1, last) < flat:
		out = append(out, bracket{a.n[last-1], a.n[last],
			fmt.Sprintf("throughput seems flat from %s to %s: one level between them decides", number(a.n[last-1]), number(a.n[last]))})
	}
	if slo := a.sloCrossing(); slo.limits && a.n[slo.below] < limit {
		out = append(out, bracket{a.n[slo.below], a.n[slo.over],
			fmt.Sprintf("the SLO stops being met between %s and %s", number(a.n[slo.below]), number(a.n[slo.over]))})
	}
	return out
}

// kneeBracket is the pair of neighbouring levels around the middle of the knee.
func (a *analysis) kneeBracket() bracket {
	middle := math.Sqrt(a.knee.Low * a.knee.High)
	i := 1
	for i < len(a.n)-1 && a.n[i] < middle {
		i++
	}
	return bracket{a.n[i-1], a.n[i], fmt.Sprintf("the knee lies between %s and %s", number(a.n[i-1]), number(a.n[i]))}
}
