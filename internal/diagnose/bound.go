package diagnose

import (
	"cmp"
	"slices"

	"assay/internal/record"
)

// maxEvidence is how many facts a verdict shows, for and against.
const maxEvidence = 3

// Bound says what limits the service. It asks first whether the figures are the
// server's at all, then lets each class gather what speaks for and against it,
// and takes the one that is supported best.
func Bound(in Evidence) record.Bound {
	x := examine(in)
	b := x.bound()
	if x.top == nil || x.top.GPU == nil || x.top.GPU.Coarse != "" {
		b.Missing = append(b.Missing, tooCoarse(in.Levels)...)
	}
	for _, i := range in.Incidents {
		if i.Kind == Pending {
			b.Missing = append(b.Missing, "a replica that is not scheduled: "+i.Object+", "+i.Fact)
		}
	}
	return b
}

// tooCoarse is why there are no means of GPUs where an exporter was read.
func tooCoarse(levels []record.Level) []string {
	for _, l := range levels {
		if l.GPU != nil && l.GPU.Coarse != "" {
			return []string{l.GPU.Coarse}
		}
	}
	return nil
}

func (x *examination) bound() record.Bound {
	gates := []finding{x.client(), x.fault(), x.throttled(), x.cold()}
	if g := best(gates); g.support() >= x.at(decides) {
		return x.conclude(g, runnerUp(gates, g))
	}
	if x.top == nil {
		return finish(x.failing())
	}
	if b, hung := x.hung(); hung {
		return finish(b)
	}
	causes := []finding{x.notSaturated(), x.kvCache(), x.admission(), x.tokenBudget(),
		x.compute(), x.memory(), x.collective(), x.cpu(), x.network()}
	for i := range causes[1:] {
		x.growth(&causes[i+1])
		x.engineUnseen(&causes[i+1])
	}
	first := best(causes)
	second := runnerUp(append(gates, causes...), first)
	if first.support() < x.at(decides) || certainty(first, second) < x.at(certain) {
		return finish(x.unknown(causes))
	}
	return x.conclude(first, second)
}

// certainty is how sure a verdict is: its support, less the more the better the
// next best is supported. One that has little behind it takes nothing away.
func certainty(first, second finding) float64 {
	other := second.support()
	return first.support() * (1 - rivalry*other*other)
}

// rivalry is the part of its support that a verdict loses to a rival that is
// fully supported. Ours.
const rivalry = 0.7

func best(all []finding) finding {
	return slices.MaxFunc(all, func(a, b finding) int { return cmp.Compare(a.support(), b.support()) })
}

func runnerUp(all []finding, first finding) finding {
	rest := slices.DeleteFunc(slices.Clone(all), func(f finding) bool { return f.verdict == first.verdict })
	if len(rest) == 0 {
		return finding{}
	}
	return best(rest)
}

// conclude is a finding as a bound. What the next best rests on speaks against it.
func (x *examination) conclude(f, second finding) record.Bound {
	b := record.Bound{Verdict: f.verdict, Confidence: rounded(min(certainty(f, second), mostCertain)),
		Evidence: f.strongest(f.pro), Against: f.strongest(f.con), Missing: f.missing,
		Change: f.change, Next: f.next, Experiment: f.experiment}
	if second.support() >= worthSaying && len(b.Against) < maxEvidence {
		e := second.strongest(second.pro)[0]
		said := func(o record.Evidence) bool { return o.Fact == e.Fact }
		if !slices.ContainsFunc(b.Against, said) && !slices.ContainsFunc(b.Evidence, said) {
			e.Fact += ", which speaks for " + second.verdict
			b.Against = append(b.Against, e)
		}
	}
	return finish(b)
}

// worthSaying is the support from which the next best class is named.
const worthSaying = 0.35

// mostCertain bounds a confidence: what was never tried may still be wrong.
const mostCertain = 0.97

// finish cuts to the strongest facts, which stand first, and leaves no nulls.
func finish(b record.Bound) record.Bound {
	b.Evidence = append([]record.Evidence{}, b.Evidence[:min(len(b.Evidence), maxEvidence)]...)
	b.Against = append([]record.Evidence{}, b.Against[:min(len(b.Against), maxEvidence)]...)
	b.Missing = append([]string{}, b.Missing...)
	return b
}
