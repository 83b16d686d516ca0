package rules

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// TestFixable mends the failing case of each rule that says it can: none of its
// findings that carried edits is found again, nothing else is found instead, and no
// comment is lost.
func TestFixable(t *testing.T) {
	for _, r := range All() {
		paths, _ := filepath.Glob(filepath.Join("cases", r.ID+".fail.*"))
		if len(paths) != 1 {
			continue // TestCases says so
		}
		t.Run(r.ID, func(t *testing.T) {
			body, err := os.ReadFile(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), filepath.Base(paths[0]))
			if err := os.WriteFile(path, body, 0o600); err != nil {
				t.Fatal(err)
			}
			read := func() lint.Reading {
				return source.Read(context.Background(), []string{path}, source.Options{})
			}
			opt := lint.Options{Rules: All()}
			before, err := lint.Run(context.Background(), read(), opt)
			if err != nil {
				t.Fatal(err)
			}
			carried := edits(before, r.ID)
			if !r.Fixable {
				if carried > 0 {
					t.Errorf("its findings carry edits, and the rule does not say Fixable")
				}
				return
			}
			if carried == 0 {
				t.Fatal("the rule says Fixable, and the findings of its case carry no edits")
			}
			after, fixed, err := lint.Fix(context.Background(), read, opt)
			if err != nil {
				t.Fatal(err)
			}
			if edits(after, r.ID) > 0 || len(after.Findings) >= len(before.Findings) {
				t.Errorf("after --fix it still says %+v", after.Findings)
			}
			for _, f := range fixed {
				if was, is := strings.Count(string(f.Before), "#"), strings.Count(string(f.After), "#"); is < was-carried {
					t.Errorf("%d comments became %d:\n%s", was, is, f.After)
				}
			}
		})
	}
}

// edits is how many findings of a rule can be mended.
func edits(res lint.Result, id string) int {
	n := 0
	for _, f := range res.Findings {
		if f.ID == id && len(f.Edits) > 0 {
			n++
		}
	}
	return n
}
