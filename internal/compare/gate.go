package compare

import (
	"fmt"
	"strings"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// judgeGate is how a gate fares at each level that it is for; one undecided
// outcome where it is for none.
func judgeGate(g spec.Gate, c *Comparison, pairs []pair, all map[*record.Level]*tally) []Outcome {
	var out []Outcome
	for _, m := range c.Metrics {
		if m.Name != g.Metric || m.Level == "" || !isAt(g.At, m) {
			continue
		}
		o := Outcome{Gate: g.String(), Scenario: m.Scenario, Level: m.Level}
		if g.Change {
			o.Verdict, o.Why = judgeChange(g, m)
		} else {
			o.Verdict, o.Why = judgeLimit(g, m, newOf(m, pairs), all)
		}
		out = append(out, o)
	}
	if out == nil {
		out = append(out, Outcome{Gate: g.String(), Verdict: Undecided, Why: noSuch(g, c)})
	}
	return out
}

// noSuch says why a gate looked at nothing.
func noSuch(g spec.Gate, c *Comparison) string {
	switch {
	case len(c.Metrics) == 0:
		return "the runs have no level in common"
	case g.At != "":
		return fmt.Sprintf("no level that both runs held is %s and has %s", g.At, g.Metric)
	}
	return "no level that both runs held has " + g.Metric
}

// isAt reports a metric of a level that the gate names: by its id, the end of
// it, or its scenario.
func isAt(at string, m Metric) bool {
	return at == "" || at == m.Level || at == m.Scenario || strings.HasSuffix(m.Level, "-"+at)
}

// newOf is the new run's side of the pair that a metric is of.
func newOf(m Metric, pairs []pair) group {
	for _, p := range pairs {
		if p.base.first().Base() == m.Level && p.base.first().Scenario == m.Scenario {
			return p.next
		}
	}
	return nil
}

// judgeChange asks on which side of the limit the interval of the change lies.
// Failing takes all of it: a chance of 2.5 % at a change of just the limit.
func judgeChange(g spec.Gate, m Metric) (verdict, why string) {
	if m.CI == nil {
		return Undecided, m.Why
	}
	seen := fmt.Sprintf("95 %% interval of the change: %+.3g to %+.3g%s", m.CI.Low, m.CI.High, percentSign(m))
	above, below := m.CI.Low > g.Limit, m.CI.High <= g.Limit
	if !g.Above {
		above, below = m.CI.High < g.Limit, m.CI.Low >= g.Limit
	}
	switch {
	case above:
		return Failed, seen
	case below:
		return Held, seen
	}
	return Undecided, seen
}

func percentSign(m Metric) string {
	if m.Points {
		return " points"
	}
	return " %"
}

// judgeLimit judges the new run alone, by the rule of the SLO: a percentile that
// the level supports is held beside the limit, one that it is too short for is
// judged by a binomial bound over its samples, which may leave it undecided.
func judgeLimit(g spec.Gate, m Metric, next group, all map[*record.Level]*tally) (verdict, why string) {
	f := figureOf(m.Name)
	if why := spoiled("NEW", next, f); why != "" {
		return Undecided, why
	}
	if m.New == nil {
		return judgeShort(g, f, next, all)
	}
	verdict = Held
	if *m.New >= g.Limit == g.Above {
		verdict = Failed
	}
	return verdict, fmt.Sprintf("%.4g %s", *m.New, m.Unit)
}

// judgeShort judges a percentile from the number of samples above the limit.
func judgeShort(g spec.Gate, f figure, next group, all map[*record.Level]*tally) (verdict, why string) {
	over, n := 0, 0
	for _, l := range next {
		if t := all[l]; t != nil && f.latency != "" {
			o, k := t.over(f.latency, g.Limit)
			over, n = over+o, n+k
		}
	}
	if n == 0 || f.percentile == 0 {
		return Undecided, lacking("NEW", next, f)
	}
	met, missed := Held, Failed
	if !g.Above {
		met, missed = Failed, Held
	}
	why = fmt.Sprintf("%d of %d at or above the limit, by a binomial bound (99 %%)", over, n)
	switch stats.JudgeShare(over, n, f.percentile) {
	case stats.Met:
		return met, why
	case stats.Missed:
		return missed, why
	}
	return Undecided, why
}

func figureOf(name string) figure {
	for _, f := range figures() {
		if f.name == name {
			return f
		}
	}
	return figure{name: name}
}

// GateResult is what all gates come to.
type GateResult struct {
	Fails bool
	Lines []string // what failed, and what stayed undecided
}

// Gate sums the gates up: they fail where the data show that a limit is passed,
// and with strict also where the data leave one open.
func (c *Comparison) Gate(strict bool) GateResult {
	var r GateResult
	for _, o := range c.Gates {
		at := ""
		if o.Level != "" {
			at = " at " + o.Level
		}
		switch {
		case o.Verdict == Failed:
			r.Fails = true
			r.Lines = append(r.Lines, fmt.Sprintf("gate %s failed%s: %s", o.Gate, at, o.Why))
		case o.Verdict == Undecided && strict:
			r.Fails = true
			r.Lines = append(r.Lines, fmt.Sprintf("gate %s is undecided%s, which --strict fails: %s", o.Gate, at, o.Why))
		case o.Verdict == Undecided:
			r.Lines = append(r.Lines, fmt.Sprintf("gate %s is undecided%s and passes: %s", o.Gate, at, o.Why))
		}
	}
	return r
}
