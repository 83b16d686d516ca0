package lint

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint/source"
)

// edited applies edits that are made of the first document of a text.
func edited(t *testing.T, text string, edits func(*Pass, source.Value) []Edit) string {
	t.Helper()
	f := &source.File{Name: "x.yaml", Body: []byte(text)}
	doc, problems := f.Chunks()[0].Parse()
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	all := edits(&Pass{File: f}, doc.Root)
	if all == nil {
		return "none"
	}
	body, made := Apply(f.Body, [][]Edit{all})
	if made != 1 {
		t.Errorf("the edits %+v were not made", all)
	}
	return string(body)
}

func set(text string, path ...string) func(*Pass, source.Value) []Edit {
	return func(p *Pass, root source.Value) []Edit { return p.SetScalar(root.Get(path...), text) }
}

func remove(key string, path ...string) func(*Pass, source.Value) []Edit {
	return func(p *Pass, root source.Value) []Edit { return p.Remove(root.Get(path...), key) }
}

func insert(after, text string, path ...string) func(*Pass, source.Value) []Edit {
	return func(p *Pass, root source.Value) []Edit { return p.Insert(root.Get(path...), after, text) }
}

func TestEdits(t *testing.T) {
	item := func(p *Pass, root source.Value) source.Value { return root.Get("l").Items()[0] }
	for _, c := range []struct {
		name, text string
		edits      func(*Pass, source.Value) []Edit
		want       string
	}{
		{"a number", "a:\n  b: 30 # grace\nc: 1\n", set("60", "a", "b"), "a:\n  b: 60 # grace\nc: 1\n"},
		{"quotes stay", "b: \"30\"\n", set("60", "b"), "b: \"60\"\n"},
		{"single quotes stay", "b: '3''0' #\n", set("it's", "b"), "b: 'it''s' #\n"},
		{"a text that would be a number", "b: x\n", set("60", "b"), "b: \"60\"\n"},
		{"behind wide characters", "{é: \"ü\", b: 世}\n", set("界", "b"), "{é: \"ü\", b: 界}\n"},
		{"behind CRLF", "a: 1\r\nb: 2\r\n", set("3", "b"), "a: 1\r\nb: 3\r\n"},
		{"an alias", "a: &x 1\nb: *x\n", set("2", "b"), "none"},
		{"an anchor", "a: &x 1\nb: *x\n", set("2", "a"), "none"},
		{"a block scalar", "a: |\n  x\n", set("y", "a"), "none"},
		{"text over two lines", "a: \"x\n  y\"\n", set("z", "a"), "none"},

		{"a key with what it holds", "a: 1\nb:\n  c: 2\n\n  # of c\n  d:\n  - 1\n# of e\ne: 3\n", remove("b"), "a: 1\n# of e\ne: 3\n"},
		{"a list as deep as its key", "b:\n- 1\n- 2\ne: 3\n", remove("b"), "e: 3\n"},
		{"the last of a file", "a: 1\nb: |\n  x\n  y", remove("b"), "a: 1\n"},
		{"the last key of all", "a:\n  b:\n    c: 1\nd: 2\n", remove("b", "a"), "a:\n  {}\nd: 2\n"},
		{"a key of a document", "a: 1\n---\nb: 2\n", remove("a"), "{}\n---\nb: 2\n"},
		{"the first key of an item", "l:\n- name: x # why\n  value: y\n", func(p *Pass, r source.Value) []Edit { return p.Remove(item(p, r), "name") }, "l:\n- value: y\n"},
		{"the second key of an item", "l:\n- name: x # why\n  value: y\n", func(p *Pass, r source.Value) []Edit { return p.Remove(item(p, r), "value") }, "l:\n- name: x # why\n"},
		{"a comment behind the first key", "l:\n- name: x\n  # y\n  value: y\n", func(p *Pass, r source.Value) []Edit { return p.Remove(item(p, r), "name") }, "none"},
		{"the first in flow", "a: {b: 1, c: [1, 2]}\n", remove("b", "a"), "a: {c: [1, 2]}\n"},
		{"the last in flow", "a: {b: 1, c: [1, 2] } # x\n", remove("c", "a"), "a: {b: 1 } # x\n"},
		{"flow over lines", "a: {b: 1,\n  c: 2}\n", remove("c", "a"), "none"},
		{"not there", "a: 1\n", remove("b"), "none"},

		{"behind a key", "a:\n  b:\n    c: 1\n  # of d\n  d: 2\n", insert("b", "x: 1\ny:\n  z: 2\n", "a"), "a:\n  b:\n    c: 1\n  x: 1\n  y:\n    z: 2\n  # of d\n  d: 2\n"},
		{"behind all", "a:\n  b: 1\n  d: |\n    x\nc: 1\n", insert("", "x: 1", "a"), "a:\n  b: 1\n  d: |\n    x\n  x: 1\nc: 1\n"},
		{"at the end without a newline", "a:\n  b: 1", insert("", "x: 1", "a"), "a:\n  b: 1\n  x: 1"},
		{"in an item", "l:\n- name: x\n- name: y\n", func(p *Pass, r source.Value) []Edit { return p.Insert(item(p, r), "", "v: 1") }, "l:\n- name: x\n  v: 1\n- name: y\n"},
		{"with CRLF", "a:\r\n  b: 1\r\nc: 2\r\n", insert("", "x: 1", "a"), "a:\r\n  b: 1\r\n  x: 1\r\nc: 2\r\n"},
		{"in flow", "a: {b: 1}\n", insert("", "x: 1", "a"), "a: {b: 1, x: 1}\n"},

		{"another name", "a:\n  old: # x\n    b: 1\n", func(p *Pass, r source.Value) []Edit { return p.Rename(r.Get("a"), "old", "new") }, "a:\n  new: # x\n    b: 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, edited(t, c.text, c.edits)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestRenderedTextIsNotEdited(t *testing.T) {
	f := &source.File{Name: "x.yaml", Body: []byte("a: 1\n"), Rendered: true}
	doc, _ := f.Chunks()[0].Parse()
	if e := (&Pass{File: f}).SetScalar(doc.Root.Get("a"), "2"); e != nil {
		t.Errorf("rendered text has edits %v", e)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Ring", "Ring"}, {"60", `"60"`}, {"true", `"true"`}, {"yes", `"yes"`}, {"", `""`}, {"a: b", `"a: b"`}, {"a #b", `"a #b"`}, {"0 9 * * 1-5", "0 9 * * 1-5"}, {"* x", `"* x"`}, {"10%", "10%"},
	} {
		if got := Plain(c.text); got != c.want {
			t.Errorf("Plain(%q) = %s, want %s", c.text, got, c.want)
		}
	}
}

func TestApply(t *testing.T) {
	body := "a: 1\nb: 2\n"
	one := func(line int, old, text string) []Edit { return []Edit{{line, 4, line, 5, old, text}} }
	for _, c := range []struct {
		name  string
		edits [][]Edit
		want  string
		made  int
	}{
		{"in any order", [][]Edit{one(2, "2", "5"), one(1, "1", "4")}, "a: 4\nb: 5\n", 2},
		{"the first wins", [][]Edit{one(1, "1", "4"), append(one(1, "1", "6"), one(2, "2", "7")...)}, "a: 4\nb: 2\n", 1},
		{"the text has changed", [][]Edit{one(1, "3", "4")}, body, 0},
		{"past the end", [][]Edit{one(9, "", "4")}, "a: 1\nb: 2\n4", 1},
		{"nothing", [][]Edit{nil}, body, 0},
	} {
		got, made := Apply([]byte(body), c.edits)
		if string(got) != c.want || made != c.made {
			t.Errorf("%s: %q and %d made, want %q and %d", c.name, got, made, c.want, c.made)
		}
	}
}

// TestLineOfLongText holds that a finding keeps a bounded part of its line, in whole
// characters, with what it points at.
func TestLineOfLongText(t *testing.T) {
	f := &source.File{Body: []byte("x\n" + strings.Repeat("é", 1000) + "ü" + strings.Repeat("é", 1000) + "\r\n")}
	for _, column := range []int{1, 1001, 2001} {
		text, begin := textOf(f, 2, column)
		runes := []rune(text)
		if len(text) > mostText || strings.Trim(text, "éü") != "" || begin > column || begin+len(runes) < column {
			t.Errorf("column %d of a long line is kept as %q from %d", column, text, begin)
		}
		if column == 1001 && runes[column-begin] != 'ü' {
			t.Errorf("column 1001 is %c in what is kept", runes[column-begin])
		}
	}
	if got, _ := textOf(f, 3, 1); got != "" {
		t.Errorf("a line past the end is %q", got)
	}
}
