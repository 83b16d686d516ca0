package predict

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"assay/internal/figure"
)

// guess is a prediction of two latencies, ms, with their ranges.
type guess struct {
	itl, ttft figure.Range
	form      seconds // what the fitted form alone says
	notes     []string
}

// Chips of generations that no measurement is of: how much further off they are,
// standard deviations of logarithms. Ours: spec sheets say less of how near to them
// an engine comes.
// points/thin_chips.csv holds them to account: TTFT is further off than ITL.
var (
	unmeasuredCUDA  = doubt{ITL: 0.30, TTFT: 0.30}
	unmeasuredOther = doubt{ITL: 0.55, TTFT: 0.75}
	unmeasuredArch  = doubt{ITL: 0.35, TTFT: 0.35} // an architecture taken for another
)

// doubt is of both quantities: standard deviations, or variances where they are summed.
type doubt struct{ ITL, TTFT float64 }

// reached is the most of a data sheet's bandwidth that the fit found.
const reached = 0.9

// guess predicts a site.
func (m *Model) guess(s site, f *flow) guess {
	k := keyOf(s)
	out := guess{form: m.seconds(f, s.Engine, s.Chip), notes: s.remark}
	itl, ttft := m.Correction.at(k)
	seen := itl.nearest > 0
	extra := out.doubts(s, k, seen)
	w := m.Bars.of(k, seen)
	if extra.ITL > 0 { // what one version was held against says little here
		w = w.widest(m.Bars.Unseen.All)
	}
	out.itl = ranged(out.form.itl*1e3, itl, w.ITL, extra.ITL)
	if least := f.least() * 1e3; !seen || !k.MoE { // measured mixtures may draft several tokens a step
		out.itl = figure.Range{Low: max(out.itl.Low, least), Mid: max(out.itl.Mid, least/reached), High: max(out.itl.High, least/reached)}
	}
	out.ttft = ranged(out.form.ttft*1e3, ttft, w.TTFT, extra.TTFT)
	return out
}

// doubts are what makes a range wider than cross-validation has it; it notes them.
func (g *guess) doubts(s site, k key, seen bool) doubt {
	var extra doubt
	add := func(sd doubt, note string, args ...any) {
		extra.ITL += sd.ITL * sd.ITL
		extra.TTFT += sd.TTFT * sd.TTFT
		g.notes = append(g.notes, fmt.Sprintf(note, args...))
	}
	switch {
	case s.Chip.Architecture == "hopper" || strings.HasPrefix(s.Chip.Architecture, "blackwell"):
	case s.Chip.Vendor == "NVIDIA":
		add(unmeasuredCUDA, "no measurement of the fit is on %s or its generation: the range is wide", s.Chip.Name)
	default:
		add(unmeasuredOther, "no measurement of the fit is on chips of %s: the range is wide", cmp.Or(s.Chip.Vendor, "that maker"))
	}
	if len(s.remark) > 0 && !s.wide {
		add(unmeasuredArch, "the range is wide for it")
	}
	if !seen {
		g.notes = append(g.notes, fmt.Sprintf("%s was not measured with %s", s.Model.Name, s.Engine))
	}
	if s.PP > 1 {
		add(unmeasuredCUDA, "no measurement has pipeline stages: the range is wide")
	}
	return extra
}

// caution moves the middle of a range from the median of what may be measured
// towards the value of least expected relative error, which for a lognormal lies a
// variance below it: an error above counts for more than the same one below.
const caution = 0.9

func middle(sd float64) float64 { return math.Exp(-caution * sd * sd) }

// ranged is a range in ms about what form and correction say.
func ranged(form float64, c said, width [2]float64, extra float64) figure.Range {
	centre := form * math.Exp(c.mean)
	sd := math.Sqrt(c.sd*c.sd + extra)
	mid := centre * middle(c.sd)
	return figure.Range{Low: min(mid, centre*math.Exp(width[0]*sd)), Mid: mid, High: max(mid, centre*math.Exp(width[1]*sd))}
}
