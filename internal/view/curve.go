package view

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// mark is a point of a chart of characters.
type mark struct {
	x, y float64
	sign rune
}

// logFrom is the ratio of the largest to the smallest load from which on the
// axis of loads is logarithmic.
const logFrom = 8

// chart draws marks into width × height characters, with a scale on the left
// from zero and the loads below. It is nil where there is nothing to draw or no
// room for it.
func chart(title string, marks []mark, width, height int) []string {
	marks = slices.DeleteFunc(slices.Clone(marks), func(m mark) bool {
		return !(m.x > 0) || !(m.y >= 0) || math.IsInf(m.x+m.y, 0)
	})
	const gutter = 8 // the scale
	plot := width - gutter
	if len(marks) == 0 || plot < 12 || height < 3 {
		return nil
	}
	slices.SortFunc(marks, func(a, b mark) int { return int(math.Copysign(1, a.x-b.x)) })
	top := niceTop(marks)
	column := columns(marks, plot-2)
	rows := make([][]rune, height)
	for i := range rows {
		rows[i] = []rune(strings.Repeat(" ", plot))
	}
	for _, m := range marks {
		row := height - 1 - int(math.Round(m.y/top*float64(height-1)))
		rows[row][column(m.x)] = m.sign
	}
	out := []string{title}
	for i, row := range rows {
		label, axis := "", "│"
		switch i {
		case 0:
			label, axis = short(top), "┤"
		case height - 1:
			label, axis = "0", "┤"
		}
		out = append(out, fmt.Sprintf("%*s %s%s", gutter-2, label, axis, strings.TrimRight(string(row), " ")))
	}
	return append(out, strings.Repeat(" ", gutter-1)+"└"+strings.Repeat("─", plot),
		strings.Repeat(" ", gutter)+loads(marks, column, plot))
}

// columns places a load between 0 and last.
func columns(marks []mark, last int) func(x float64) int {
	low, high := marks[0].x, marks[len(marks)-1].x
	scale := func(x float64) float64 { return x }
	if high/low >= logFrom {
		scale = math.Log
	}
	return func(x float64) int {
		if high == low {
			return last / 2
		}
		return int(math.Round((scale(x) - scale(low)) / (scale(high) - scale(low)) * float64(last)))
	}
}

// loads is the line below the axis; a label that would touch the one before it
// is left out.
func loads(marks []mark, column func(float64) int, width int) string {
	line := []rune(strings.Repeat(" ", width))
	free := 0
	for _, m := range marks {
		label := []rune(strconv.FormatFloat(m.x, 'g', 3, 64))
		at := min(column(m.x), width-len(label))
		if at < free {
			continue
		}
		copy(line[at:], label)
		free = at + len(label) + 1
	}
	return strings.TrimRight(string(line), " ")
}

// niceTop is the scale's end: 1, 2 or 5 times a power of ten, or between.
func niceTop(marks []mark) float64 {
	most := 0.0
	for _, m := range marks {
		most = max(most, m.y)
	}
	if most == 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(most)))
	for _, n := range []float64{1, 1.5, 2, 3, 4, 5, 6, 8} {
		if n*power >= most {
			return n * power
		}
	}
	return 10 * power
}

// short is a number in at most six characters.
func short(v float64) string {
	switch {
	case v >= 1e6:
		return strconv.FormatFloat(v/1e6, 'g', 3, 64) + "M"
	case v >= 1e4:
		return strconv.FormatFloat(v/1e3, 'g', 3, 64) + "k"
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
