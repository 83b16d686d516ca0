package controlplane

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/cluster"
	"assay/internal/lint"
	"assay/internal/lint/rules"
)

// TestLintReadsACluster lints what an API server holds: with the role of the docs all
// kinds are read and Secrets are not; without it nothing is, and each kind is unknown.
func TestLintReadsACluster(t *testing.T) {
	s := start(t)
	s.install()
	s.namespace("llm")
	s.kubectl(`apiVersion: v1
kind: Secret
metadata: {name: hub, namespace: llm}
stringData: {token: hf_Jq8sVw2LxTn4RbYc6MdKf9GhPzUeXaCbVn}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: chat, namespace: llm}
spec:
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      terminationGracePeriodSeconds: 60
      containers:
        - name: vllm
          image: vllm/vllm-openai:v0.32.0
          args: [--model=Qwen/Qwen3-8B, --shutdown-timeout=60]
          lifecycle: {preStop: {sleep: {seconds: 10}}}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: serving, namespace: llm}
spec:
  groups:
    - name: serving
      rules: [{record: "llm:cache", expr: max(vllm:gpu_cache_usage_perc)}]
`, "apply", "-f", "-")
	o := cluster.Options{Kubeconfig: s.kubeconfig, Context: "assay"}
	bare := linted(t, o)
	if bare.Objects != 0 || bare.Summary.Fail != 0 || bare.Summary.Unknown < 30 {
		t.Errorf("without rights: %d objects, %+v", bare.Objects, bare.Summary)
	}
	s.kubectl(cluster.LintRole, "apply", "-f", "-")
	eventually(t, func() error {
		res := linted(t, o)
		found := map[string]string{}
		for _, f := range res.Findings {
			found[f.ID] = f.File
			if f.ID == "cluster-unread" || strings.Contains(f.Message+f.Text, "hf_Jq8s") {
				return fmt.Errorf("%s: %s", f.ID, f.Message)
			}
		}
		for id, file := range map[string]string{"grace-shorter-than-drain": "cluster/llm/deployments/chat", "metric-removed": "cluster/llm/prometheusrules/serving"} {
			if found[id] != file {
				return fmt.Errorf("%s is found in %q, want %s; all: %v", id, found[id], file, found)
			}
		}
		return nil
	})
}

func linted(t *testing.T, o cluster.Options) lint.Result {
	t.Helper()
	objects, err := cluster.Objects(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	res, err := lint.Run(t.Context(), objects, lint.Options{Rules: rules.All()})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
