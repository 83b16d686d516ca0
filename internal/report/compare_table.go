package report

import (
	"slices"
	"strings"

	"assay/internal/compare"
)

// comparedBlock is one level's part of the table.
type comparedBlock struct {
	Title string
	Rows  []comparedRow
	Notes []string // why figures are missing or not comparable
}

type comparedRow struct {
	Cells []string // in the order of comparedHeads
	Tone  string
}

var comparedHeads = []string{"", "BASE", "NEW", "change", "95 % interval", "verdict"}

// always are the figures shown though nothing happened to them.
var always = []string{"TTFT", "ITL", "throughput"}

// comparedBlocks cuts the figures by level. Without all only those are shown
// that changed, and one each of those that a reader looks for.
func comparedBlocks(c *compare.Comparison, all bool) []comparedBlock {
	var out []comparedBlock
	for _, ms := range byLevel(c.Metrics) {
		b := comparedBlock{Title: comparedTitle(ms[0])}
		show := ms
		if !all {
			show = notable(ms)
		}
		for _, m := range show {
			if m.Base == nil && m.New == nil && m.Verdict == compare.NotComparable && !all {
				continue
			}
			b.Rows = append(b.Rows, comparedRow{
				Cells: []string{comparedName(m), comparedValue(m, m.Base), comparedValue(m, m.New), change(m), intervalOf(m), comparedVerdict(m.Verdict)},
				Tone:  map[string]string{compare.Better: "good", compare.Worse: "bad", compare.NotComparable: "warn"}[m.Verdict],
			})
		}
		b.Notes = comparedNotes(show)
		out = append(out, b)
	}
	return out
}

func byLevel(metrics []compare.Metric) [][]compare.Metric {
	var out [][]compare.Metric
	for i, m := range metrics {
		if i == 0 || m.Level != metrics[i-1].Level || m.Scenario != metrics[i-1].Scenario {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], m)
	}
	return out
}

func comparedTitle(m compare.Metric) string {
	if m.Level == "" {
		return plain(m.Scenario) + ": the whole curve"
	}
	return plain(m.Scenario) + strings.Replace(atLoad(m, 1), " at ", ": ", 1)
}

// notable are the figures that changed, and the best-known one of each family
// that a reader looks for. Where a whole level is not comparable, those stand
// for it.
func notable(ms []compare.Metric) []compare.Metric {
	keep := map[string]bool{}
	for _, m := range ms {
		if m.Verdict == compare.Better || m.Verdict == compare.Worse || m.Level == "" {
			keep[m.Name] = true
		}
	}
	for _, f := range families {
		if !slices.Contains(always, f.name) {
			continue
		}
		for _, name := range f.figures {
			if i := slices.IndexFunc(ms, func(m compare.Metric) bool { return m.Name == name && m.Base != nil && m.New != nil }); i >= 0 {
				keep[name] = true
				break
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(ms), func(m compare.Metric) bool { return !keep[m.Name] })
}

// comparedNotes are the reasons behind the rows, each once, with the figures that
// it stands at where not all have it.
func comparedNotes(ms []compare.Metric) []string {
	var whys []string
	of := map[string][]string{}
	for _, m := range ms {
		if m.Why == "" {
			continue
		}
		if of[m.Why] == nil {
			whys = append(whys, m.Why)
		}
		of[m.Why] = append(of[m.Why], comparedName(m))
	}
	var out []string
	for _, w := range whys {
		if len(of[w]) == len(ms) {
			out = append(out, sentence(w))
			continue
		}
		out = append(out, strings.Join(of[w], ", ")+": "+plain(w)+".")
	}
	return out
}

// comparedRemarks are what is said below the table.
func comparedRemarks(c *compare.Comparison) []string {
	var out []string
	for _, u := range c.Unpaired {
		out = append(out, plain(u.Level)+" of "+strings.ToUpper(u.Side)+" has no partner: "+plain(u.Why)+".")
	}
	for _, r := range c.Remarks {
		out = append(out, sentence(r))
	}
	return out
}

// comparedSides name the two runs.
func comparedSides(c *compare.Comparison) []string {
	side := func(name string, s compare.Subject) string {
		out := name + " " + plain(s.Name)
		for _, part := range []string{s.Model, s.Start} {
			if part != "" {
				out += ", " + plain(part)
			}
		}
		if s.Simulated {
			out += ", simulated"
		}
		if !strings.HasPrefix(s.Tool, "assay") && s.Tool != "" {
			out += ", written by " + plain(s.Tool)
		}
		return out
	}
	return []string{side("BASE", c.Base), side("NEW ", c.New)}
}
