//go:build unix

package cli

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestKeyFilesAreRegularAndSmall(t *testing.T) {
	dir := t.TempDir()
	none := &Env{Getenv: func(string) string { return "" }}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	large := filepath.Join(dir, "large")
	write(t, large, strings.Repeat("k", mostKeyBytes+1))
	for path, want := range map[string]string{pipe: "pipe", large: "larger than 8 KiB", "/dev/zero": "device", dir: "folder"} {
		if _, err := readKey(none, "KEY", path); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--api-key-file") {
			t.Errorf("%s: %v, want %q in it", path, err, want)
		}
	}
	good := filepath.Join(dir, "good")
	write(t, good, "secret\n")
	if _, err := readKey(none, "KEY", good); err != nil {
		t.Error(err)
	}
}
