package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// grid is a table of a plan: heads of one line, cells as they are printed.
type grid struct {
	Heads []string
	Left  map[int]bool // columns whose text stands left; the first always does
	Rows  [][]string
	Tones []string // SGR of each row; shorter: none
}

// grid prints a table without lines. Columns that no row fills are left out.
func (t *textWriter) grid(g grid) {
	ws := make([]int, len(g.Heads))
	filled := make([]bool, len(g.Heads))
	for c, h := range g.Heads {
		ws[c] = utf8.RuneCountInString(h)
		for _, r := range g.Rows {
			ws[c] = max(ws[c], utf8.RuneCountInString(r[c]))
			filled[c] = filled[c] || r[c] != ""
		}
	}
	line := func(cells []string) string {
		var b strings.Builder
		for c, cell := range cells {
			if !filled[c] {
				continue
			}
			pad := strings.Repeat(" ", ws[c]-utf8.RuneCountInString(cell))
			b.WriteString("  ")
			if c == 0 || g.Left[c] {
				b.WriteString(cell + pad)
			} else {
				b.WriteString(pad + cell)
			}
		}
		return strings.TrimRight(b.String(), " ")
	}
	t.line(t.style(line(g.Heads), dim))
	for i, r := range g.Rows {
		sgr := ""
		if i < len(g.Tones) {
			sgr = g.Tones[i]
		}
		t.line(t.style(line(r), sgr))
	}
}

// markdownGrid writes the same as a table of Markdown.
func markdownGrid(b *bytes.Buffer, g grid) {
	row := func(cells []string) {
		for _, c := range cells {
			b.WriteString("| " + md(c) + " ")
		}
		b.WriteString("|\n")
	}
	row(g.Heads)
	for c := range g.Heads {
		if c == 0 || g.Left[c] {
			b.WriteString("|:--")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for _, r := range g.Rows {
		row(r)
	}
}
