package report

import (
	"html/template"
	"math"
	"unicode/utf8"
)

// plot is a curve through levels on two axes.
type plot struct {
	Title, Desc string
	Class       string
	W, H        float64
	X, Y        axis
	Points      []point // in order of load
	Bands       []band
	Rules       []rule
	Ideal       []xy // a reference line, dashed
	IdealLabel  string
	Chosen      *point // the operating point
}

type axis struct {
	Title  string
	Log    bool
	AtData bool // ticks stand where the points are
}

type point struct {
	X, Y    float64
	Label   string
	Tip     string
	Verdict string // of validity
	Weak    bool   // Y is a lower percentile than the axis says
}

// band is a range on the X axis.
type band struct {
	Low, High float64
	Label     string
}

// rule is a limit on the Y axis.
type rule struct {
	At    float64
	Label string
}

// Room around the plotting area, for tick labels and titles.
const (
	plotLeft   = 58.0
	plotRight  = 18.0
	plotTop    = 34.0
	plotBottom = 46.0
	charWidth  = 7.1 // of the labels' font, on average
	tickEvery  = 76.0
)

// add leaves out a point that has no place in a chart.
func (p *plot) add(pt point) {
	if drawable(pt.X) && drawable(pt.Y) {
		p.Points = append(p.Points, pt)
	}
}

// choose marks the operating point where it has a place.
func (p *plot) choose(pt point) {
	if drawable(pt.X) && drawable(pt.Y) {
		p.Chosen = &pt
	}
}

func (p plot) draw() template.HTML {
	s := newSVG(p.W, p.H, "chart "+p.Class, p.Title, p.Desc)
	x0, x1, y0, y1 := plotLeft, p.W-plotRight, p.H-plotBottom, plotTop
	xs := p.scaleX(x0, x1)
	ys := p.scaleY(y0, y1)
	pl := &placer{x0: x0, x1: x1, y0: y1, y1: y0}

	for _, b := range p.Bands {
		drawBand(s, b, xs, y0, y1)
	}
	drawGrid(s, xs, ys, x0, x1, y0, y1)
	s.label(x0-plotLeft+4, y1-18, "start", "axis-title", p.Y.Title)
	s.label(x1, p.H-6, "end", "axis-title", p.X.Title)
	for _, r := range p.Rules {
		drawRule(s, pl, r, ys, x0, x1)
	}
	if len(p.Ideal) > 1 {
		p.drawIdeal(s, pl, xs, ys)
	}
	line := make([]xy, len(p.Points))
	for i, pt := range p.Points {
		line[i] = xy{xs.at(pt.X), ys.at(pt.Y)}
		pl.block(line[i].X, line[i].Y, 6)
	}
	curve := p.joined(line)
	pl.avoid(curve)
	s.empty("path", "d", path(curve), "class", "curve")
	if p.Chosen != nil {
		p.drawChosen(s, pl, xs, ys, x0, y0)
	}
	for i, pt := range p.Points {
		at := line[i]
		s.tipped(pt.Tip)
		s.empty("circle", "cx", px(at.X), "cy", px(at.Y), "r", "14", "class", "hit")
		s.marker(at.X, at.Y, 4.5, pt.Verdict)
		if pt.Weak {
			s.empty("circle", "cx", px(at.X), "cy", px(at.Y), "r", "7.5", "class", "weak")
		}
		if at, anchor, ok := pl.place(at, pt.Label, 10); ok {
			s.label(at.X, at.Y, anchor, "pt-label", pt.Label)
		}
		s.end()
	}
	return s.done()
}

// joined are the points that the curve goes through: those of a lower
// percentile would bend it, so they stand beside it where enough others do.
func (p plot) joined(line []xy) []xy {
	var out []xy
	for i, pt := range p.Points {
		if !pt.Weak {
			out = append(out, line[i])
		}
	}
	if len(out) < 2 {
		return line
	}
	return out
}

func (p plot) scaleX(x0, x1 float64) scale {
	low, high := math.Inf(1), 0.0
	for _, pt := range p.Points {
		low, high = min(low, pt.X), max(high, pt.X)
	}
	ticks := max(int((x1-x0)/tickEvery), 3)
	if p.X.Log {
		s := logarithmic(low, high, x0, x1, ticks)
		if p.X.AtData {
			s.Ticks = p.dataTicks(s)
		}
		return s
	}
	return linear(high*1.04, x0, x1, ticks)
}

// dataTicks are the points' places, as far as their labels have room.
func (p plot) dataTicks(s scale) []float64 {
	var out []float64
	last := math.Inf(-1)
	for _, pt := range p.Points {
		if x := s.at(pt.X); x-last > float64(utf8.RuneCountInString(short(pt.X)))*charWidth+6 {
			out, last = append(out, pt.X), x
		}
	}
	return out
}

// scaleY shows a limit only where it does not squeeze the curve flat.
func (p plot) scaleY(y0, y1 float64) scale {
	low, high := math.Inf(1), 0.0
	for _, pt := range p.Points {
		low, high = min(low, pt.Y), max(high, pt.Y)
	}
	if p.Chosen != nil {
		low, high = min(low, p.Chosen.Y), max(high, p.Chosen.Y)
	}
	for _, r := range p.Rules {
		if p.Y.Log || r.At < 2*high {
			low, high = min(low, r.At), max(high, r.At)
		}
	}
	ticks := max(int((y0-y1)/44), 3)
	if p.Y.Log {
		return logarithmic(low, high, y0, y1, ticks)
	}
	return linear(high*1.06, y0, y1, ticks)
}

func drawGrid(s *svg, xs, ys scale, x0, x1, y0, y1 float64) {
	for _, t := range ys.Ticks {
		y := ys.at(t)
		s.line(x0, y, x1, y, "grid")
		s.label(x0-8, y+4, "end", "tick", short(t))
	}
	s.line(x0, y0, x1, y0, "base")
	for _, t := range xs.Ticks {
		x := xs.at(t)
		s.line(x, y0, x, y0+4, "base")
		s.label(x, y0+18, "middle", "tick", short(t))
	}
}

func drawBand(s *svg, b band, xs scale, y0, y1 float64) {
	const least = 6 // pixels, so that a certain knee can still be seen
	a, z := xs.at(b.Low), xs.at(b.High)
	if z < a {
		a, z = z, a
	}
	if z-a < least {
		mid := (a + z) / 2
		a, z = mid-least/2, mid+least/2
	}
	a, z = max(a, xs.R0), min(z, xs.R1)
	s.tipped(b.Label)
	s.rect(a, y1, z-a, y0-y1, "knee")
	s.end()
	anchor, x := "middle", (a+z)/2
	half := float64(utf8.RuneCountInString(b.Label)) * charWidth / 2
	if x+half > xs.R1 {
		anchor, x = "end", min(z, xs.R1)
	}
	s.label(x, y1-6, anchor, "knee-label", b.Label)
}

func drawRule(s *svg, pl *placer, r rule, ys scale, x0, x1 float64) {
	y := ys.at(r.At)
	if y < ys.R1-1 || y > ys.R0+1 {
		return
	}
	s.line(x0, y, x1, y, "slo")
	s.label(x0+8, y-6, "start", "slo-label", r.Label)
	pl.blockRect(x0, y-18, x0+8+float64(utf8.RuneCountInString(r.Label))*charWidth, y+2)
}

// drawIdeal labels its line near its end, on the side where the curve
// cannot be: nothing grows faster than linearly.
func (p plot) drawIdeal(s *svg, pl *placer, xs, ys scale) {
	var line []xy
	for _, q := range p.Ideal {
		if q.Y <= ys.D1 {
			line = append(line, xy{xs.at(q.X), ys.at(q.Y)})
		}
	}
	if len(line) < 2 {
		return
	}
	s.empty("path", "d", path(line), "class", "ideal")
	end := line[len(line)-1]
	x, y := end.X-8, end.Y+16
	s.label(x, y, "end", "ideal-label", p.IdealLabel)
	pl.blockRect(x-float64(len(p.IdealLabel))*charWidth, y-12, x, y+4)
}

func (p plot) drawChosen(s *svg, pl *placer, xs, ys scale, x0, y0 float64) {
	at := xy{xs.at(p.Chosen.X), ys.at(p.Chosen.Y)}
	s.line(at.X, at.Y, at.X, y0, "chosen-line")
	s.line(x0, at.Y, at.X, at.Y, "chosen-line")
	s.tipped(p.Chosen.Tip)
	s.empty("circle", "cx", px(at.X), "cy", px(at.Y), "r", "10", "class", "chosen-ring")
	s.empty("circle", "cx", px(at.X), "cy", px(at.Y), "r", "4", "class", "chosen")
	pl.block(at.X, at.Y, 11)
	if lab, anchor, ok := pl.place(at, p.Chosen.Label, 15); ok {
		s.label(lab.X, lab.Y, anchor, "chosen-label", p.Chosen.Label)
	}
	s.end()
}

// placer finds room for labels: it tries the places around a point and takes
// the first that hits nothing.
type placer struct {
	x0, x1, y0, y1 float64 // the plotting area
	taken          [][4]float64
}

func (pl *placer) block(x, y, r float64) { pl.blockRect(x-r, y-r, x+r, y+r) }

func (pl *placer) blockRect(x0, y0, x1, y1 float64) {
	pl.taken = append(pl.taken, [4]float64{x0, y0, x1, y1})
}

// avoid keeps labels off a line by blocking small squares along it.
func (pl *placer) avoid(line []xy) {
	const every = 5.0
	for i := 1; i < len(line); i++ {
		a, b := line[i-1], line[i]
		n := math.Ceil(math.Hypot(b.X-a.X, b.Y-a.Y) / every)
		for k := 0.0; k <= n && n > 0; k++ {
			pl.block(a.X+(b.X-a.X)*k/n, a.Y+(b.Y-a.Y)*k/n, 1.5)
		}
	}
}

func (pl *placer) free(r [4]float64) bool {
	if r[0] < pl.x0-2 || r[2] > pl.x1+12 || r[1] < pl.y0-2 || r[3] > pl.y1+2 {
		return false
	}
	for _, t := range pl.taken {
		if r[0] < t[2] && t[0] < r[2] && r[1] < t[3] && t[1] < r[3] {
			return false
		}
	}
	return true
}

func (pl *placer) place(at xy, label string, away float64) (xy, string, bool) {
	const height, ascent = 14.0, 10.5
	w := float64(utf8.RuneCountInString(label))*charWidth + 4
	for _, far := range []float64{away, away * 1.7} {
		for _, c := range []struct {
			dx, dy float64
			anchor string
		}{
			{far, 4, "start"}, {-far, 4, "end"}, {0, -far, "middle"}, {0, far + ascent, "middle"},
			{far * 0.7, -far * 0.7, "start"}, {far * 0.7, far*0.7 + ascent, "start"},
			{-far * 0.7, -far * 0.7, "end"}, {-far * 0.7, far*0.7 + ascent, "end"},
		} {
			x, y := at.X+c.dx, at.Y+c.dy
			left := x - 2
			switch c.anchor {
			case "middle":
				left = x - w/2
			case "end":
				left = x - w + 2
			}
			r := [4]float64{left, y - ascent, left + w, y - ascent + height}
			if pl.free(r) {
				pl.taken = append(pl.taken, r)
				return xy{x, y}, c.anchor, true
			}
		}
	}
	return xy{}, "", false
}
