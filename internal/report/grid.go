package report

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// grid is a table of a plan: heads of one line, cells as they are printed.
type grid struct {
	Heads  []string
	Words  bool         // all columns stand left
	Left   map[int]bool // else those whose text stands left; the first always does
	Marked map[int]bool // columns whose cells are Markdown already
	Rows   [][]string
	Tones  []string // SGR of each row; shorter: none
}

// words is a grid whose columns all stand left.
func words(heads []string, rows [][]string) grid { return grid{Heads: heads, Words: true, Rows: rows} }

// IsLeft says whether a column's text stands left.
func (g grid) IsLeft(c int) bool { return c == 0 || g.Words || g.Left[c] }

// tone is the SGR of a row.
func (g grid) tone(row int) string {
	if row < len(g.Tones) {
		return g.Tones[row]
	}
	return ""
}

// widths of the columns, in characters; 0 of those that no row fills.
func (g grid) widths() []int {
	ws := make([]int, len(g.Heads))
	for c, h := range g.Heads {
		filled := false
		for _, r := range g.Rows {
			ws[c] = max(ws[c], utf8.RuneCountInString(r[c]))
			filled = filled || r[c] != ""
		}
		if filled {
			ws[c] = max(ws[c], utf8.RuneCountInString(h))
		}
	}
	return ws
}

// grid prints a table without lines, but for columns that no row fills. Where a
// terminal is narrower, the cells of a row follow each other under its first one.
func (t *textWriter) grid(g grid) {
	ws := g.widths()
	total := 0
	for _, w := range ws {
		if w > 0 {
			total += w + 2
		}
	}
	if t.terminal && total > t.width {
		t.stacked(g)
		return
	}
	t.line(t.style(g.line(ws, g.Heads), dim))
	for i, r := range g.Rows {
		t.line(t.style(g.line(ws, r), g.tone(i)))
	}
}

func (g grid) line(widths []int, cells []string) string {
	var b strings.Builder
	for c, cell := range cells {
		if widths[c] == 0 {
			continue
		}
		pad := strings.Repeat(" ", widths[c]-utf8.RuneCountInString(cell))
		b.WriteString("  ")
		if g.IsLeft(c) {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	return strings.TrimRight(b.String(), " ")
}

func (t *textWriter) stacked(g grid) {
	for i, r := range g.Rows {
		t.wrap("  ", r[0], bold)
		var cells []string
		for c, cell := range r[1:] {
			if cell != "" {
				cells = append(cells, strings.TrimSpace(g.Heads[c+1]+" "+cell))
			}
		}
		t.wrap("    ", strings.Join(cells, "; "), g.tone(i))
	}
}

// markdownGrid writes the same as a table of Markdown.
func markdownGrid(b *bytes.Buffer, g grid) {
	row := func(cells []string, marked map[int]bool) {
		for c, cell := range cells {
			if !marked[c] {
				cell = md(cell)
			}
			b.WriteString("| " + cell + " ")
		}
		b.WriteString("|\n")
	}
	row(g.Heads, nil)
	for c := range g.Heads {
		if g.IsLeft(c) {
			b.WriteString("|:--")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for _, r := range g.Rows {
		row(r, g.Marked)
	}
}
