package vllm

import (
	"net/http"
	"strings"
	"testing"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Metrics are the families of one scrape, by name.
type Metrics map[string]*dto.MetricFamily

// Scrape reads a server's /metrics, strictly.
func Scrape(t testing.TB, url string) Metrics {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/plain") {
		t.Fatalf("%s/metrics answers %s with content type %q", url, resp.Status, kind)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		t.Fatalf("%s/metrics: %v", url, err)
	}
	return families
}

// Total sums all series of a family: a counter's or gauge's values, or a
// histogram's counts (name_count) or sums (name_sum).
func (m Metrics) Total(name string) float64 {
	sum := 0.0
	for _, s := range m[name].GetMetric() {
		sum += s.GetCounter().GetValue() + s.GetGauge().GetValue()
	}
	if base, ok := strings.CutSuffix(name, "_count"); ok {
		for _, s := range m[base].GetMetric() {
			sum += float64(s.GetHistogram().GetSampleCount())
		}
	}
	if base, ok := strings.CutSuffix(name, "_sum"); ok {
		for _, s := range m[base].GetMetric() {
			sum += s.GetHistogram().GetSampleSum()
		}
	}
	return sum
}
