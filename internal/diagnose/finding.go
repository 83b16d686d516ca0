package diagnose

import (
	"cmp"
	"slices"

	"assay/internal/record"
)

// finding is what one class found for and against itself.
type finding struct {
	verdict    string
	pro, con   []weighed
	missing    []string
	blind      float64 // part of the support that is lost for want of what would rule others out
	change     *record.Change
	next       string
	experiment *record.Experiment
}

// weighed is a fact and how far it alone would convince, 0 to 1.
type weighed struct {
	weight float64
	record.Evidence
}

// slight is the weight below which a fact is not worth a line.
const slight = 0.04

func (f *finding) speaksFor(weight float64, e record.Evidence) {
	if weight >= slight {
		f.pro = append(f.pro, weighed{min(weight, 1), e})
	}
}

func (f *finding) speaksAgainst(weight float64, e record.Evidence) {
	if weight >= slight {
		f.con = append(f.con, weighed{min(weight, 1), e})
	}
}

func (f *finding) lacks(what string) {
	if !slices.Contains(f.missing, what) {
		f.missing = append(f.missing, what)
	}
}

// support is how far the facts convince together, 0 to 1: each takes its part of
// the doubt that the others leave, and each against it takes its part of the rest.
func (f finding) support() float64 {
	doubt, rest := 1.0, 1.0
	for _, w := range f.pro {
		doubt *= 1 - w.weight
	}
	for _, w := range f.con {
		rest *= 1 - w.weight
	}
	return (1 - doubt) * rest * (1 - f.blind)
}

// strongest are the facts by weight, the first ones where there are many.
func (f finding) strongest(facts []weighed) []record.Evidence {
	by := slices.Clone(facts)
	slices.SortStableFunc(by, func(a, b weighed) int { return cmp.Compare(b.weight, a.weight) })
	var out []record.Evidence
	for _, w := range by[:min(len(by), maxEvidence)] {
		out = append(out, w.Evidence)
	}
	return out
}

// ramp is 0 up to from, 1 from to on, and between them in proportion. from may
// be the larger.
func ramp(v, from, to float64) float64 {
	return min(max((v-from)/(to-from), 0), 1)
}
