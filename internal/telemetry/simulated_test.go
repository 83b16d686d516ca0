package telemetry_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/telemetry"
)

// What the simulated engine, its GPUs and its node publish is in the catalogue,
// with its labels: a name that only one of the two knows is a mistake in one.
func TestSimulatedMetricsAreKnown(t *testing.T) {
	cfg, err := engine.Preset("2xH100", "llama-3.2-1b")
	if err != nil {
		t.Fatal(err)
	}
	server, err := httpd.Start(cfg, httpd.Options{MFUMetrics: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Shutdown(t.Context()) })
	for _, c := range []struct {
		path  string
		check func(telemetry.Snapshot) bool
	}{
		{"/metrics", func(s telemetry.Snapshot) bool { return s.Engine == "vllm" }},
		{"/dcgm/metrics", func(s telemetry.Snapshot) bool {
			g := telemetry.FoldGPU([]telemetry.Snapshot{s})
			return s.Empty() && g != nil && g.Count == 2 && strings.Contains(g.Model, "H100") && g.TempMaxC != nil
		}},
		{"/node/metrics", func(s telemetry.Snapshot) bool {
			n := telemetry.FoldNode([]telemetry.Snapshot{s})
			return s.Empty() && n != nil && n.CPUs != nil && *n.CPUs > 0
		}},
	} {
		text := get(t, server.URL()+c.path)
		parser := expfmt.NewTextParser(model.UTF8Validation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", c.path, err)
		}
		for name, family := range families {
			if strings.HasPrefix(name, "assay_sim_late_seconds") { // the simulator's own delay
				continue
			}
			_, n, ok := telemetry.Lookup(name)
			if !ok {
				t.Errorf("%s: the catalogue lacks %s", c.path, name)
				continue
			}
			for _, m := range family.Metric {
				for _, l := range m.Label {
					if len(n.Product) == 0 && !slices.Contains(n.Labels, l.GetName()) {
						t.Errorf("%s: %s has the label %s, which the catalogue does not give it", c.path, name, l.GetName())
					}
				}
			}
		}
		s, err := telemetry.Parse(strings.NewReader(text))
		if err != nil || !c.check(s) {
			t.Errorf("%s: %v; not read as what it is:\n%.2000s", c.path, err, text)
		}
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, resp.StatusCode, err)
	}
	return string(text)
}
