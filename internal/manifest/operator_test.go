package manifest

import (
	"testing"

	monitoring1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Each object is what its kind's Go type has, no key more: a misspelt one would be
// dropped by the API server, or refused.
func TestObjectsAreOfTheirKind(t *testing.T) {
	kinds := map[string]func() any{
		"PrometheusRule": func() any { return &monitoring1.PrometheusRule{} },
		"ServiceMonitor": func() any { return &monitoring1.ServiceMonitor{} },
		"PodMonitor":     func() any { return &monitoring1.PodMonitor{} },
		"ConfigMap":      func() any { return &core.ConfigMap{} },
	}
	seen := map[string]bool{}
	for _, monitor := range []string{ServiceMonitor, PodMonitor} {
		for _, f := range monitoring(t, Options{Namespace: "llm", Selector: "app=vllm", Monitor: monitor, DCGMNamespace: "gpu", ReleaseLabel: "kps", RunbookURL: "https://runbooks.example", Knee: 48, KneeFrom: "a test"})[1:] {
			var o struct {
				Kind     string `json:"kind"`
				Metadata struct {
					Name string `json:"name"`
				} `json:"metadata"`
			}
			if err := yaml.Unmarshal(f.Body, &o); err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if kinds[o.Kind] == nil {
				t.Errorf("%s: kind %q", f.Name, o.Kind)
				continue
			}
			if err := yaml.UnmarshalStrict(f.Body, kinds[o.Kind]()); err != nil {
				t.Errorf("%s: %v", f.Name, err)
			}
			if o.Metadata.Name == "" {
				t.Errorf("%s: no name", f.Name)
			}
			seen[o.Kind] = true
		}
	}
	for kind := range kinds {
		if !seen[kind] {
			t.Errorf("no %s was written", kind)
		}
	}
	// The check is one that can fail.
	if err := yaml.UnmarshalStrict([]byte("kind: ServiceMonitor\nspec: {endpoint: []}\n"), &monitoring1.ServiceMonitor{}); err == nil {
		t.Error("a key that ServiceMonitor does not have was taken")
	}
}
