package source

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// writer writes random YAML whose scalars are all different, and numbers them.
type writer struct {
	t *rapid.T
	strings.Builder
	n int
}

func (w *writer) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(w.t, what) }

// word is a new scalar: its text stands in the file as it is, quoted or not.
func (w *writer) word() string {
	w.n++
	word := fmt.Sprintf("%s%d_", []string{"w", "é", "漢字", "🚀", "a b", "-x"}[w.pick("letters", 6)], w.n)
	switch w.pick("quotes", 3) {
	case 0:
		return "'" + word + "'"
	case 1:
		return "\"" + word + "\""
	}
	return word
}

// flow writes a value on one line.
func (w *writer) flow(depth int) string {
	var all []string
	switch kind := w.pick("flow", 4); {
	case depth == 0 || kind < 2:
		return w.word()
	case kind == 2:
		for range w.pick("length", 4) {
			all = append(all, w.flow(depth-1))
		}
		return "[" + strings.Join(all, []string{",", ", ", "  ,  "}[w.pick("comma", 3)]) + "]"
	}
	for range w.pick("length", 4) {
		all = append(all, w.word()+": "+w.flow(depth-1))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// block writes a value of lines, each of which begins with an indent, after what its
// first line may hold.
func (w *writer) block(indent string, depth int) {
	list := w.pick("list", 2) == 0
	for range 1 + w.pick("length", 4) {
		if w.pick("comment", 5) == 0 {
			w.WriteString(indent + "# é: [\n\n")
		}
		key := "-"
		if !list {
			key = w.word() + ":"
		}
		switch kind := w.pick("block", 4); {
		case depth > 0 && kind == 0:
			w.WriteString(indent + key + "\n")
			w.block(indent+"  ", depth-1)
		case kind == 1:
			w.n++
			fmt.Fprintf(w, "%s%s |  # literal\n%s    w%d_\n\n%s     more\n", indent, key, indent, w.n, indent)
		default:
			w.WriteString(indent + key + " " + w.flow(depth) + []string{"", " # c", "  "}[w.pick("after", 3)] + "\n")
		}
	}
}

// TestPlacesAreThoseOfTheText holds that the text of every value of a random stream
// stands in the file at the line and column that the value says.
func TestPlacesAreThoseOfTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &writer{t: t}
		for i := range 1 + w.pick("documents", 4) {
			if i > 0 {
				w.WriteString([]string{"---\n", "--- # c\n", "...\n---\n", "...\n# c\n"}[w.pick("marker", 4)])
			}
			w.block("", 3)
		}
		body := w.String()
		body = strings.ReplaceAll(body, "\n", []string{"\n", "\r\n"}[w.pick("break", 2)])
		body = []string{"", "\ufeff"}[w.pick("mark", 2)] + body
		f := &File{Name: "x.yaml", Body: []byte(body), Named: true}
		if p := f.decode(); p != nil {
			t.Fatalf("%+v of %q", p, body)
		}
		seen := 0
		for _, c := range f.Chunks() {
			doc, problems := c.Parse()
			if len(problems) > 0 {
				t.Fatalf("%+v of %q", problems, body)
			}
			budget := 1 << 20
			visit(doc.Root, &budget, func(v Value) {
				if v.IsScalar() && v.Tag() != "!!null" {
					seen++
					standsAt(t, f, v)
				}
			})
		}
		if seen < w.n {
			t.Fatalf("%d of %d scalars were read of %q", seen, w.n, body)
		}
	})
}

func standsAt(t *rapid.T, f *File, v Value) {
	line := []rune(string(f.Line(v.Line())))
	if v.Column() > len(line) {
		t.Fatalf("%q: column %d of %q", v.Text(), v.Column(), string(line))
	}
	text := strings.TrimLeft(string(line[v.Column()-1:]), `"'`)
	if strings.HasPrefix(text, "|") { // a literal block stands below
		first, _, _ := strings.Cut(v.Text(), "\n")
		text = strings.TrimSpace(string(f.Line(v.Line() + 1)))
		if text != first {
			t.Fatalf("%q stands at %q", v.Text(), text)
		}
		return
	}
	if !strings.HasPrefix(text, v.Text()) {
		t.Fatalf("%q stands at %q", v.Text(), text)
	}
}

// What stands in a line before the value is not searched, however many bytes its
// characters take.
func TestWithinBeginsAtTheValue(t *testing.T) {
	f := &File{Name: "x.yaml", Body: []byte("{ééé: rate, k: 'rate(a)'}\n")}
	doc, _ := f.Chunks()[0].Parse()
	if got := f.Within(doc.Root.Get("k"), 0, "rate"); got.Line() != 1 || got.Column() != 17 {
		t.Errorf("%d:%d, want 1:17", got.Line(), got.Column())
	}
	f = &File{Name: "x.yaml", Body: []byte("k: >-\n  a\n\n  b\n  rate\n")}
	doc, _ = f.Chunks()[0].Parse()
	if got := f.Within(doc.Root.Get("k"), 4, "rate"); got.Line() != 5 || got.Column() != 3 {
		t.Errorf("%d:%d of %q, want 5:3", got.Line(), got.Column(), doc.Root.Get("k").Text())
	}
}
