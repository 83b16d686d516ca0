package telemetry

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestPaths(t *testing.T) {
	for engine, want := range map[string][]string{
		"vllm": {"/metrics"}, "sglang": {"/metrics"}, "llama.cpp": {"/metrics"},
		"tensorrt-llm": {"/prometheus/metrics"}, "ollama": nil,
		"": {"/metrics", "/prometheus/metrics"}, "another": {"/metrics", "/prometheus/metrics"},
	} {
		if got := Paths(engine); !slices.Equal(got, want) {
			t.Errorf("Paths(%q) = %q, want %q", engine, got, want)
		}
	}
}

func TestWhyNone(t *testing.T) {
	for _, c := range []struct {
		engine string
		status int
		want   string
	}{
		{"llama.cpp", 501, "--metrics (HTTP 501"},
		{"llama.cpp", 404, "llama-server publishes metrics only with --metrics"},
		{"sglang", 404, "--enable-metrics"},
		{"ollama", 404, "publishes no metrics"},
		{"tensorrt-llm", 200, "return_perf_metrics"},
		{"triton", 404, "8002"},
		{"vllm", 200, "--disable-log-stats"},
		{"vllm", 404, "hides them"},
		{"lmdeploy", 404, "--enable-metrics"},
		{"vllm", 401, "need a key (HTTP 401)"},
		{"", 503, "HTTP 503"},
		{"", 0, "could not be reached"},
		{"", 200, "none of the engines' metrics"},
	} {
		if got := WhyNone(c.engine, c.status); !strings.Contains(got, c.want) {
			t.Errorf("WhyNone(%q, %d) = %q, want %q in it", c.engine, c.status, got, c.want)
		}
	}
}

func TestWhyNoneOf(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	_, notFound := Scrape(t.Context(), server.URL, server.Client())
	_, json := Parse(strings.NewReader("[]"))
	for _, c := range []struct {
		engine string
		err    error
		want   string
	}{
		{"vllm", notFound, "hides them"},
		{"", notFound, "HTTP 404"},
		{"", json, "none of the engines' metrics"},
		{"tensorrt-llm", json, "/prometheus/metrics"},
		{"vllm", nil, "--disable-log-stats"},
		{"", errors.New("refused"), "could not be reached"},
	} {
		if got := WhyNoneOf(c.engine, c.err); !strings.Contains(got, c.want) {
			t.Errorf("WhyNoneOf(%q, %v) = %q, want %q in it", c.engine, c.err, got, c.want)
		}
	}
}

// TensorRT-LLM's /metrics is a list of its iterations' statistics.
func TestJSONIsRecognised(t *testing.T) {
	for text, want := range map[string]bool{
		`[{"gpuMemUsage":5,"kvCacheStats":{"usedNumBlocks":1},"numActiveRequests":3}]`: true,
		" \n[]":                               true,
		`{"detail":"Not Found"}`:              true,
		`{ "detail" : "Not Found" }`:          true,
		"{}":                                  true,
		"{\"vllm:num_requests_running\"} 3\n": false,
		"{\"vllm:num_requests_running\", engine=\"0\"} 3\n": false,
		"vllm:num_requests_running 3\n":                     false,
		"":                                                  false,
	} {
		_, err := Parse(strings.NewReader(text))
		if got := errors.Is(err, errJSON); got != want {
			t.Errorf("%q: %v; is JSON %t, want %t", text, err, got, want)
		}
	}
}
