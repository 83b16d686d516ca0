package manifest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"assay/internal/lint"
	"assay/internal/lint/rules"
	"assay/internal/lint/source"
)

var goldenFile = regexp.MustCompile(`(?m)^-- (\S+\.yaml) --\n`)

// TestTrainAndSecretsLintClean holds the golden renderings against our own rules.
func TestTrainAndSecretsLintClean(t *testing.T) {
	var paths []string
	for _, pattern := range []string{"train-*.txt", "secrets-*.txt"} {
		more, err := filepath.Glob(filepath.Join("testdata", pattern))
		if err != nil || len(more) < 2 {
			t.Fatalf("%s: %v, %v", pattern, more, err)
		}
		paths = append(paths, more...)
	}
	for _, path := range paths {
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var files []*source.File
		for _, at := range goldenFile.FindAllSubmatchIndex(body, -1) {
			rest := body[at[1]:]
			if end := regexp.MustCompile(`(?m)^-- \S+ --\n`).FindIndex(rest); end != nil {
				rest = rest[:end[0]]
			}
			files = append(files, &source.File{Name: string(body[at[2]:at[3]]), Body: rest})
		}
		res := lint.Files(files, lint.Options{Rules: rules.All()})
		if res.Objects < 2 {
			t.Errorf("%s: %d objects read", path, res.Objects)
		}
		for _, f := range res.Findings {
			t.Errorf("%s: %s: %s %s: %s", path, f.Place(), f.Status, f.ID, f.Message)
		}
	}
}
