package peers

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// TestOursAgreeWithTheirs holds what is computed from the requests of a file
// beside the means that the tool itself gives in the same file, for the metrics
// whose definitions are the same on those answers: one token a chunk.
func TestOursAgreeWithTheirs(t *testing.T) {
	for _, c := range []struct {
		path, aggregates string
		metric           string
		keys             []string // to the mean, in milliseconds times unit
		unit             float64
	}{
		{"aiperf-0.13.0/ok-c2", "profile_export_aiperf.json", ttft, []string{"time_to_first_token", "avg"}, 1},
		{"aiperf-0.13.0/ok-c2", "profile_export_aiperf.json", itl, []string{"inter_token_latency", "avg"}, 1},
		{"aiperf-0.13.0/ok-c2", "profile_export_aiperf.json", icl, []string{"inter_chunk_latency", "avg"}, 1},
		{"aiperf-0.13.0/failed-c8", "profile_export_aiperf.json", e2e, []string{"request_latency", "avg"}, 1},
		{"aiperf-0.13.0/failed-c8", "profile_export_aiperf.json", itl, []string{"inter_token_latency", "avg"}, 1},
		{"guidellm-0.8.1/failed-c8.json", "", ttft, []string{"benchmarks", "metrics", "time_to_first_token_ms", "successful", "mean"}, 1},
		{"guidellm-0.8.1/failed-c8.json", "", itl, []string{"benchmarks", "metrics", "inter_token_latency_ms", "successful", "mean"}, 1},
		{"guidellm-0.8.1/failed-c8.json", "", e2e, []string{"benchmarks", "metrics", "request_latency", "successful", "mean"}, 1000},
		{"inference-perf-0.7.0/ok-c2_8", "stage_0_lifecycle_metrics.json", ttft, []string{"successes", "latency", "time_to_first_token", "mean"}, 1000},
		{"inference-perf-0.7.0/ok-c2_8", "stage_0_lifecycle_metrics.json", e2e, []string{"successes", "latency", "request_latency", "mean"}, 1000},
		{"vllm-0.32.0/ok-c2.json", "", e2e, []string{"mean_e2el_ms"}, 1},
		{"vllm-0.32.0/ok-c2.json", "", itl, []string{"mean_tpot_ms"}, 1},
	} {
		f, err := Open(filepath.Join("testdata", c.path))
		if err != nil {
			t.Fatal(err)
		}
		d := f.Run.Levels[0].Metric(c.metric)
		theirs := meanIn(t, filepath.Join("testdata", c.path, c.aggregates), c.keys) * c.unit
		// One part in ten thousand is what rounding to microseconds leaves.
		if d.Mean == nil || math.Abs(*d.Mean-theirs) > 1e-4*theirs {
			t.Errorf("%s: mean %s is %v, the file says %g", c.path, c.metric, value(d.Mean), theirs)
		}
	}
}

func meanIn(t *testing.T, path string, keys []string) float64 {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var at any
	if err := json.Unmarshal(b, &at); err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		at = at.(map[string]any)[k]
		if list, ok := at.([]any); ok {
			at = list[0]
		}
	}
	return at.(float64)
}
