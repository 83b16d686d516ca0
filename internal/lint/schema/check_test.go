package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint/schema"
	"assay/internal/lint/source"
)

func documents(t testing.TB, name string) []source.Document {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []source.Document
	for _, c := range (&source.File{Name: name, Body: body}).Chunks() {
		doc, problems := c.Parse()
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		all = append(all, doc)
	}
	return all
}

func check(doc source.Document) []schema.Issue {
	return schema.Check(doc.Root.Get("apiVersion").Text(), doc.Root.Get("kind").Text(), doc.Root)
}

func TestGoodObjectsHaveNoIssues(t *testing.T) {
	for _, doc := range documents(t, "good.yaml") {
		for _, i := range check(doc) {
			t.Errorf("%d:%d %s %s: %s", i.At.Line(), i.At.Column(), i.Kind, i.Path, i.Message)
		}
	}
}

var want = regexp.MustCompile(`# want (\S+) (\S+)`)

// Each broken object has the issues that its comments name, on their lines, and none
// beside.
func TestBrokenObjects(t *testing.T) {
	body, err := os.ReadFile(filepath.Join("testdata", "broken.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for i, line := range strings.Split(string(body), "\n") {
		for _, m := range want.FindAllStringSubmatch(line, -1) {
			wanted = append(wanted, fmt.Sprintf("%d %s %s", i+1, m[1], m[2]))
		}
	}
	var got []string
	for _, doc := range documents(t, "broken.yaml") {
		for _, i := range check(doc) {
			p := i.Path
			if p == "" {
				p = "-"
			}
			got = append(got, fmt.Sprintf("%d %s %s", i.At.Line(), i.Kind, p))
			if testing.Verbose() {
				t.Logf("%d:%d %s", i.At.Line(), i.At.Column(), i.Message)
			}
		}
	}
	slices.Sort(wanted)
	slices.Sort(got)
	if d := cmp.Diff(wanted, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
