package rules

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/practice"
)

// want is what a comment of a case expects on its line.
var want = regexp.MustCompile(`# want ([a-z0-9 -]+)`)

// from is what a run measured, in the first line of cases that are linted with one.
var from = regexp.MustCompile(`^# from a run: (response|silence) (\S+)`)

func measured(t *testing.T, body []byte) *practice.Measured {
	m := from.FindSubmatch(body)
	if m == nil {
		return nil
	}
	d, err := time.ParseDuration(string(m[2]))
	if err != nil {
		t.Fatal(err)
	}
	if string(m[1]) == "silence" {
		return &practice.Measured{Run: "run-1", Silence: d}
	}
	return &practice.Measured{Run: "run-1", Response: d, ResponseName: "p99"}
}

// TestCases holds each rule against its two cases: the failing one gives exactly what
// its comments say, by all rules; the passing one gives nothing.
func TestCases(t *testing.T) {
	for _, r := range All() {
		if _, ok := made[r.ID]; ok || placed[r.ID] != "" || elsewhere[r.ID] != nil {
			continue
		}
		t.Run(r.ID, func(t *testing.T) {
			fails := find(t, r.ID, "fail")
			if !slices.ContainsFunc(fails, func(line string) bool { return strings.Contains(line, r.ID) }) {
				t.Errorf("the failing case does not expect %s", r.ID)
			}
			if more := find(t, r.ID, "pass"); len(more) > 0 {
				t.Errorf("the passing case expects findings: %v", more)
			}
		})
	}
}

// find runs all rules over a case and compares with what it wants, as "line: IDs".
func find(t *testing.T, id, which string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("cases", id+"."+which+".*"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s has no %s case (%v, %v)", id, which, paths, err)
	}
	return held(t, paths[0])
}

// held compares what all rules find in a file with what its comments want.
func held(t *testing.T, path string) []string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got := map[int][]string{}
	res := lint.Files([]*source.File{{Name: path, Body: body, Dockerfile: strings.HasSuffix(path, "Dockerfile")}}, lint.Options{Rules: All(), Measured: measured(t, body)})
	for _, f := range res.Findings {
		got[f.Line] = append(got[f.Line], f.ID)
	}
	expected := map[int][]string{}
	for i, line := range strings.Split(string(body), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			at := i + 1
			if strings.HasPrefix(line, "#") && strings.HasSuffix(path, "Dockerfile") {
				at++ // there a comment has a line of its own, before the one it speaks of
			}
			expected[at] = strings.Fields(m[1])
		}
	}
	for _, m := range []map[int][]string{got, expected} {
		for _, ids := range m {
			slices.Sort(ids)
		}
	}
	if d := cmp.Diff(expected, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
	var lines []string
	for _, ids := range expected {
		lines = append(lines, strings.Join(ids, " "))
	}
	return lines
}
