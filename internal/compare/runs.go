package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// Runs compares two runs. The same files give the same answer. The error is that
// of reading a side's requests.
func Runs(base, next Side, opt Options) (*Comparison, error) {
	c := &Comparison{
		Schema: Schema, Base: subject(base), New: subject(next),
		Differences: differences(base.Run, next.Run),
		Metrics:     []Metric{}, Unpaired: []Unpaired{}, Gates: []Outcome{}, Remarks: []string{},
	}
	pairs, unpaired := pairUp(groups(&base.Run), groups(&next.Run), base.foreign() || next.foreign())
	c.Unpaired = append(c.Unpaired, unpaired...)
	byLoad(pairs)
	all, err := talliesOf(base, next, pairs)
	if err != nil {
		return nil, err
	}
	of := map[*record.Level]map[string]estimate{}
	for l, t := range all {
		of[l] = t.estimates(resamplingSeed)
	}
	whole := apart(base, next, opt)
	var changes []*stats.Change
	for _, p := range pairs {
		for _, f := range figures() {
			if !shownFor(f, p) {
				continue
			}
			m, change := row(base, next, p, f, whole, of)
			c.Metrics, changes = append(c.Metrics, m), append(changes, change)
		}
	}
	decide(c.Metrics, changes)
	c.Metrics = append(c.Metrics, saturation(base.Run, next.Run, whole)...)
	c.Verdict = overall(c.Metrics)
	c.Remarks = append(c.Remarks, remarks(base, next, pairs, c)...)
	for _, g := range opt.Gates {
		c.Gates = append(c.Gates, judgeGate(g, c, pairs, all)...)
	}
	return c, nil
}

// byLoad orders the pairs of each scenario by load; scenarios stay in the base's
// order.
func byLoad(pairs []pair) {
	place := map[string]int{}
	for _, p := range pairs {
		if _, seen := place[p.base.first().Scenario]; !seen {
			place[p.base.first().Scenario] = len(place)
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		x, y := a.base.first(), b.base.first()
		return cmp.Or(cmp.Compare(place[x.Scenario], place[y.Scenario]), cmp.Compare(x.Load.Kind, y.Load.Kind), cmp.Compare(x.Load.Value, y.Load.Value))
	})
}

func subject(s Side) Subject {
	t := s.Run.Target
	out := Subject{Name: s.Name, Tool: s.Run.Tool.Name, Model: t.Model, URL: t.URL, Simulated: t.Simulated}
	if s.Run.Tool.Version != "" {
		out.Tool += " " + s.Run.Tool.Version
	}
	if !s.Run.Start.IsZero() {
		out.Start = s.Run.Start.UTC().Format(time.RFC3339)
	}
	return out
}

// resamplingSeed makes the same files give the same intervals.
const resamplingSeed = 1

// talliesOf reads both sides' requests, of the levels that have a partner.
func talliesOf(base, next Side, pairs []pair) (map[*record.Level]*tally, error) {
	var ofBase, ofNext []*record.Level
	for _, p := range pairs {
		ofBase, ofNext = append(ofBase, p.base...), append(ofNext, p.next...)
	}
	out := map[*record.Level]*tally{}
	if err := tallyInto(out, base, ofBase); err != nil {
		return nil, err
	}
	return out, tallyInto(out, next, ofNext)
}

// remarks are what a reader must know of the whole comparison.
func remarks(base, next Side, pairs []pair, c *Comparison) []string {
	var out []string
	if len(pairs) == 0 {
		out = append(out, "the runs have no load in common: nothing could be compared (near loads are not taken for equal)")
	}
	if c.Verdict != NotComparable && fewRepeats(pairs) {
		out = append(out, "each side is one run: what differs from run to run by itself (placement, clocks, neighbours) is not in the intervals; bench --repeat 3 measures it")
	}
	for _, m := range c.Metrics {
		if m.Name == "cached.share" && (m.Verdict == Better || m.Verdict == Worse) {
			out = append(out, fmt.Sprintf("%s: a prefix cache served another share of the prompts, so the first token is not of the same work", m.Level))
		}
	}
	if base.Run.Tool.Name != next.Run.Tool.Name {
		out = append(out, "two tools measured: a change may be one of the client, its clock and its overhead, and not of the server")
		out = append(out, definitionRemarks("BASE", base)...)
		out = append(out, definitionRemarks("NEW", next)...)
	}
	for _, s := range []Side{base, next} {
		if !s.Run.Complete {
			out = append(out, fmt.Sprintf("%s was cut short: levels may be missing", cmp.Or(s.Name, "a run")))
		}
	}
	return out
}

// definitionRemarks say how another tool's figures differ from Assay's though
// they are compared, each reason once.
func definitionRemarks(name string, s Side) []string {
	var whys []string
	of := map[string][]string{}
	for _, d := range s.Run.Definitions {
		if d.Why == "" || d.Comparable != record.SameDefinition {
			continue
		}
		if of[d.Why] == nil {
			whys = append(whys, d.Why)
		}
		of[d.Why] = append(of[d.Why], strings.ToUpper(d.Metric))
	}
	for i, w := range whys {
		whys[i] = fmt.Sprintf("%s (%s), %s: %s", name, s.Run.Tool.Name, strings.Join(of[w], ", "), w)
	}
	return whys
}

// fewRepeats reports a pair of which neither side has the repeats that show what
// differs from run to run.
func fewRepeats(pairs []pair) bool {
	for _, p := range pairs {
		if len(p.base) < enoughRepeats && len(p.next) < enoughRepeats {
			return true
		}
	}
	return false
}
