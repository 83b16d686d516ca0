package input

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadAllIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices.yaml")
	if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, name, err := ReadAll(path, 1<<20); err != nil || len(data) != 1<<20 || name != "prices.yaml" {
		t.Errorf("a file of just the bound: %d bytes, %q, %v", len(data), name, err)
	}
	if _, _, err := ReadAll(path, 1<<20-1); err == nil || !strings.Contains(err.Error(), "larger than") {
		t.Errorf("a file above the bound: %v", err)
	}
	if _, _, err := ReadAll(path+"x", 1); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
}

func TestKind(t *testing.T) {
	for mode, want := range map[os.FileMode]string{os.ModeDir: "folder", os.ModeNamedPipe: "pipe", os.ModeSocket: "socket", os.ModeDevice: "device"} {
		if got := Kind(mode); got != want {
			t.Errorf("%v is a %s, want %s", mode, got, want)
		}
	}
}
