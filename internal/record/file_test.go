package record

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadFileIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(path, 4096); err != nil || len(b) != 4096 {
		t.Errorf("at the bound: %d bytes, %v", len(b), err)
	}
	if _, err := ReadFile(path, 2048); err == nil || !strings.Contains(err.Error(), "larger than 2 KiB") {
		t.Errorf("past the bound: %v", err)
	}
	if _, err := ReadFile(filepath.Dir(path), 4096); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a folder: %v", err)
	}
}

// Sparse files: both would take more memory than there is need for.
func TestLargeFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	if err := SaveRun(dir, newRun()); err != nil {
		t.Fatal(err)
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	grow(t, filepath.Join(dir, RequestsFile), mostLineBytes+2)
	if err := f.Check(); err == nil || !strings.Contains(err.Error(), RequestsFile+":1: the line is longer") {
		t.Errorf("a line without end: %v", err)
	}
}

func grow(t *testing.T, path string, size int64) {
	t.Helper()
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

func TestCreateExtendsNoLeftover(t *testing.T) {
	for i, name := range []string{RequestsFile, MetricsFile, ClientFile} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("{}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(dir, newRun()); err == nil || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "--out") {
			t.Errorf("a leftover %s: %v", name, err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("file %d: the refusal left %v, %v", i, entries, err)
		}
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		w, err := Create(dir, newRun())
		if err != nil {
			t.Fatalf("after the leftover is gone: %v", err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
