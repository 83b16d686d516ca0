package report

import (
	"bytes"
	"strings"
	"testing"
)

func TestGrid(t *testing.T) {
	g := grid{Heads: []string{"option", "$/h", "empty", "SLO"}, Left: map[int]bool{3: true},
		Rows: [][]string{{"g5.xlarge-tp1-x1", "1.01", "", "met"}, {"g6", "12.00", "", "undecided"}}}
	var text, page bytes.Buffer
	w := newTextWriter(&text, TextOptions{})
	w.grid(g)
	w.w.Flush()
	want := "  option              $/h  SLO\n  g5.xlarge-tp1-x1   1.01  met\n  g6                12.00  undecided\n"
	if text.String() != want {
		t.Errorf("text:\n%s\nwant\n%s", text.String(), want)
	}
	markdownGrid(&page, g)
	if want := "| option | $/h | empty | SLO |\n|:--|--:|--:|:--|\n| g5.xlarge-tp1-x1 | 1.01 |  | met |\n| g6 | 12.00 |  | undecided |\n"; page.String() != want {
		t.Errorf("Markdown:\n%s\nwant\n%s", page.String(), want)
	}
}

func TestANarrowTerminalStacksTheCellsOfARow(t *testing.T) {
	g := words([]string{"run", "published", "", "note"}, [][]string{{"a-run", "1,039", "", strings.Repeat("far ", 12)}})
	var text bytes.Buffer
	w := newTextWriter(&text, TextOptions{Width: leastWidth})
	w.grid(g)
	w.w.Flush()
	if got := text.String(); !strings.HasPrefix(got, "  a-run\n    published 1,039; note far") || strings.Count(got, "\n") < 3 {
		t.Errorf("stacked:\n%s", got)
	}
}

func TestCellsThatAreMarkdownStay(t *testing.T) {
	g := words([]string{"run", "note"}, [][]string{{"[a](https://example.com)", "[b]"}})
	g.Marked = map[int]bool{0: true}
	var page bytes.Buffer
	markdownGrid(&page, g)
	if want := "| run | note |\n|:--|:--|\n| [a](https://example.com) | \\[b\\] |\n"; page.String() != want {
		t.Errorf("Markdown:\n%s\nwant\n%s", page.String(), want)
	}
}
