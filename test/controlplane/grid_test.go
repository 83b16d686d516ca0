package controlplane

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/manifest"
	"assay/internal/manifest/grid"
)

// TestTheAPIServerTakesTheGrid gives all that render writes over the grid to an API
// server, strictly, with the custom resources installed.
func TestTheAPIServerTakesTheGrid(t *testing.T) {
	s := start(t)
	s.install()
	s.kubectl("", "create", "namespace", "llm")
	s.kubectl("", "create", "namespace", "gpu-operator")
	var stream bytes.Buffer
	objects := 0
	for _, c := range grid.Cases() {
		files, err := c.Render()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for _, f := range files {
			if f.Beside || f.Name == "kustomization.yaml" {
				continue
			}
			fmt.Fprintf(&stream, "---\n# %s/%s\n%s", c.Name, f.Name, f.Body)
			objects++
		}
	}
	cmd := exec.Command(filepath.Join(s.bin, "kubectl"), "--kubeconfig", s.kubeconfig,
		"apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
	cmd.Stdin = &stream
	out, err := cmd.CombinedOutput()
	taken := strings.Count(string(out), "serverside-applied")
	if err != nil || taken != objects {
		t.Fatalf("the API server took %d of %d objects: %v\n%s", taken, objects, err, refusals(string(out)))
	}
	t.Logf("%d objects", objects)
}

// TestKubectlBuildsTheFolders: each folder is a kustomization that kubectl builds, into
// as many objects as it has files of them. A part of the grid is enough, since kustomize
// reads no more than names and kinds; the part meets each period of it.
func TestKubectlBuildsTheFolders(t *testing.T) {
	bin := programs(t, "kubectl")
	for i, c := range grid.Cases() {
		if i%13 != 0 {
			continue
		}
		files, err := c.Render()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		dir := t.TempDir()
		objects := 0
		for _, f := range files {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Body, 0o644); err != nil {
				t.Fatal(err)
			}
			if !f.Beside && f.Name != manifest.Kustomization {
				objects++
			}
		}
		cmd := exec.Command(filepath.Join(bin, "kubectl"), "kustomize", dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 {
			t.Errorf("%s: %v\n%s", c.Name, err, &stderr)
			continue
		}
		if got := bytes.Count(out, []byte("\nkind: ")); got != objects {
			t.Errorf("%s: kubectl kustomize wrote %d objects of %d", c.Name, got, objects)
		}
	}
}

// refusals are the lines that say what was not taken.
func refusals(out string) string {
	var kept []string
	for line := range strings.Lines(out) {
		if !strings.Contains(line, "serverside-applied") && len(kept) < 40 {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}
