package report

import (
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// svg builds one drawing. Texts and attribute values are escaped here and
// nowhere else. Colours come from the page's style sheet by class.
type svg struct {
	b    strings.Builder
	open []string
}

// newSVG starts a drawing of w by h units with a title and a description for
// those who cannot see it.
func newSVG(w, h float64, class, title, desc string) *svg {
	s := &svg{}
	s.begin("svg", "viewBox", "0 0 "+px(w)+" "+px(h), "class", class, "role", "img", "aria-label", title+". "+desc, "xmlns", "http://www.w3.org/2000/svg")
	s.text("desc", desc)
	return s
}

// px prints a coordinate with a tenth of a unit: enough for the eye, and short.
func px(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64)
}

func (s *svg) tag(name string, attrs []string) {
	s.b.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		s.b.WriteString(" " + attrs[i] + `="` + html.EscapeString(attrs[i+1]) + `"`)
	}
}

// begin opens an element that end closes. attrs are names and values in turn.
func (s *svg) begin(name string, attrs ...string) {
	s.tag(name, attrs)
	s.b.WriteString(">")
	s.open = append(s.open, name)
}

func (s *svg) end() {
	last := len(s.open) - 1
	s.b.WriteString("</" + s.open[last] + ">")
	s.open = s.open[:last]
}

func (s *svg) empty(name string, attrs ...string) {
	s.tag(name, attrs)
	s.b.WriteString("/>")
}

func (s *svg) text(name, content string, attrs ...string) {
	s.tag(name, attrs)
	s.b.WriteString(">" + html.EscapeString(content) + "</" + name + ">")
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	s.empty("line", "x1", px(x1), "y1", px(y1), "x2", px(x2), "y2", px(y2), "class", class)
}

func (s *svg) rect(x, y, w, h float64, class string) {
	s.empty("rect", "x", px(x), "y", px(y), "width", px(max(w, 0)), "height", px(max(h, 0)), "class", class)
}

// label writes a text; anchor is start, middle or end.
func (s *svg) label(x, y float64, anchor, class, content string) {
	s.text("text", content, "x", px(x), "y", px(y), "text-anchor", anchor, "class", class)
}

// tipped opens a group that shows tip when pointed at.
func (s *svg) tipped(tip string) {
	s.begin("g", "class", "tip")
	s.text("title", tip)
}

// marker draws a level's point in the shape of its validity, so that colour
// is not needed to see it.
func (s *svg) marker(x, y, r float64, verdict string) {
	class := "pt " + markClass(verdict)
	switch verdict {
	case "valid":
		s.empty("circle", "cx", px(x), "cy", px(y), "r", px(r), "class", class)
	case "client-limited":
		s.empty("path", "d", path([]xy{{x, y - r*1.3}, {x + r*1.25, y + r*0.9}, {x - r*1.25, y + r*0.9}})+"Z", "class", class)
	case "unstable":
		s.empty("path", "d", path([]xy{{x, y - r*1.35}, {x + r*1.35, y}, {x, y + r*1.35}, {x - r*1.35, y}})+"Z", "class", class)
	default:
		s.empty("path", "d", path([]xy{{x - r, y - r}, {x + r, y + r}})+path([]xy{{x - r, y + r}, {x + r, y - r}}), "class", class)
	}
}

func markClass(verdict string) string {
	switch verdict {
	case "valid", "client-limited", "unstable":
		return verdict
	}
	return "invalid"
}

type xy struct{ X, Y float64 }

// path is the commands of a line through points.
func path(points []xy) string {
	var b strings.Builder
	for i, p := range points {
		if i == 0 {
			b.WriteString("M")
		} else {
			b.WriteString("L")
		}
		b.WriteString(px(p.X) + " " + px(p.Y))
	}
	return b.String()
}

// done closes what is open and gives the drawing to the template.
func (s *svg) done() template.HTML {
	for len(s.open) > 0 {
		s.end()
	}
	return template.HTML(s.b.String()) // every text and attribute went through html.EscapeString
}
