package report

import (
	"html/template"
	"math"
	"unicode/utf8"

	"assay/internal/record"
	"assay/internal/stats"
)

// spreads are the distributions of each latency, one ridge a level.
type spreads struct {
	Lead   string
	Charts []template.HTML
}

type ridge struct {
	label   string
	verdict string
	dist    stats.Dist
	shape   *histogram // nil or empty: the requests are not at hand
}

func spreadsOf(run record.Run, f *folded) *spreads {
	gs := groups(withResults(run.Levels))
	rows := map[string][]ridge{}
	for _, g := range gs {
		for _, l := range g.Levels {
			if len(rows["ttft"]) == mostRows {
				break
			}
			label := g.label(l)
			if len(gs) > 1 {
				label = plain(g.Scenario) + " " + label
			}
			s := f.levels[l.ID]
			if s == nil {
				s = &shapes{}
			}
			rows["ttft"] = append(rows["ttft"], ridge{label, l.Validity.Verdict, l.TTFT, &s.ttft})
			rows["itl"] = append(rows["itl"], ridge{label, l.Validity.Verdict, l.ITL, &s.itl})
			rows["e2e"] = append(rows["e2e"], ridge{label, l.Validity.Verdict, l.E2E, &s.e2e})
		}
	}
	out := &spreads{Lead: "How the requests of each level spread. The hill shows where they lie, the bar runs from p50 to p95, the tick beyond it is p99, the line from the quickest to the slowest as far as the axis goes; a percentile that the samples do not support is not drawn."}
	for _, m := range []struct{ key, title string }{{"ttft", "TTFT"}, {"itl", "ITL"}, {"e2e", "E2E"}} {
		if c := ridges(m.title, rows[m.key]); c != "" {
			out.Charts = append(out.Charts, c)
		}
	}
	if len(out.Charts) == 0 {
		return nil
	}
	return out
}

// span is where most of a ridge lies: one request in fifty on either
// side may lie outside, or a single stray one would squeeze all the hills.
func (r ridge) span() (low, high float64, ok bool) {
	if r.dist.N == 0 || r.dist.Min == nil || r.dist.Max == nil {
		return 0, 0, false
	}
	low, high = *r.dist.Min, *r.dist.Max
	if r.shape != nil && r.shape.n > 0 {
		low, high = r.shape.quantile(0.02), r.shape.quantile(0.98)
	}
	for _, p := range []*float64{r.dist.P50, r.dist.P95, r.dist.P99} {
		if p != nil {
			low, high = min(low, *p), max(high, *p)
		}
	}
	return max(low, histogramLow), high, drawable(low) && drawable(high)
}

// Columns of a hill. The histogram's bins are finer than the eye.
const hillColumns = 72

func ridges(title string, rows []ridge) template.HTML {
	const w, row, top, bottom = 380.0, 38.0, 30.0, 42.0
	low, high, left := math.Inf(1), 0.0, 14.0
	var words string
	for _, r := range rows {
		left = max(left, 14+float64(utf8.RuneCountInString(r.label))*charWidth)
		if a, b, ok := r.span(); ok {
			low, high = min(low, a), max(high, b)
		}
		words += r.label + ": p50 " + opt(r.dist.P50) + ", p95 " + opt(r.dist.P95) + ", p99 " + opt(r.dist.P99) + "; "
	}
	if high <= 0 {
		return ""
	}
	left = min(left+4, w/3)
	h := top + row*float64(len(rows)) + bottom
	xs := logarithmic(low, high, left, w-plotRight, 5)
	s := newSVG(w, h, "chart third", title+" by level", title+" in ms: "+words)
	s.label(4, 16, "start", "axis-title", title+", ms")
	floor := h - bottom + 4
	for _, t := range xs.Ticks {
		x := xs.at(t)
		s.line(x, top-4, x, floor, "grid")
		s.label(x, floor+17, "middle", "tick", short(t))
	}
	for i, r := range rows {
		base := top + row*float64(i) + row - 8
		s.label(left-8, base-4, "end", "row-label", r.label)
		s.tipped(r.label + "\nn=" + count(r.dist.N) + "\np50 " + opt(r.dist.P50) + " ms, p95 " + opt(r.dist.P95) + " ms\np99 " + opt(r.dist.P99) + " ms, max " + opt(r.dist.Max) + " ms")
		s.rect(left, base-row+8, w-plotRight-left, row, "hit")
		s.line(left, base, w-plotRight, base, "grid")
		if _, _, ok := r.span(); ok {
			drawHill(s, r.shape, xs, base, row-12)
			drawMarks(s, r.dist, xs, base)
		}
		s.end()
	}
	return s.done()
}

// drawHill is the density over the logarithm of the value, smoothed a little.
func drawHill(s *svg, h *histogram, xs scale, base, height float64) {
	if h == nil || h.n == 0 {
		return
	}
	var cols [hillColumns + 2]float64
	for i, c := range h.bins {
		if c == 0 {
			continue
		}
		at := (xs.at(middle(i)) - xs.R0) / (xs.R1 - xs.R0) * hillColumns
		if at < 0 || at >= hillColumns {
			continue
		}
		cols[int(at)+1] += float64(c)
	}
	var smooth [hillColumns]float64
	most := 0.0
	for i := range smooth {
		smooth[i] = 0.25*cols[i] + 0.5*cols[i+1] + 0.25*cols[i+2]
		most = max(most, smooth[i])
	}
	if most == 0 {
		return
	}
	var points []xy
	for i, v := range smooth {
		before, after := 0.0, 0.0
		if i > 0 {
			before = smooth[i-1]
		}
		if i+1 < len(smooth) {
			after = smooth[i+1]
		}
		if v == 0 && before == 0 && after == 0 {
			continue
		}
		points = append(points, xy{xs.R0 + (float64(i)+0.5)/hillColumns*(xs.R1-xs.R0), base - v/most*height})
	}
	first, last := points[0], points[len(points)-1]
	outline := append([]xy{{first.X, base}}, append(points, xy{last.X, base})...)
	s.empty("path", "d", path(outline)+"Z", "class", "hill")
}

func drawMarks(s *svg, d stats.Dist, xs scale, base float64) {
	if d.Min != nil && d.Max != nil {
		s.line(max(xs.at(*d.Min), xs.R0), base, min(xs.at(*d.Max), xs.R1), base, "whisker")
	}
	if d.P50 != nil && d.P95 != nil {
		s.rect(xs.at(*d.P50), base-2.5, max(xs.at(*d.P95)-xs.at(*d.P50), 1), 5, "p50-95")
	}
	if d.P50 != nil {
		s.empty("circle", "cx", px(xs.at(*d.P50)), "cy", px(base), "r", "4", "class", "p50")
	}
	if d.P99 != nil {
		x := xs.at(*d.P99)
		s.line(x, base-6, x, base+6, "p99")
	}
}
