//go:build unix

package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func fifo(t *testing.T, path string) {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
}

// A pipe that nobody writes to would be waited for at open, past every signal.
func TestPipesAndDevicesAreRefused(t *testing.T) {
	dir := t.TempDir()
	fifo(t, filepath.Join(dir, RunFile))
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("Open: %v, want the pipe refused", err)
	}
	dir = t.TempDir()
	if err := os.Symlink("/dev/zero", filepath.Join(dir, RunFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "device") {
		t.Errorf("Open: %v, want the device refused", err)
	}

	dir = t.TempDir()
	if err := SaveRun(dir, newRun()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{RequestsFile, MetricsFile, ClientFile} {
		fifo(t, filepath.Join(dir, name))
	}
	f, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	err = f.Check()
	for _, name := range []string{RequestsFile, MetricsFile, ClientFile} {
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("Check: %v, want %s refused", err, name)
		}
	}
	if err := WriteFile(filepath.Join(dir, RequestsFile), nil); err == nil || !strings.Contains(err.Error(), "pipe") {
		t.Errorf("WriteFile: %v, want the pipe refused", err)
	}
}

func TestCreateFollowsNoLink(t *testing.T) {
	for _, name := range []string{RequestsFile, MetricsFile, ClientFile, RunFile} {
		dir, victim := t.TempDir(), filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("precious\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(dir, newRun()); err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s is a link: %v, want it refused", name, err)
		}
		if b, err := os.ReadFile(victim); err != nil || string(b) != "precious\n" {
			t.Errorf("%s: the file behind the link holds %q, %v", name, b, err)
		}
	}
}
