package report

import (
	"bytes"
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
