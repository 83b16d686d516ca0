package source

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// parse reads a text; what it gives are its roots by "kind", and its problems by place.
func parse(t *testing.T, text string) (roots []Value, problems []string) {
	t.Helper()
	f := &File{Name: "x.yaml", Body: []byte(text), Named: true}
	if p := f.decode(); p != nil {
		return nil, []string{p.ID + " " + p.Place.String()}
	}
	for _, c := range f.Chunks() {
		doc, more := c.Parse()
		if doc.Root.IsMap() {
			roots = append(roots, doc.Root)
		}
		for _, p := range more {
			problems = append(problems, p.ID+" "+p.Place.String())
		}
	}
	return roots, problems
}

// at is "key@line:column" of the first document's key k, and so on.
func places(roots []Value) string {
	var all []string
	for _, r := range roots {
		v := r.Get("k")
		all = append(all, fmt.Sprintf("%s@%d:%d", v.Text(), v.Line(), v.Column()))
	}
	return strings.Join(all, " ")
}

func TestDocumentsOfAStream(t *testing.T) {
	for name, tt := range map[string]struct{ text, want, problems string }{
		"one":                       {"k: a", "a@1:4", ""},
		"several":                   {"k: a\n---\nk: b\n--- # c\nk: c\n", "a@1:4 b@3:4 c@5:4", ""},
		"empty ones":                {"---\n---\n# only this\n---\n\nk: a\n---\n", "a@6:4", ""},
		"a marker in a block":       {"k: |\n  a\n  ---\n  b\n---\nk: b\n", "a\n---\nb\n@1:4 b@6:4", ""},
		"dashes that are no marker": {"k: a\n---x: 1\n", "a@1:4", ""},
		"an end":                    {"k: a\n...\nk: b\n...\n", "a@1:4 b@3:4", ""},
		"directives":                {"%YAML 1.1\n# c\n---\nk: a\n...\n%YAML 1.1\n---\nk: b\n", "a@4:4 b@8:4", ""},
		"a broken one":              {"k: a\n---\nk: [\n---\nk: c\n", "a@1:4 c@5:4", "yaml-syntax x.yaml:3:1"},
		"a tab":                     {"k: a\n---\nk:\n\tb: 1\n---\nk: c\n", "a@1:4 c@6:4", "tab-indent x.yaml:4:1"},
		"DOS":                       {"k: a\r\n---\r\nk: b\r\n", "a@1:4 b@3:4", ""},
		"old Mac":                   {"k: a\r---\rk: b\r", "a@1:4 b@3:4", ""},
		"a byte order mark":         {"\ufeffk: a\n", "a@1:4", ""},
		"UTF-16":                    {"\xff\xfek\x00:\x00 \x00\xe9\x00\n\x00", "é@1:4", ""},
		"UTF-16, big":               {"\xfe\xff\x00k\x00:\x00 \x00\xe9", "é@1:4", ""},
		"characters, not bytes":     {"{é: ü, k: a}", "a@1:11", ""},
		"other breaks":              {"x: \"a\u0085b\"\nk: a\n", "a@2:4", ""},
		"a lone return":             {"x: 1\r\rk: a\nz: 2\n---\nk: b\n", "a@1:4 b@4:4", ""},
		"JSON":                      {"{\n\t\"k\": \"a\"\n}\n", "a@2:7", ""},
		"JSON values":               {"{\"k\":\"a}\"}\n{\"k\":\n\"b\"}", "a}@1:6 b@3:1", ""},
		"JSON values, one line":     {"{\"k\":\"é\"} {\"k\":\"b\"}{\n\"k\":\"c\"}{\"k\":[}", "é@1:6 b@1:16 c@2:5", "yaml-syntax x.yaml:2:15"},
		"JSON with surrogates":      {`{"s":"\ud83d\ude00","k":"a"}`, "a@1:25", ""},
		"binary":                    {"k: a\nx: \x00", "", "binary-file x.yaml:2:4"},
		"no UTF-8":                  {"k: a\nx: é\xff", "", "binary-file x.yaml:2:5"},
		"a replacement character":   {"k: \ufffd", "\ufffd@1:4", ""},
		"a key twice":               {"kind: X\nk: a\nk: b\n", "b@3:4", "duplicate-key x.yaml:3:1"},
		"a key twice, not ours":     {"k: a\nk: b\n", "b@2:4", ""},
		"a key twice, of many":      {"kind: X\n" + many(20) + "k: a\nk: b\n", "b@23:4", "duplicate-key x.yaml:23:1"},
		"a merge":                   {"a: &a {k: a, x: 1}\n<<: *a\n", "a@1:11", ""},
		"its own over a merge":      {"a: &a {k: a}\n<<: *a\nk: b\n", "b@3:4", ""},
		"merges":                    {"a: &a {k: a}\nb: &b {k: b}\n<<: [*a, *b]\n", "a@1:11", ""},
		"merge of a merge":          {"a: &a {k: a}\nb: &b {<<: *a}\n<<: *b\n", "a@1:11", ""},
		"a quoted merge key":        {"a: &a {k: a}\n\"<<\": *a\nk: b", "b@3:4", ""},
		"an alias":                  {"a: &a x\nk: *a\n", "x@2:4", ""},
		"holds itself":              {"k: &a [*a]\n", "", "yaml-too-large x.yaml:1:1"},
		"aliases that explode":      {bomb, "", "yaml-too-large x.yaml:1:1"},
		"nested deeply":             {"k: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "", "yaml-too-large x.yaml:1:1"},
		"nested beyond reason":      {"k: " + strings.Repeat("[", 100_000), "", "yaml-syntax x.yaml:1:10004"},
		"indented beyond reason":    {strings.Repeat("- ", 100_000), "", "yaml-syntax x.yaml:1:20001"},
		"long":                      {"k: a\nx: " + strings.Repeat("y", 9<<20), "", "yaml-too-large x.yaml:1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			roots, problems := parse(t, tt.text)
			if d := cmp.Diff(tt.want, places(roots)); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tt.problems, strings.Join(problems, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

const bomb = "a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\nk: [*f, *f, *f, *f, *f, *f, *f, *f, *f]\n"

// many are n keys, a line each.
func many(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "k%d: x\n", i)
	}
	return b.String()
}

// TestMergesThatExplode holds that mappings which merge each other stay within bounds.
func TestMergesThatExplode(t *testing.T) {
	var b strings.Builder
	b.WriteString("m0: &m0 {" + strings.ReplaceAll(strings.TrimSuffix(many(1000), "\n"), "\n", ", ") + "}\n")
	for i := 1; i < 2000; i++ {
		fmt.Fprintf(&b, "m%d: {<<: *m0, own%d: 1}\n", i, i)
	}
	if _, problems := parse(t, b.String()); len(problems) != 1 || !strings.HasPrefix(problems[0], "yaml-too-large") {
		t.Errorf("%v", problems)
	}
}

// TestALongListIsReadItemByItem holds a List against its objects, with their places.
func TestALongListIsReadItemByItem(t *testing.T) {
	var b strings.Builder
	b.WriteString("apiVersion: v1\nitems:\n")
	for i := range 8000 {
		fmt.Fprintf(&b, "- apiVersion: v1\n  kind: ConfigMap\n  k: v%d\n  data: |\n    # not a comment\n\n    - nor an item\n", i)
	}
	b.WriteString("kind: List\nmetadata:\n  resourceVersion: \"\"\n")
	roots, problems := parse(t, b.String())
	if len(roots) != 8000 || len(problems) > 0 {
		t.Fatalf("%d objects, %v", len(roots), problems)
	}
	if got := places(roots[7999:]); got != "v7999@55998:6" {
		t.Error(got)
	}
	if got := roots[0].Get("data").Text(); got != "# not a comment\n\n- nor an item\n" {
		t.Errorf("%q", got)
	}
}

// TestALongJSONListIsReadItemByItem holds the same of JSON, on lines of its own and on one.
func TestALongJSONListIsReadItemByItem(t *testing.T) {
	list := func(newline string) string {
		var b strings.Builder
		b.WriteString(`{"apiVersion": "v1",` + newline + `"items": [` + newline)
		for i := range 60_000 {
			if i > 0 {
				b.WriteString("," + newline)
			}
			fmt.Fprintf(&b, `{"kind": "ConfigMap",%s "k": "v%d", "data": {"a": "é \" ] } {"}, "items": []}`, newline, i)
		}
		return b.String() + newline + `], "kind": "List"}` + newline
	}
	for newline, want := range map[string]string{"\n": "v59999@120002:7", "": "v59999@1:4728869"} {
		roots, problems := parse(t, list(newline))
		if len(roots) != 60_000 || len(problems) > 0 {
			t.Fatalf("%q: %d objects, %v", newline, len(roots), problems)
		}
		if got := places(roots[59_999:]); got != want {
			t.Errorf("%q: %s, want %s", newline, got, want)
		}
	}
	if _, problems := parse(t, strings.Replace(list(""), `"kind": "List"`, `"kind": "Lost"`, 1)); len(problems) != 1 {
		t.Errorf("of no List: %v", problems)
	}
}

// kubectl reads YAML by sigs.k8s.io/yaml. These are read as it reads them.
func TestScalarsAreReadAsKubectlReadsThem(t *testing.T) {
	for _, text := range []string{"yes", "Yes", "on", "OFF", "y", "N", "true", "False", "'yes'", "\"on\"", "!!str yes", "!!bool yes",
		"0644", "0o644", "0x1F", "0b11", "1_000", "1e3", ".5", "+1", "-1", "1.", "12:30", "2001-12-14", "2001-12-14T21:59:43Z", "~", "null", "", "=", "x", "'1'", "!!int 7", "|\n  yes"} {
		var want struct {
			A any `json:"a"`
		}
		data, err := yaml.YAMLToJSON([]byte("a: " + text))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &want); err != nil {
			t.Fatal(err)
		}
		roots, problems := parse(t, "a: "+text)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		v := roots[0].Get("a")
		var got any
		switch v.Tag() {
		case "!!bool":
			got, _ = v.Bool()
		case "!!int":
			n, ok := v.Int()
			if !ok {
				t.Errorf("%s is no number", text)
			}
			got = float64(n)
		case "!!float":
			var n float64
			fmt.Sscan(v.Text(), &n)
			got = n
		case "!!str":
			got = v.Text()
		case "!!null":
		default:
			got = v.Tag()
		}
		if d := cmp.Diff(want.A, got); d != "" {
			t.Errorf("%q (-kubectl +assay): %s", text, d)
		}
	}
}

// What other programs read their own way is none of lint's.
func TestBrokenFilesOfOtherPrograms(t *testing.T) {
	for name, tt := range map[string]struct {
		file, text string
		named      bool
		want       int
	}{
		"JSON with comments":  {"tsconfig.json", "{ // x\n", false, 0},
		"the same, named":     {"tsconfig.json", "{ // x\n", true, 1},
		"a manifest in JSON":  {"a.json", "{\"apiVersion\": \"v1\",,\n", false, 1},
		"a template":          {"playbook.yaml", "a: {{ b }}: c\n", false, 0},
		"a manifest template": {"a.yaml", "apiVersion: v1\nkind: X\n{{ if x }}\n", false, 1},
		"plain YAML":          {"a.yaml", "a: [\n", false, 1},
	} {
		c := Chunk{File: &File{Name: tt.file, Named: tt.named}, Text: []byte(tt.text), Line: 1}
		if _, problems := c.Parse(); len(problems) != tt.want {
			t.Errorf("%s: %+v, want %d", name, problems, tt.want)
		}
	}
}
