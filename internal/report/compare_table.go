package report

import (
	"slices"
	"strings"

	"assay/internal/compare"
	"assay/internal/record"
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

// fewLevels is up to how many levels each has its own block though nothing
// changed there.
const fewLevels = 3

// comparedBlocks cuts the figures by level. Without all only one figure of each
// family is shown, and of many levels those at which no difference is shown, or
// nothing may be compared, are named in one line.
func comparedBlocks(c *compare.Comparison, all bool) []comparedBlock {
	var out []comparedBlock
	together := gathered{}
	levels := byLevel(c.Metrics)
	for _, ms := range levels {
		if why, ok := nothingToShow(ms); ok && !all && len(levels) > fewLevels {
			together.add(why, ms[0])
			continue
		}
		show := ms
		if !all {
			show = notable(ms)
		}
		b := comparedBlock{Title: comparedTitle(ms[0]), Notes: comparedNotes(show)}
		for _, m := range show {
			b.Rows = append(b.Rows, comparedRow{
				Cells: []string{comparedName(m), comparedValue(m, m.Base), comparedValue(m, m.New), change(m), intervalOf(m), comparedVerdict(m.Verdict)},
				Tone:  map[string]string{compare.Better: "good", compare.Worse: "bad", compare.NotComparable: "warn"}[m.Verdict],
			})
		}
		out = append(out, b)
	}
	return append(out, together.blocks()...)
}

// nothingToShow reports a level of which no figure changed (why is empty), or
// none may be compared, all for the same reason.
func nothingToShow(ms []compare.Metric) (why string, ok bool) {
	compared := false
	for _, m := range ms {
		if m.Level == "" || m.Verdict == compare.Better || m.Verdict == compare.Worse {
			return "", false
		}
		compared = compared || m.Verdict == compare.NoDifference
	}
	if compared {
		return "", true
	}
	for _, m := range ms {
		if m.Why != ms[0].Why {
			return "", false
		}
	}
	return ms[0].Why, true
}

// gathered are the loads of levels that are told in one line, by the reason.
type gathered struct {
	whys  []string
	loads map[string][]compare.Metric
}

func (g *gathered) add(why string, m compare.Metric) {
	if g.loads == nil {
		g.loads = map[string][]compare.Metric{}
	}
	if g.loads[why] == nil {
		g.whys = append(g.whys, why)
	}
	g.loads[why] = append(g.loads[why], m)
}

func (g *gathered) blocks() []comparedBlock {
	var out []comparedBlock
	for _, why := range g.whys {
		b := comparedBlock{Title: "no difference shown", Notes: []string{loadsOf(g.loads[why]) + "."}}
		if why != "" {
			b = comparedBlock{Title: "not comparable", Notes: []string{loadsOf(g.loads[why]) + ": " + plain(why) + "."}}
		}
		out = append(out, b)
	}
	return out
}

// loadsOf names the loads of levels: "saturation at 1, 5 and 10 in flight".
func loadsOf(ms []compare.Metric) string {
	var parts []string
	for i := 0; i < len(ms); {
		same := ms[i].Load().Kind
		var values []string
		k := i
		for ; k < len(ms) && ms[k].Scenario == ms[i].Scenario && ms[k].Load().Kind == same; k++ {
			values = append(values, short(ms[k].Load().Value))
		}
		unit := inFlight
		if same == record.ByRate {
			unit = "requests/s"
		}
		parts = append(parts, plain(ms[i].Scenario)+" at "+list(values)+" "+unit)
		i = k
	}
	return strings.Join(parts, "; ")
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
		return plain(m.Scenario) + ": whole curve"
	}
	return plain(m.Scenario) + strings.Replace(atLoad(m, 1), " at ", ": ", 1)
}

// notable are for each family the figures that changed, one for each direction,
// and of those that a reader looks for one in any case.
func notable(ms []compare.Metric) []compare.Metric {
	if ms[0].Level == "" {
		return ms
	}
	changed := append(spoken(ms, compare.Worse), spoken(ms, compare.Better)...)
	var out []compare.Metric
	for _, f := range families {
		n := len(out)
		for _, m := range changed {
			if slices.Contains(f.figures, m.Name) {
				out = append(out, m)
			}
		}
		if len(out) == n && slices.Contains(always, f.name) {
			out = append(out, firstOf(f, ms)...)
		}
	}
	return out
}

// firstOf is the first figure of a family that both runs have; none where none is.
func firstOf(f family, ms []compare.Metric) []compare.Metric {
	for _, name := range f.figures {
		for _, m := range ms {
			if m.Name == name && m.Base != nil && m.New != nil {
				return []compare.Metric{m}
			}
		}
	}
	return nil
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
	out = append(out, partnerless(c.Unpaired)...)
	for _, r := range c.Remarks {
		out = append(out, sentence(r))
	}
	return out
}

// partnerless says which levels only one run held, by run and reason.
func partnerless(us []compare.Unpaired) []string {
	type key struct{ side, why string }
	var keys []key
	levels := map[key][]string{}
	for _, u := range us {
		k := key{u.Side, u.Why}
		if levels[k] == nil {
			keys = append(keys, k)
		}
		levels[k] = append(levels[k], plain(u.Level))
	}
	var out []string
	for _, k := range keys {
		has := " has no partner: "
		if len(levels[k]) > 1 {
			has = " have no partner: "
		}
		out = append(out, list(levels[k])+" of "+strings.ToUpper(plain(k.side))+has+plain(k.why)+".")
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
