package controlplane

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/test/require"
)

// server is an API server that runs, and the kubectl that its administrator uses.
type server struct {
	t          *testing.T
	bin        string
	kubeconfig string
}

// programs is the folder that holds those named.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	bin, err := filepath.Abs(filepath.Join("..", "..", ".cache", "bin"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
			require.Missing(t, require.Kubernetes, "test/controlplane/build.sh builds "+name)
		}
	}
	return bin
}

// start runs one until the test ends.
func start(t *testing.T) server {
	t.Helper()
	bin := programs(t, "etcd", "kube-apiserver", "kubectl")
	dir := filepath.Join(t.TempDir(), "run")
	t.Cleanup(func() {
		if out, err := exec.Command("./stop.sh", dir).CombinedOutput(); err != nil {
			t.Errorf("stop.sh: %v\n%s", err, out)
		}
	})
	cmd := exec.Command("./start.sh", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	cmd.Env = append(os.Environ(), "BIN_DIR="+bin)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("start.sh: %v\n%s", err, stderr.String())
	}
	return server{t, bin, strings.TrimSpace(string(out))}
}

// kubectl runs it with a manifest on its standard input.
func (s server) kubectl(manifest string, args ...string) {
	s.t.Helper()
	cmd := exec.Command(filepath.Join(s.bin, "kubectl"), append([]string{"--kubeconfig", s.kubeconfig}, args...)...)
	cmd.Stdin = strings.NewReader(manifest)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// create makes objects, and then gives them their status, which the API server
// takes by itself only.
func (s server) create(objects ...map[string]any) {
	s.t.Helper()
	bare := make([]map[string]any, len(objects))
	for i, o := range objects {
		bare[i] = maps.Clone(o)
		delete(bare[i], "status")
	}
	s.kubectl(encode(s.t, map[string]any{"apiVersion": "v1", "kind": "List", "items": bare}), "create", "-f", "-")
	for _, o := range objects {
		if status, ok := o["status"]; ok {
			s.status(o, status)
		}
	}
}

func (s server) status(object map[string]any, status any) {
	s.t.Helper()
	metadata := object["metadata"].(map[string]any)
	args := []string{"patch", strings.ToLower(object["kind"].(string)), metadata["name"].(string), "--subresource=status", "--type=merge",
		"-p", encode(s.t, map[string]any{"status": status})}
	if namespace, ok := metadata["namespace"].(string); ok {
		args = append(args, "-n", namespace)
	}
	s.kubectl("", args...)
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
