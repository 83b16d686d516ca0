// Package vllm gives tests a real vLLM: a CPU build with a tiny model of random
// weights, which vllm.sh installs, starts and stops.
package vllm

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"assay/test/require"
)

// EnvURL names the variable with the base URL of a vLLM that already runs, with
// the model and the flags that vllm.sh gives it.
const EnvURL = "ASSAY_VLLM_URL"

// URL is the base URL of a real vLLM for as long as the test runs: the one that
// ASSAY_VLLM_URL names, else a fresh one as Start makes it.
func URL(t testing.TB) string {
	t.Helper()
	if url := os.Getenv(EnvURL); url != "" {
		return strings.TrimRight(url, "/")
	}
	if !require.Asked(require.VLLM) {
		require.Missing(t, require.VLLM, "start one with `test/vllm/vllm.sh install && test/vllm/vllm.sh start` and name it in "+EnvURL+", or set "+require.Env+"=vllm")
	}
	return Start(t)
}

// Start is the base URL of a vLLM of the test's own, with more options. It takes
// 13 s to start and 1.7 GB of memory, and is therefore started only where
// ASSAY_REQUIRE asks for it.
func Start(t testing.TB, options ...string) string {
	t.Helper()
	if !require.Asked(require.VLLM) {
		require.Missing(t, require.VLLM, "this test starts one of its own: `test/vllm/vllm.sh install` and set "+require.Env+"=vllm")
	}
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the path of this source file is not known")
	}
	script := filepath.Join(filepath.Dir(file), "vllm.sh")
	state := "STATE=" + t.TempDir()

	start := exec.CommandContext(t.Context(), script, append([]string{"start"}, options...)...)
	start.Env = append(os.Environ(), state)
	start.Stderr = os.Stderr
	out, err := start.Output()
	t.Cleanup(func() {
		stop := exec.Command(script, "stop")
		stop.Env = append(os.Environ(), state)
		if out, err := stop.CombinedOutput(); err != nil {
			t.Errorf("stop vLLM: %v\n%s", err, out)
		}
	})
	if err != nil {
		require.Missing(t, require.VLLM, "start it: "+err.Error())
	}
	return strings.TrimSpace(string(out))
}
