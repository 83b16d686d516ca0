//go:build unix

package checkpoint

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A pipe that nobody writes to would be waited for at open, past every signal.
func TestPipesAreRefused(t *testing.T) {
	for _, name := range []string{"config.json", "m.safetensors", "m.gguf", "model.safetensors.index.json", "m"} {
		path := filepath.Join(t.TempDir(), name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "pipe") {
			t.Errorf("%s: %v, want the pipe refused", name, err)
		}
	}
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "config.json"), 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("a folder whose config.json is a pipe: %v", err)
	}
}
