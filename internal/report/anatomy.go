package report

import (
	"html/template"
	"strings"
	"unicode/utf8"

	"assay/internal/record"
)

// part is one piece of a mean request, milliseconds.
type part struct {
	Key, Name string
	Waiting   bool // hatched: nobody works for the request meanwhile
	MS        float64
}

// partsToFirst are the parts up to the first token, in order of time. The
// server's own parts are there only where its metrics were in reach.
func partsToFirst(a record.Anatomy) []part {
	parts := []part{
		{"client", "client wait", true, clientWait(a)},
		{"connect", "connect", false, value(a.Connect)},
	}
	if !a.ServerKnown {
		return append(parts, part{"ttft", "to first token", false, value(a.FirstToken)})
	}
	return append(parts,
		part{"network", "network and gateway", false, value(a.Network)},
		part{"frontend", "frontend", false, value(a.Frontend)},
		part{"queue", "queue", true, value(a.Queue)},
		part{"prefill", "prefill", false, value(a.Prefill)},
	)
}

// clientWait leaves out the dialling, which happens within it.
func clientWait(a record.Anatomy) float64 { return max(value(a.ClientWait)-value(a.Connect), 0) }

func partsWhole(a record.Anatomy) []part {
	return append(partsToFirst(a),
		part{"decode", "decode", false, value(a.Decode)},
		part{"close", "close", false, value(a.Close)},
	)
}

// anatomy is the chart of mean requests cut into parts.
type anatomy struct {
	Lead         string
	First, Whole template.HTML
	Legend       []part
	Heads        []string
	Rows         [][]string
}

// most levels drawn in charts with a row a level.
const mostRows = 24

func anatomyOf(run record.Run) *anatomy {
	out := &anatomy{}
	var labels []string
	var all []record.Level
	known := false
	gs := groups(withResults(run.Levels))
	for _, g := range gs {
		for _, l := range g.Levels {
			if l.Anatomy.FirstToken == nil && l.Anatomy.Decode == nil || len(all) == mostRows {
				continue
			}
			label := g.label(l)
			if len(gs) > 1 {
				label = plain(g.Scenario) + " " + label
			}
			labels, all = append(labels, label), append(all, l)
			known = known || l.Anatomy.ServerKnown
		}
	}
	if len(all) == 0 {
		return nil
	}
	out.Lead = "A mean request of each level, from the moment it was due to the end of its stream. Hatched parts are waiting."
	if !known {
		out.Lead += " The server's metrics were out of reach, so the time to the first token stays in one piece."
	}
	first, whole := make([][]part, len(all)), make([][]part, len(all))
	for i, l := range all {
		first[i], whole[i] = shown(partsToFirst(l.Anatomy)), shown(partsWhole(l.Anatomy))
	}
	out.First = stacked("To the first token", "half", halfW, labels, first)
	out.Whole = stacked("The whole request", "half", halfW, labels, whole)
	out.legend(whole)
	out.table(labels, whole)
	return out
}

// shown are parts without lengths that no chart can show.
func shown(ps []part) []part {
	for i := range ps {
		if !drawable(ps[i].MS) {
			ps[i].MS = 0
		}
	}
	return ps
}

// legend names the parts that some level has, in order of time.
func (a *anatomy) legend(levels [][]part) {
	seen := map[string]bool{}
	for _, ps := range levels {
		for _, p := range ps {
			if p.MS > 0 {
				seen[p.Key] = true
			}
		}
	}
	order := []part{{Key: "client", Name: "client wait", Waiting: true}, {Key: "connect", Name: "connect"}, {Key: "ttft", Name: "to first token"},
		{Key: "network", Name: "network and gateway"}, {Key: "frontend", Name: "frontend"}, {Key: "queue", Name: "queue", Waiting: true},
		{Key: "prefill", Name: "prefill"}, {Key: "decode", Name: "decode"}, {Key: "close", Name: "close"}}
	for _, p := range order {
		if seen[p.Key] {
			a.Legend = append(a.Legend, p)
		}
	}
}

func (a *anatomy) table(labels []string, levels [][]part) {
	a.Heads = []string{"level"}
	for _, p := range a.Legend {
		a.Heads = append(a.Heads, p.Name)
	}
	for i, ps := range levels {
		row := []string{labels[i]}
		for _, want := range a.Legend {
			cell := none
			for _, p := range ps {
				if p.Key == want.Key {
					cell = num(p.MS)
				}
			}
			row = append(row, cell)
		}
		a.Rows = append(a.Rows, row)
	}
}

// stacked draws one bar a level, cut into parts.
func stacked(title, class string, w float64, labels []string, levels [][]part) template.HTML {
	const row, bar, top, bottom = 30.0, 18.0, 34.0, 42.0
	left := 14.0
	for _, l := range labels {
		left = max(left, 14+float64(utf8.RuneCountInString(l))*charWidth)
	}
	left = min(left+6, w/3)
	h := top + row*float64(len(levels)) + bottom
	most := 0.0
	for _, ps := range levels {
		most = max(most, total(ps))
	}
	xs := linear(most*1.1, left, w-plotRight, max(int((w-left)/tickEvery), 3))
	s := newSVG(w, h, "chart "+class, title, "mean milliseconds by part: "+wordsOf(labels, levels))
	s.label(4, 16, "start", "axis-title", title+", ms")
	y1 := h - bottom + 6
	for _, t := range xs.Ticks {
		x := xs.at(t)
		s.line(x, top-6, x, y1, "grid")
		s.label(x, y1+16, "middle", "tick", short(t))
	}
	for i, ps := range levels {
		y := top + row*float64(i) + (row-bar)/2
		s.label(left-10, y+bar/2+4.5, "end", "row-label", labels[i])
		at := 0.0
		for _, p := range ps {
			if p.MS <= 0 {
				continue
			}
			x0, x1 := xs.at(at), xs.at(at+p.MS)
			at += p.MS
			s.tipped(labels[i] + "\n" + p.Name + " " + millis(p.MS))
			s.rect(x0, y, max(x1-x0, 0.6), bar, "part "+p.Key)
			if p.Waiting {
				s.rect(x0, y, max(x1-x0, 0.6), bar, "hatched")
			}
			s.end()
		}
		s.label(xs.at(at)+6, y+bar/2+4.5, "start", "tick", num(at))
	}
	return s.done()
}

func total(ps []part) float64 {
	sum := 0.0
	for _, p := range ps {
		sum += max(p.MS, 0)
	}
	return sum
}

func wordsOf(labels []string, levels [][]part) string {
	var out []string
	for i, ps := range levels {
		var parts []string
		for _, p := range ps {
			if p.MS > 0 {
				parts = append(parts, p.Name+" "+num(p.MS))
			}
		}
		out = append(out, labels[i]+": "+strings.Join(parts, ", "))
	}
	return strings.Join(out, "; ")
}
