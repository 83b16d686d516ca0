package report

import (
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"assay/internal/compare"
)

// mostDiffer bounds the differences of the runs that the terminal lists.
const mostDiffer = 12

// CompareText writes a comparison for a terminal: the verdict, the figures that
// changed (with all, every one), the gates and what else differs.
func CompareText(w io.Writer, c *compare.Comparison, all bool, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", comparedSentence(c), bold)
	t.line("")
	for _, s := range comparedSides(c) {
		t.wrap("  ", s, dim)
	}
	t.differences(c, all)
	blocks := comparedBlocks(c, all)
	ws := comparedWidths(blocks)
	for _, b := range blocks {
		t.line("")
		t.compared(b, ws)
	}
	t.gates(c)
	if lines := comparedRemarks(c); len(lines) > 0 {
		t.line("")
		for _, l := range lines {
			t.wrap("  ", l, dim)
		}
	}
	return t.w.Flush()
}

func (t *textWriter) differences(c *compare.Comparison, all bool) {
	if len(c.Differences) == 0 {
		return
	}
	t.line("")
	t.line("  " + t.style("differs besides what was measured", bold))
	for i, d := range c.Differences {
		if i == mostDiffer && !all {
			t.line("  " + t.style(fmt.Sprintf("and %d more (--all)", len(c.Differences)-i), dim))
			break
		}
		t.wrap("  ", fmt.Sprintf("%s: %s → %s", plain(d.What), plain(d.Base), plain(d.New)), "")
	}
}

// comparedWidths are those of the columns over all blocks.
func comparedWidths(blocks []comparedBlock) []int {
	ws := make([]int, len(comparedHeads))
	for i, h := range comparedHeads {
		ws[i] = utf8.RuneCountInString(h)
	}
	for _, b := range blocks {
		for _, r := range b.Rows {
			for i, cell := range r.Cells {
				ws[i] = max(ws[i], utf8.RuneCountInString(cell))
			}
		}
	}
	return ws
}

// dropped are the columns that a narrow terminal goes without, in this order:
// the change says what the values do.
var dropped = []string{"BASE", "NEW", "95 % interval"}

// comparedColumns are the indices of the columns that fit.
func (t *textWriter) comparedColumns(ws []int) []int {
	total := 2 - columnGap
	for _, w := range ws {
		total += w + columnGap
	}
	without := map[string]bool{}
	for _, h := range dropped {
		if total <= t.width {
			break
		}
		without[h] = true
		total -= ws[slices.Index(comparedHeads, h)] + columnGap
	}
	var shown []int
	for i, h := range comparedHeads {
		if !without[h] {
			shown = append(shown, i)
		}
	}
	return shown
}

// compared prints one block.
func (t *textWriter) compared(b comparedBlock, ws []int) {
	if len(b.Rows) == 0 {
		t.line("  " + t.style(b.Title, bold))
		for _, n := range b.Notes {
			t.wrap("  ", n, dim)
		}
		return
	}
	shown := t.comparedColumns(ws)
	var cols []column
	for _, i := range shown {
		cols = append(cols, column{Head: comparedHeads[i], Left: i == 0 || i == len(comparedHeads)-1})
	}
	pick := func(cells []string) (out []string, widths []int) {
		for _, i := range shown {
			out, widths = append(out, cells[i]), append(widths, ws[i])
		}
		return out, widths
	}
	heads, widths := pick(append([]string{b.Title}, comparedHeads[1:]...))
	if over := utf8.RuneCountInString(b.Title) - widths[0]; over > 0 {
		t.line("  " + t.style(b.Title, bold))
		heads[0] = ""
	}
	t.line("  " + t.styleStart(join(heads, cols, widths), b.Title, ""))
	for _, r := range b.Rows {
		cells, widths := pick(r.Cells)
		t.line("  " + t.style(join(cells, cols, widths), map[string]string{"good": green, "bad": red, "warn": yellow}[r.Tone]))
	}
	for _, n := range b.Notes {
		t.wrap("  ", n, dim)
	}
}

func (t *textWriter) gates(c *compare.Comparison) {
	if len(c.Gates) == 0 {
		return
	}
	t.line("")
	for _, g := range c.Gates {
		tone := map[string]string{compare.Failed: red, compare.Held: green}[g.Verdict]
		t.wrap("  ", gateLine(g), tone)
	}
}

// gateLine is a gate's outcome in a line.
func gateLine(g compare.Outcome) string {
	s := "gate " + plain(g.Gate) + ": " + plain(g.Verdict)
	if g.Level != "" {
		s += " at " + plain(g.Level)
	}
	if g.Why != "" {
		s += " (" + plain(g.Why) + ")"
	}
	return s
}
