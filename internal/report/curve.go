package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/stats"
)

// Sizes of drawings. Each wide one has a narrow twin for phones: a drawing
// that only shrank would have letters too small to read.
const (
	wideW, narrowW = 1040.0, 372.0
	halfW          = 430.0
)

// curves are the charts of the levels together.
type curves struct {
	Title, Lead            string
	HeroWide, HeroNarrow   template.HTML
	Beside                 []template.HTML
	Weak                   bool // some point is a lower percentile than p95
	NotValid               bool // some point is not valid
	Scenario               string
	HasSLO, HasKnee, HasOp bool
}

// curvesOf draws the scenario that the verdict speaks of, or else the one
// with the most levels. nil where there are not two levels to join.
func curvesOf(run record.Run) *curves {
	g, ok := curveGroup(run)
	if !ok {
		return nil
	}
	if g.ByPrompt {
		return promptCurves(run, g)
	}
	return loadCurves(run, g)
}

func curveGroup(run record.Run) (group, bool) {
	var best group
	for _, g := range groups(withResults(run.Levels)) {
		if run.Saturation != nil && g.Scenario == run.Saturation.Scenario {
			best = g
			break
		}
		if len(g.Levels) > len(best.Levels) {
			best = g
		}
	}
	return best, len(best.Levels) >= 2
}

func loadCurves(run record.Run, g group) *curves {
	c := &curves{Scenario: g.Scenario, Title: "Throughput against latency",
		Lead: "Each point is a level, labelled with its load (" + g.unit() + "). Right is more throughput, down is a quicker answer: past the knee, more load buys only waiting."}
	sat := satOf(run, g)
	key, name := "ttft", "TTFT"
	if wholeAnswers(g) {
		key, name = "e2e", "E2E"
	}
	hero := latencyPlot(run, g, sat, key, name)
	c.HasSLO, c.HasKnee, c.HasOp = len(hero.Rules) > 0, len(hero.Bands) > 0, hero.Chosen != nil
	c.note(hero)
	c.HeroWide, c.HeroNarrow = bothSizes(hero)
	itl := latencyPlot(run, g, sat, "itl", "ITL")
	e2e := latencyPlot(run, g, sat, "e2e", "E2E")
	for _, p := range []plot{throughputPlot(g, sat), itl, e2e} {
		if len(p.Points) < 2 || p.Title == hero.Title {
			continue
		}
		c.note(p)
		p.Class, p.W, p.H = "third", 380, 320
		p.Chosen = without(p.Chosen)
		for i := range p.Bands {
			p.Bands[i].Label = "knee"
		}
		c.Beside = append(c.Beside, p.draw())
	}
	return c
}

// without keeps the operating point's mark and drops its label, which the
// small charts have no room for.
func without(p *point) *point {
	if p == nil {
		return nil
	}
	q := *p
	q.Label = ""
	return &q
}

func (c *curves) note(p plot) {
	for _, pt := range p.Points {
		c.Weak = c.Weak || pt.Weak
		c.NotValid = c.NotValid || pt.Verdict != record.Valid
	}
}

func bothSizes(p plot) (wide, narrow template.HTML) {
	if len(p.Points) < 2 {
		return "", ""
	}
	p.Class, p.W, p.H = "wide", wideW, 460
	wide = p.draw()
	p.Class, p.W, p.H = "narrow", narrowW, 380
	return wide, p.draw()
}

func satOf(run record.Run, g group) *record.Saturation {
	if s := run.Saturation; s != nil && s.Scenario == g.Scenario {
		return s
	}
	return nil
}

// latencyPlot is one latency over throughput.
func latencyPlot(run record.Run, g group, sat *record.Saturation, key, name string) plot {
	unit, of := flowOf(g)
	p := plot{Title: name + " against throughput", X: axis{Title: unit + " →"}, Y: axis{Title: name + " p95, ms", Log: true}}
	for _, l := range g.Levels {
		q, v, ok := highest(l.Metric(key))
		if !ok || v <= 0 {
			continue
		}
		p.add(point{X: of(l), Y: v, Label: g.label(l), Tip: levelTip(g, l), Verdict: l.Validity.Verdict, Weak: q != "p95"})
	}
	if c, ok := criterionOf(run, g, key); ok {
		p.Rules = append(p.Rules, rule{At: c.Limit, Label: "SLO " + condition(c)})
	}
	if sat != nil {
		loads, xs := series(g, of)
		if sat.Knee != nil {
			p.Bands = append(p.Bands, band{Low: interpolate(loads, xs, sat.Knee.Low), High: interpolate(loads, xs, sat.Knee.High),
				Label: "knee " + interval(*sat.Knee, sat.Unit)})
		}
		if op := sat.OperatingPoint; op != nil {
			at := op.Concurrency
			if unitWord(sat.Unit) != inFlight {
				at = op.RequestsPerS
			}
			loads, ys := series(g, func(l record.Level) float64 { _, v, _ := highest(l.Metric(key)); return v })
			y := interpolate(loads, ys, at)
			p.choose(point{X: pointRate(op, unit), Y: y, Label: "operating point, " + loadIn(sat.Unit, pointLoad(*sat)),
				Tip: fmt.Sprintf("operating point: %s, %s, %s about %s", loadIn(sat.Unit, pointLoad(*sat)), pointFlow(op.OutputTokensPerS, op.RequestsPerS), name, millis(y))})
		}
	}
	p.Desc = describe(p, name+" p95 in ms by "+perSecond(unit))
	return p
}

// describe says a curve's points in words.
func describe(p plot, what string) string {
	var parts []string
	for _, pt := range p.Points {
		s := fmt.Sprintf("%s: %s at %s", pt.Label, num(pt.Y), num(pt.X))
		if pt.Verdict != record.Valid {
			s += " (" + markClass(pt.Verdict) + ")"
		}
		parts = append(parts, s)
	}
	s := what + ", by level: " + strings.Join(parts, "; ")
	for _, b := range p.Bands {
		s += "; " + b.Label
	}
	for _, r := range p.Rules {
		s += "; " + r.Label
	}
	return s
}

func criterionOf(run record.Run, g group, key string) (record.Criterion, bool) {
	candidates := run.SLO.Criteria
	for _, l := range g.Levels {
		candidates = append(candidates[:len(candidates):len(candidates)], l.SLO...)
	}
	for _, c := range candidates {
		if c.Metric == key && c.Limit > 0 && drawable(c.Limit) {
			return c, true
		}
	}
	return record.Criterion{}, false
}

// series is a figure of each level by its load; levels without it are left out.
func series(g group, of func(record.Level) float64) (loads, ys []float64) {
	for _, l := range g.Levels {
		if v := of(l); v > 0 {
			loads, ys = append(loads, l.Load.Value), append(ys, v)
		}
	}
	return loads, ys
}

// interpolate reads y at x between its neighbours on logarithmic axes, and
// holds the ends.
func interpolate(xs, ys []float64, x float64) float64 {
	if len(xs) == 0 {
		return 0
	}
	if x <= xs[0] {
		return ys[0]
	}
	for i := 1; i < len(xs); i++ {
		if x <= xs[i] && xs[i] > xs[i-1] {
			f := (math.Log(x) - math.Log(xs[i-1])) / (math.Log(xs[i]) - math.Log(xs[i-1]))
			return math.Exp(math.Log(ys[i-1]) + f*(math.Log(ys[i])-math.Log(ys[i-1])))
		}
	}
	return ys[len(ys)-1]
}

// throughputPlot is throughput over load, with the line along which it would
// grow if nothing limited it.
func throughputPlot(g group, sat *record.Saturation) plot {
	unit, of := flowOf(g)
	p := plot{Title: "Throughput by load", X: axis{Title: loadAxis(g) + " →", Log: true}, Y: axis{Title: unit}}
	for _, l := range g.Levels {
		if l.Load.Value <= 0 {
			continue
		}
		p.add(point{X: l.Load.Value, Y: of(l), Label: g.label(l), Tip: levelTip(g, l), Verdict: l.Validity.Verdict})
	}
	if len(p.Points) > 1 && p.Points[0].Y > 0 {
		per := p.Points[0].Y / p.Points[0].X
		top := slices.MaxFunc(p.Points, func(a, b point) int { return cmp.Compare(a.Y, b.Y) }).Y
		p.Ideal = proportional(p.Points[0].X, per, top*1.06)
		p.IdealLabel = "linear"
	}
	if sat != nil && sat.Knee != nil {
		p.Bands = append(p.Bands, band{Low: sat.Knee.Low, High: sat.Knee.High, Label: "knee"})
	}
	if sat != nil && sat.OperatingPoint != nil {
		p.choose(point{X: pointLoad(*sat), Y: pointRate(sat.OperatingPoint, unit), Tip: "operating point: " + loadIn(sat.Unit, pointLoad(*sat))})
	}
	p.Desc = describe(p, perSecond(unit)+" by load")
	return p
}

// proportional is the line y = per x from x0 to where y is top, in steps that
// a logarithmic axis draws as a curve.
func proportional(x0, per, top float64) []xy {
	const growth, most = 1.1, 200
	var out []xy
	for x := x0; x*per <= top && len(out) < most; x *= growth {
		out = append(out, xy{x, x * per})
	}
	return out
}

func loadAxis(g group) string {
	if len(g.Levels) > 0 && g.Levels[0].Load.Kind == record.ByRate {
		return "requests/s asked"
	}
	return "requests in flight"
}

// promptCurves are latencies over the length of the prompt, for levels of one load.
func promptCurves(run record.Run, g group) *curves {
	c := &curves{Scenario: g.Scenario, Title: "Latency by length of prompt",
		Lead: "Each point is a level at " + short(g.Levels[0].Load.Value) + " in flight with prompts of the length below it."}
	of := func(key, name string) plot { return promptPlot(run, g, key, name) }
	hero := of("ttft", "TTFT")
	if wholeAnswers(g) {
		hero = of("e2e", "E2E")
	}
	if slices.ContainsFunc(g.Levels, func(l record.Level) bool { q, _, _ := central(l.TTFT); return q == mean }) {
		c.Lead += " Where so few requests support no percentile, the point is their mean, and says so."
	}
	c.HasSLO = len(hero.Rules) > 0
	c.note(hero)
	c.HeroWide, c.HeroNarrow = bothSizes(hero)
	for _, p := range []plot{of("itl", "ITL"), of("e2e", "E2E")} {
		if len(p.Points) < 2 || p.Title == hero.Title {
			continue
		}
		p.Class, p.W, p.H = "half", halfW, 320
		c.Beside = append(c.Beside, p.draw())
	}
	return c
}

// promptPlot is one latency over the length of the prompt, the mean where no
// percentile is supported. Where the levels support different ones, each point
// says its own.
func promptPlot(run record.Run, g group, key, name string) plot {
	p := plot{Title: name + " by prompt length", X: axis{Title: "prompt tokens →", Log: true, AtData: true}, Y: axis{Title: name + ", ms", Log: true}}
	used := map[string]bool{}
	var which []string
	for _, l := range g.Levels {
		q, v, ok := central(l.Metric(key))
		if !ok || v <= 0 || !drawable(v) {
			continue
		}
		used[q], which = true, append(which, q)
		p.add(point{X: value(l.Asked.Prompt), Y: v, Label: num(v), Tip: levelTip(g, l), Verdict: l.Validity.Verdict})
	}
	if len(used) == 1 {
		p.Y.Title = name + " " + which[0] + ", ms"
	} else {
		for i := range p.Points {
			p.Points[i].Label += " " + which[i]
		}
	}
	if cr, ok := criterionOf(run, g, key); ok {
		p.Rules = append(p.Rules, rule{At: cr.Limit, Label: "SLO " + condition(cr)})
	}
	p.Desc = describe(p, name+" in ms by prompt tokens")
	return p
}

// levelTip is a level's read-out.
func levelTip(g group, l record.Level) string {
	s := g.name(l) + "\n" + flow(l)
	if !inOnePiece(l) {
		s += ", " + num(l.Throughput.RequestsPerS) + " requests/s"
	}
	for _, m := range []struct {
		name string
		d    stats.Dist
	}{{"TTFT", l.TTFT}, {"ITL", l.ITL}, {"E2E", l.E2E}} {
		if q, v, ok := central(m.d); ok {
			s += "\n" + m.name + " " + q + " " + millis(v) + " (n=" + count(m.d.N) + ")"
		}
	}
	if l.Validity.Verdict != record.Valid {
		s += "\n" + markOf(l).Glyph + " " + markOf(l).Word
	}
	return s
}
