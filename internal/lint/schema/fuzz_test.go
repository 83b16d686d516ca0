package schema_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint/schema"
	"assay/internal/lint/source"
)

// mostSaid bounds a message: what an object holds is cut short in it.
const mostSaid = 1100

// mostTaken bounds checking one small object twice, on a machine that is busy.
const mostTaken = 5 * time.Second

// FuzzValue puts what is fuzzed in the place of one value of an object that is right.
// Whatever stands there, checking ends, says places that there are, in messages of a
// line that are not long, and says the same twice.
func FuzzValue(f *testing.F) {
	body, err := os.ReadFile(filepath.Join("testdata", "good.yaml"))
	if err != nil {
		f.Fatal(err)
	}
	objects := strings.Split(string(body), "\n---\n")
	for i, value := range []string{
		"null", "~", "''", `"\0\uFEFF\U0010FFFF"`, "!!binary aGk=", "!!timestamp 2026-11-30", "!foo bar", "&a [*a]", "[[[[[[[[]]]]]]]]", "{? {a: b} : c}",
		".inf", "-.inf", ".nan", "0x7fffffffffffffff", "99999999999999999999999", "-9223372036854775809", "1e400", "1e-400", "0o17", "1_000", "12:30:45", "yes", "=",
		"<<", "{<<: {a: b}}", "{<<: [{a: b}, 5]}", "{a: 1, a: 2}", "{1: 2, null: 3, [a]: b}", "|\n  a\n  b", "'''", "1Gi", "1e9999999999Gi", "{{ .Values.x }}", "${X}",
		strings.Repeat("a", 5000), strings.Repeat("[", 300) + strings.Repeat("]", 300), "{" + strings.Repeat("é", 3000) + ": x}",
		"[&a [x, x, x, x, x, x, x, x], &b [*a, *a, *a, *a, *a, *a, *a, *a], &c [*b, *b, *b, *b, *b, *b, *b, *b], [*c, *c, *c, *c, *c, *c, *c, *c]]",
	} {
		f.Add(uint16(i), uint16(7*i), value)
		f.Add(uint16(40+i), uint16(3*i), value)
	}
	f.Fuzz(func(t *testing.T, which, place uint16, value string) {
		object := objects[int(which)%len(objects)]
		file := &source.File{Name: "o.yaml", Body: replaced(t, object, int(place), value)}
		for _, c := range file.Chunks() {
			doc, problems := c.Parse()
			if len(problems) > 0 || !doc.Root.IsMap() {
				continue
			}
			begin := time.Now()
			first, again := said(t, doc, file), said(t, doc, file)
			if took := time.Since(begin); took > mostTaken {
				t.Errorf("it took %v", took)
			}
			if d := cmp.Diff(first, again); d != "" {
				t.Errorf("it says one thing and then another:\n%s", d)
			}
		}
	})
}

// said are the messages of a document's issues.
func said(t *testing.T, doc source.Document, file *source.File) []string {
	t.Helper()
	var all []string
	for _, i := range check(doc) {
		if i.At.Exists() && (i.At.Line() < 1 || i.At.Line() > file.Lines()) {
			t.Errorf("%s stands in line %d of %d", i.Path, i.At.Line(), file.Lines())
		}
		if len(i.Message) > mostSaid || !utf8.ValidString(i.Message) || strings.ContainsAny(i.Message, "\n\x00\x1b") {
			t.Errorf("a message of %d bytes: %.300q", len(i.Message), i.Message)
		}
		all = append(all, string(i.Kind)+" "+i.Path+" "+i.Message)
	}
	slices.Sort(all)
	return all
}

// replaced is an object with another text in the place of its scalar of a number.
func replaced(t *testing.T, object string, number int, value string) []byte {
	t.Helper()
	doc, _ := (&source.File{Name: "o", Body: []byte(object)}).Chunks()[0].Parse()
	var scalars []source.Value
	collect(doc.Root, &scalars)
	if len(scalars) == 0 {
		t.Fatalf("it has no scalar:\n%s", object)
	}
	at := scalars[number%len(scalars)]
	lines := bytes.Split([]byte(object), []byte("\n"))
	line := lines[at.Line()-1]
	begin := min(at.Column()-1, len(line))
	rest := line[begin:]
	if end := bytes.Index(rest, []byte(at.Text())); end >= 0 {
		rest = rest[end+len(at.Text()):]
	}
	lines[at.Line()-1] = slices.Concat(line[:begin], []byte(value), rest)
	return bytes.Join(lines, []byte("\n"))
}

func collect(v source.Value, scalars *[]source.Value) {
	if v.IsScalar() {
		*scalars = append(*scalars, v)
	}
	for _, item := range v.Items() {
		collect(item, scalars)
	}
	for _, item := range v.Pairs() {
		collect(item, scalars)
	}
}

// A schema that is not known, and names that lead out of a folder, say nothing.
func TestStrangeKinds(t *testing.T) {
	for _, kind := range []string{"", "../core", "NodePool/..", strings.Repeat("x", 10_000), "\x00"} {
		for _, api := range []string{"karpenter.sh/v1", "../derived/core", "a/b/c", "/", "example.com/v1"} {
			for _, i := range schema.Check(api, kind, source.Value{}) {
				if len(i.Message) > mostSaid {
					t.Errorf("a message of %d bytes: %.200q", len(i.Message), i.Message)
				}
			}
		}
	}
}
