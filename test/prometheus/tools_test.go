package prometheus

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/test/require"
)

// tool is the path of promtool or prometheus, as build.sh leaves it or on PATH.
func tool(t testing.TB, name string) string {
	t.Helper()
	built, err := filepath.Abs(filepath.Join("..", "..", ".cache", "bin", name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(built); err == nil {
		return built
	}
	found, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrNotFound) {
		require.Missing(t, require.Prometheus, "test/prometheus/build.sh builds "+name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// The module's version v0.316.0 is release 3.16.0.
func TestBuiltVersionIsTheModules(t *testing.T) {
	gomod, err := os.ReadFile(filepath.Join("tools", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(gomod), "github.com/prometheus/prometheus v0.")
	if !found || len(rest) < 6 {
		t.Fatal("tools/go.mod names no version of Prometheus")
	}
	want := "version " + rest[:1] + "." + rest[1:3] + "." + rest[4:5]
	for _, name := range []string{"promtool", "prometheus"} {
		out, err := exec.Command(tool(t, name), "--version").CombinedOutput()
		if err != nil {
			t.Fatalf("%s --version: %v\n%s", name, err, out)
		}
		if !strings.Contains(string(out), want) {
			t.Errorf("%s is not %s; test/prometheus/build.sh builds it:\n%s", name, want, out)
		}
	}
}
