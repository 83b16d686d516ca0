package compare

import (
	"fmt"
	"math"

	"assay/internal/record"
)

// lengthsDiffer is by how much mean prompt or output lengths may differ before
// two levels are not the same work: an answer's time grows with its length one
// to one, so more would be told as a change of the server. Ours.
const lengthsDiffer = 0.05

// group is one load of one scenario as one run held it: one level, or the
// repeats of it.
type group []*record.Level

func (g group) first() *record.Level { return g[0] }

// groups puts the repeats of a load together.
func groups(run *record.Run) []group {
	var out []group
next:
	for i := range run.Levels {
		l := &run.Levels[i]
		if l.Repeat > 0 {
			for k, g := range out {
				if f := g.first(); f.Repeat > 0 && f.Base() == l.Base() && f.Scenario == l.Scenario && sameLoad(f, l) {
					out[k] = append(g, l)
					continue next
				}
			}
		}
		out = append(out, group{l})
	}
	return out
}

// sameLoad reports equal loads that arrive alike. Near ones are not equal:
// latency over load is no line.
func sameLoad(a, b *record.Level) bool {
	x, y := a.Load, b.Load
	if x.Arrival == record.ArrivalTrace || y.Arrival == record.ArrivalTrace {
		// The rate of a replay is what it came to; what is held is the speed.
		return x.Arrival == y.Arrival && x.Speed == y.Speed && x.Sessions == y.Sessions
	}
	return x.Sessions == y.Sessions && x.Kind == y.Kind && x.Value == y.Value && x.Arrival == y.Arrival && x.Burstiness == y.Burstiness
}

// near reports means that differ by no more than lengthsDiffer, or one of which
// is not known.
func near(a, b *float64) bool {
	return a == nil || b == nil || math.Abs(*b-*a) <= lengthsDiffer*math.Abs(*a)
}

// pair is one load that both runs held.
type pair struct{ base, next group }

// pairUp finds for each group of the base its partner: of the same scenario and
// load, and where several are (a level for each prompt length) that of the same
// id, then that of near lengths. Other tools know no scenarios: with
// anyScenario the load alone decides, where it leaves no choice.
func pairUp(base, next []group, anyScenario bool) (pairs []pair, unpaired []Unpaired) {
	taken := make([]bool, len(next))
	partner := make([]int, len(base))
	for i := range partner {
		partner[i] = -1
	}
	for _, like := range []func(a, b *record.Level) bool{
		func(a, b *record.Level) bool { return a.Scenario == b.Scenario && a.Base() == b.Base() },
		func(a, b *record.Level) bool { return a.Scenario == b.Scenario && near(a.Asked.Prompt, b.Asked.Prompt) },
		func(a, b *record.Level) bool { return a.Scenario == b.Scenario },
		func(_, _ *record.Level) bool { return anyScenario },
	} {
		for i, b := range base {
			if partner[i] < 0 {
				partner[i] = onlyOne(b, next, taken, like)
			}
		}
	}
	for i, b := range base {
		if k := partner[i]; k >= 0 {
			pairs = append(pairs, pair{b, next[k]})
			continue
		}
		unpaired = append(unpaired, alone("base", b, next, anyScenario))
	}
	for k, n := range next {
		if !taken[k] {
			unpaired = append(unpaired, alone("new", n, base, anyScenario))
		}
	}
	return pairs, unpaired
}

// onlyOne takes the one group that is like g and free; -1 for none or several.
func onlyOne(g group, among []group, taken []bool, like func(a, b *record.Level) bool) int {
	found := -1
	for k, other := range among {
		if taken[k] || !sameLoad(g.first(), other.first()) || !like(g.first(), other.first()) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = k
	}
	if found >= 0 {
		taken[found] = true
	}
	return found
}

// alone says why a group has no partner.
func alone(side string, g group, others []group, anyScenario bool) Unpaired {
	l := g.first()
	u := Unpaired{Side: side, Scenario: l.Scenario, Level: l.Base(), Why: "the other run did not hold this load"}
	for _, o := range others {
		f := o.first()
		switch {
		case sameLoad(f, l) && (anyScenario || f.Scenario == l.Scenario):
			u.Why = "levels of the other run held this load too, and nothing tells which of them is its partner"
			return u
		case f.Scenario != l.Scenario || f.Load.Kind != l.Load.Kind:
		case f.Load.Value == l.Load.Value && f.Load.Sessions != l.Load.Sessions:
			u.Why = fmt.Sprintf("the other run held this load of %s, and not of %s", loadOf(f.Load), loadOf(l.Load))
			return u
		case f.Load.Value == l.Load.Value && !sameLoad(f, l):
			u.Why = fmt.Sprintf("the other run held this rate with other arrivals (%s and %s)", arrivals(l.Load), arrivals(f.Load))
			return u
		case f.Load.Value != l.Load.Value && math.Abs(f.Load.Value-l.Load.Value) <= 0.1*l.Load.Value:
			u.Why = fmt.Sprintf("the other run held %g, which is near but not the same load", f.Load.Value)
		}
	}
	return u
}

// loadOf is what a load counts.
func loadOf(l record.Load) string {
	if l.Sessions {
		return "sessions"
	}
	return "requests"
}

func arrivals(l record.Load) string {
	if l.Burstiness > 0 {
		return fmt.Sprintf("%s %g", l.Arrival, l.Burstiness)
	}
	return l.Arrival
}
