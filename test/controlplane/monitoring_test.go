package controlplane

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/manifest"
	"assay/test/require"
)

// The folder of `assay render monitoring` is one that kubectl apply -k takes.
func TestMonitoringIsAKustomization(t *testing.T) {
	kubectl, err := filepath.Abs(filepath.Join("..", "..", ".cache", "bin", "kubectl"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kubectl); err != nil {
		require.Missing(t, require.Kubernetes, "test/controlplane/build.sh builds kubectl")
	}
	files, err := manifest.Monitoring(manifest.Options{Namespace: "llm", Selector: "app=vllm", Knee: 48, KneeFrom: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(kubectl, "kustomize", dir).CombinedOutput()
	if err != nil {
		t.Fatalf("kubectl kustomize: %v\n%s", err, out)
	}
	// Each file but the kustomization is one object.
	if got, want := strings.Count("\n"+string(out), "\nkind: "), len(files)-1; got != want {
		t.Errorf("kubectl makes %d objects, want %d", got, want)
	}
}
