package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/source"
	"assay/internal/manifest"
)

// found are the findings in a text, as "line:column ID".
func found(t *testing.T, text string) []string {
	t.Helper()
	var all []string
	for _, f := range lint.Files([]*source.File{{Name: "t.yaml", Body: []byte(text)}}, lint.Options{Rules: All()}).Findings {
		all = append(all, strings.TrimPrefix(f.Place().String(), "t.yaml:")+" "+f.ID)
	}
	return all
}

func TestQueriesAreFoundWhereTheyStand(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"a block of lines", `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: a}
spec:
  groups:
    - name: a
      rules:
        - alert: Full
          expr: |
            max by (pod) (
              vllm:gpu_cache_usage_perc
            ) > 0.9
`, []string{"11:15 metric-removed"}},
		{"a dashboard in a ConfigMap", `apiVersion: v1
kind: ConfigMap
metadata: {name: board}
data:
  board.json: |
    {
      "panels": [
        {"targets": [{"expr": "sum(rate(vllm:time_per_output_token_seconds_sum{model_name=\"$model\"}[$__rate_interval]))"}]},
        {"panels": [{"targets": [{"expr": "max(vllm:gpu_cache_usage_perc)"}]}]}
      ]
    }
`, []string{"8:41 metric-removed", "9:48 metric-removed"}},
		{"rule files in a ConfigMap", `apiVersion: v1
kind: ConfigMap
metadata: {name: rules}
data:
  a.yml: |
    groups:
      - name: a
        rules:
          - alert: Full
            expr: vllm:kv_cache_usage_perc > 95
`, []string{"10:46 threshold-unit"}},
		{"a trigger of KEDA", `apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: {name: a}
spec:
  scaleTargetRef: {name: vllm}
  triggers:
    - type: prometheus
      metadata:
        serverAddress: http://prometheus:9090
        query: 'avg(vllm:gpu_cache_usage_perc{namespace="llm"})'
        threshold: "0.8"
`, []string{"10:21 metric-removed"}},
		{"old and new name for a fleet of both", `apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata: {name: a}
spec:
  groups:
    - name: a
      rules:
        - alert: Full
          expr: (vllm:kv_cache_usage_perc or vllm:gpu_cache_usage_perc) > 0.9
`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if d := cmp.Diff(tt.want, found(t, tt.text)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

// What assay writes passes what assay checks.
func TestOwnMonitoringIsClean(t *testing.T) {
	files, err := manifest.Monitoring(manifest.Options{Selector: "app=vllm", Namespace: "llm", Objective: 0.99, Knee: 30, KneeFrom: "a test", OperatingPoint: 20, OperatingFrom: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	var read []*source.File
	for _, f := range files {
		read = append(read, &source.File{Name: f.Name, Body: f.Body})
	}
	for _, f := range lint.Files(read, lint.Options{Rules: All()}).Findings {
		t.Errorf("%s %s: %s", f.Place(), f.ID, f.Message)
	}
}
