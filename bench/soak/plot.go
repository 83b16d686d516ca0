package main

import (
	"fmt"
	"math"
	"strings"
)

const (
	width, height            = 760, 300
	left, right, top, bottom = 60, 16, 44, 40
)

// plot is the memory of both processes over time as an SVG.
func (r *result) plot() string {
	most, last := 1.0, 1.0
	for _, s := range r.Samples {
		most, last = max(most, s.Bench, s.Sim), max(last, s.AtS)
	}
	step := niceStep(most / 4)
	most = math.Ceil(most/step) * step
	x := func(s float64) float64 { return left + s/last*(width-left-right) }
	y := func(mib float64) float64 { return height - bottom - mib/most*(height-top-bottom) }

	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	fmt.Fprintf(&b, `<text x="%d" y="18" font-size="14" font-weight="bold">Resident memory over %.0f minutes at %d streams, MiB</text>`+"\n", left, last/60, r.Streams)
	fmt.Fprintf(&b, `<text x="%d" y="34" fill="#1f5fbf">assay bench: %+.1f MiB an hour</text>`, left, r.Growth.PerHour)
	fmt.Fprintf(&b, `<text x="%d" y="34" fill="#8a8f98">assay sim: %+.1f MiB an hour</text>`+"\n", left+240, r.Sim.PerHour)
	for v := 0.0; v <= most; v += step {
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#e4e6ea"/><text x="%d" y="%.1f" text-anchor="end">%.0f</text>`+"\n",
			left, width-right, y(v), y(v), left-8, y(v)+4, v)
	}
	minutes := niceStep(last / 60 / 6)
	for m := 0.0; m*60 <= last; m += minutes {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%.0f min</text>`+"\n", x(m*60), height-bottom+18, m)
	}
	b.WriteString(curve(r.Samples, x, y, "#8a8f98", func(s sample) float64 { return s.Sim }))
	b.WriteString(curve(r.Samples, x, y, "#1f5fbf", func(s sample) float64 { return s.Bench }))
	b.WriteString("</svg>\n")
	return b.String()
}

func curve(samples []sample, x, y func(float64) float64, color string, of func(sample) float64) string {
	var points []string
	for _, s := range samples {
		points = append(points, fmt.Sprintf("%.1f,%.1f", x(s.AtS), y(of(s))))
	}
	return fmt.Sprintf(`<polyline fill="none" stroke="%s" stroke-width="1.5" points="%s"/>`+"\n", color, strings.Join(points, " "))
}

// niceStep is 1, 2 or 5 times a power of ten, at least v.
func niceStep(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(max(v, 1))))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= v {
			return n * power
		}
	}
	return 10 * power
}
