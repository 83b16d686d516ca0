package rules

import (
	"path/filepath"
	"testing"
)

// Whole objects as the practices' own documents write them, each with one thing in it
// that does not hold: that is found at its line, and nothing else. Files named ok-* hold
// nothing wrong.
func TestObjectsOfTheDocuments(t *testing.T) {
	paths, err := filepath.Glob("testdata/documents/*.*")
	if err != nil || len(paths) < 15 {
		t.Fatalf("%d documents, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { held(t, path) })
	}
}
