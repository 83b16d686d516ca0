package controlplane

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// install gives the server every custom resource whose schema Assay carries, as their
// projects publish them, and waits until it serves them.
func (s server) install() {
	s.t.Helper()
	s.kubectl(definitions(s.t), "create", "--validate=false", "-f", "-")
	s.kubectl("", "wait", "--for=condition=Established", "crd", "--all", "--timeout=240s")
}

// definitions are the vendored CustomResourceDefinitions, as one stream.
func definitions(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "..", "internal", "lint", "schema", "vendored", "*.yaml.gz"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no definitions are vendored (%v)", err)
	}
	var all strings.Builder
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		r, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString("\n---\n")
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return all.String()
}
