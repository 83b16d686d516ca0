package rules

import (
	"os"
	"path/filepath"
	"testing"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// Objects of services that have nothing to do with models give nothing to say: whoever
// lints a whole repository is told of what Assay knows, and of nothing else.
func TestOrdinaryObjectsAreSilent(t *testing.T) {
	paths, err := filepath.Glob("testdata/ordinary/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var files []*source.File
	for _, p := range paths {
		body, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, &source.File{Name: p, Body: body})
	}
	r := lint.Files(files, lint.Options{Rules: All()})
	if r.Objects < 50 {
		t.Errorf("%d objects, want at least 50", r.Objects)
	}
	for _, f := range r.Findings {
		t.Errorf("%s %s %s: %s", f.Place(), f.Status, f.ID, f.Message)
	}
}
