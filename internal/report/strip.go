package report

import (
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"assay/internal/record"
)

// strips are the timelines, one below the other on the same axis of time.
type strips struct {
	Lead         string
	Wide, Narrow []template.HTML
}

// strip is one quantity over time.
type strip struct {
	Title string
	Log   bool
	// Counted: 0 is the absence of events, not a reading.
	Counted bool
	Series  []line
}

// line is one series; NaN where nothing is known.
type line struct {
	Name, Class string
	Area        bool
	Values      []float64
}

// stretch is one level's place in time, in bins.
type stretch struct {
	label    string
	from, to float64
}

func stripsOf(run record.Run, f *folded) *strips {
	t := &f.time
	if len(t.bins) < 2 {
		return nil
	}
	all := []strip{
		{Title: "requests in flight", Series: []line{{Name: "in flight", Class: "s1", Area: true,
			Values: t.values(func(b *bin) (float64, bool) { return b.inFlight.max, b.inFlight.n > 0 })}}},
	}
	if f.seen {
		per := t.width.Seconds()
		if !wholeAnswers(group{Levels: run.Levels}) {
			all = append(all,
				strip{Title: "output tokens/s", Counted: true, Series: []line{{Name: "tokens/s", Class: "s1", Area: true,
					Values: t.values(func(b *bin) (float64, bool) { return b.tokens / per, true })}}},
				strip{Title: "TTFT by time sent, ms", Log: true, Series: []line{
					{Name: "p50", Class: "s1", Values: t.values(func(b *bin) (float64, bool) { return b.ttft.quantile(0.5), b.ttft.n > 0 })},
					{Name: "slowest", Class: "s2", Values: t.values(func(b *bin) (float64, bool) { return b.ttft.quantile(1), b.ttft.n > 0 })}}},
			)
		}
		all = append(all, strip{Title: "failed requests", Counted: true, Series: []line{{Name: "failed", Class: "bad", Area: true,
			Values: t.values(func(b *bin) (float64, bool) { return float64(b.failed), true })}}})
	}
	all = append(all,
		strip{Title: "server: requests", Series: []line{
			{Name: "running", Class: "s1", Values: t.values(func(b *bin) (float64, bool) { return b.over(func(s *sourceBin) *gauge { return &s.running }, false) })},
			{Name: "waiting", Class: "s2", Values: t.values(func(b *bin) (float64, bool) { return b.over(func(s *sourceBin) *gauge { return &s.waiting }, false) })}}},
		strip{Title: "server: KV cache in use, %", Series: []line{{Name: "KV cache %", Class: "s1", Area: true,
			Values: t.values(func(b *bin) (float64, bool) {
				v, ok := b.over(func(s *sourceBin) *gauge { return &s.kv }, true)
				return 100 * v, ok
			})}}},
	)
	all = append(all, t.gpuStrips()...)
	all = append(all,
		strip{Title: "client: send lateness p99, ms", Series: []line{{Name: "lateness p99", Class: "s1",
			Values: t.values(func(b *bin) (float64, bool) { return b.lagUS.max / 1000, b.lagUS.n > 0 })}}},
	)
	out := &strips{Lead: "The run from start to end, in steps of " + span(t.width) + ". Shaded stretches are the levels, named by their load."}
	levels := stretches(run, t)
	for _, s := range all {
		if !s.worthDrawing() {
			continue
		}
		out.Wide = append(out.Wide, s.draw("wide", wideW, t, levels))
		out.Narrow = append(out.Narrow, s.draw("narrow", narrowW, t, levels))
	}
	if len(out.Wide) == 0 {
		return nil
	}
	return out
}

func (t *timeline) values(of func(*bin) (float64, bool)) []float64 {
	out := make([]float64, len(t.bins))
	for i := range t.bins {
		out[i] = math.NaN()
		if v, ok := of(&t.bins[i]); ok && drawable(v) {
			out[i] = v
		}
	}
	return out
}

func stretches(run record.Run, t *timeline) []stretch {
	var out []stretch
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			out = append(out, stretch{g.label(l), l.Start.Sub(run.Start).Seconds() / t.width.Seconds(), l.End.Sub(run.Start).Seconds() / t.width.Seconds()})
		}
	}
	return out
}

// worthDrawing leaves out what nothing was known of, and counts that stayed 0.
func (s strip) worthDrawing() bool {
	for _, l := range s.Series {
		for _, v := range l.Values {
			if !math.IsNaN(v) && (v > 0 || !s.Counted) {
				return true
			}
		}
	}
	return false
}

func (s strip) bounds() (low, high float64) {
	low = math.Inf(1)
	for _, l := range s.Series {
		for _, v := range l.Values {
			if !math.IsNaN(v) {
				high = max(high, v)
				if v > 0 {
					low = min(low, v)
				}
			}
		}
	}
	return low, high
}

func (s strip) draw(class string, w float64, t *timeline, levels []stretch) template.HTML {
	const h, top, bottom = 148.0, 36.0, 22.0
	left, right := plotLeft, w-plotRight
	low, high := s.bounds()
	ys := linear(high*1.05, h-bottom, top, 3)
	if s.Log && high > 8*low {
		ys = logarithmic(low, high, h-bottom, top, 4)
	}
	n := float64(len(t.bins))
	at := func(i float64) float64 { return left + i/n*(right-left) }
	d := newSVG(w, h, "chart strip "+class, s.Title+" over time", "up to "+num(high)+" over "+span(time.Duration(len(t.bins))*t.width))
	d.label(4, 14, "start", "axis-title", s.Title)
	for _, l := range levels {
		x0, x1 := at(max(l.from, 0)), at(min(l.to, n))
		d.rect(x0, top-14, x1-x0-1, h-bottom-top+14, "stretch")
		if float64(utf8.RuneCountInString(l.label))*charWidth < x1-x0-2 {
			d.label((x0+x1)/2, top-3, "middle", "stretch-label", l.label)
		}
	}
	for _, y := range ys.Ticks {
		d.line(left, ys.at(y), right, ys.at(y), "grid")
		d.label(left-8, ys.at(y)+4, "end", "tick", short(y))
	}
	d.line(left, ys.R0, right, ys.R0, "base")
	timeTicks(d, t, at, w, h)
	for _, l := range s.Series {
		s.drawLine(d, l, ys, at)
	}
	if len(s.Series) > 1 {
		s.key(d, right)
	}
	d.empty("rect", "class", "probe hit", "x", px(left), "y", px(top-14), "width", px(right-left), "height", px(h-bottom-top+14),
		"data-step", strconv.FormatFloat(t.width.Seconds(), 'g', -1, 64))
	return d.done()
}

// key names the lines, at the top right.
func (s strip) key(d *svg, right float64) {
	x := right
	for i := len(s.Series) - 1; i >= 0; i-- {
		l := s.Series[i]
		d.label(x, 14, "end", "tick", l.Name)
		x -= float64(utf8.RuneCountInString(l.Name))*charWidth + 8
		d.line(x-18, 10, x, 10, "line "+l.Class)
		x -= 32
	}
}

func timeTicks(d *svg, t *timeline, at func(float64) float64, w, h float64) {
	total := t.width.Seconds() * float64(len(t.bins))
	step := niceSeconds(total / max(math.Floor(w/130), 3))
	for v := 0.0; v <= total*0.985; v += step {
		d.label(at(v/t.width.Seconds()), h-6, "middle", "tick", clock(v))
	}
}

func niceSeconds(v float64) float64 {
	for _, s := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200} {
		if s >= v {
			return s
		}
	}
	return math.Ceil(v/3600) * 3600
}

// clock prints seconds as m:ss, and as h:mm from an hour on.
func clock(s float64) string {
	whole := int(s)
	two := func(n int) string {
		if n < 10 {
			return "0" + strconv.Itoa(n)
		}
		return strconv.Itoa(n)
	}
	if whole >= 3600 {
		return strconv.Itoa(whole/3600) + " h " + two(whole/60%60)
	}
	return strconv.Itoa(whole/60) + ":" + two(whole%60)
}

// drawLine draws a series with its gaps, and leaves the values where the
// script finds them for its read-out.
func (s strip) drawLine(d *svg, l line, ys scale, at func(float64) float64) {
	var values []string
	var run []xy
	for _, v := range l.Values {
		if math.IsNaN(v) {
			values = append(values, "")
		} else {
			values = append(values, strconv.FormatFloat(v, 'g', 4, 64))
		}
	}
	d.begin("g", "class", "series", "data-name", l.Name, "data-values", strings.Join(values, ","))
	flush := func() {
		if len(run) > 0 {
			if l.Area {
				outline := append([]xy{{run[0].X, ys.R0}}, append(run, xy{run[len(run)-1].X, ys.R0})...)
				d.empty("path", "d", path(outline)+"Z", "class", "area "+l.Class)
			}
			d.empty("path", "d", path(run)+"h0", "class", "line "+l.Class) // h0 makes a lone point a dot
		}
		run = nil
	}
	for i, v := range l.Values {
		if math.IsNaN(v) {
			flush()
			continue
		}
		run = append(run, xy{at(float64(i) + 0.5), ys.at(v)})
	}
	flush()
	d.end()
}
