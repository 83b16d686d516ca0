package rules

import (
	"path/filepath"
	"testing"
)

// Servers as public projects and guides write them, in their forms of commands, images
// and hooks: what is wrong is found at its line, and nothing else.
func TestServersOfOthers(t *testing.T) {
	paths, err := filepath.Glob("testdata/served/*.yaml")
	if err != nil || len(paths) < 10 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { held(t, path) })
	}
}
