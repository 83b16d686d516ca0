// Package require gives component tests the real programs that they run
// against, and decides what their absence means: a skip on a developer's
// machine, a failure where CI has asked for them.
package require

import (
	"os"
	"strings"
	"testing"
)

// The components that tests know.
const (
	VLLM     = "vllm"     // a real vLLM on the CPU
	Chromium = "chromium" // a browser without a screen
	Clients  = "clients"  // the openai clients for Python and Node
	// Prometheus is promtool and the Prometheus server.
	Prometheus = "prometheus"
	// Kubernetes is an API server, etcd and kubectl.
	Kubernetes = "kubernetes"
	Helm       = "helm"
)

var components = []string{VLLM, Chromium, Clients, Prometheus, Kubernetes, Helm}

// Env names the variable that lists, by commas, the components whose absence
// fails a test: for example "vllm,chromium,clients,prometheus,kubernetes,helm".
const Env = "ASSAY_REQUIRE"

// Asked says whether the environment requires the component.
func Asked(component string) bool {
	for name := range strings.SplitSeq(os.Getenv(Env), ",") {
		if strings.TrimSpace(name) == component {
			return true
		}
	}
	return false
}

// Missing ends a test whose component is not to be had: it skips, or fails
// where ASSAY_REQUIRE names the component. The reason says what to do.
func Missing(t testing.TB, component, reason string) {
	t.Helper()
	if Asked(component) {
		t.Fatalf("%s is required (%s=%s) and not to be had: %s", component, Env, os.Getenv(Env), reason)
	}
	t.Skipf("no %s: %s", component, reason)
}
