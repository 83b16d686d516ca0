package contract

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"assay/test/vllm"
)

// ownLabels are families whose labels are the server's configuration and differ
// from one build to the next.
var ownLabels = map[string]bool{"vllm:cache_config_info": true}

// testMetricFamilies compares name, type, labels and buckets of every vllm:
// family, after requests have been served. The simulated engine leaves out none.
func testMetricFamilies(t *testing.T, url string) {
	got := map[string]string{}
	for name, f := range vllm.Scrape(t, url) {
		if strings.HasPrefix(name, "vllm:") {
			got[name] = describe(f)
		}
	}
	golden(t, "metrics.txt", strings.Join(slices.Sorted(maps.Values(got)), ""))
}

// describe is one line: name, type, labels and buckets of a family.
func describe(f *dto.MetricFamily) string {
	labels := map[string]bool{}
	var buckets []string
	for _, m := range f.GetMetric() {
		for _, l := range m.GetLabel() {
			labels[l.GetName()] = true
		}
		if h := m.GetHistogram(); h != nil {
			buckets = buckets[:0]
			for _, b := range h.GetBucket() {
				buckets = append(buckets, fmt.Sprintf("%g", b.GetUpperBound()))
			}
		}
	}
	names := strings.Join(slices.Sorted(maps.Keys(labels)), ",")
	if ownLabels[f.GetName()] {
		names = "..."
	}
	line := fmt.Sprintf("%s %s {%s}", f.GetName(), strings.ToLower(f.GetType().String()), names)
	if len(buckets) > 0 {
		line += " " + strings.Join(buckets, " ")
	}
	return line + "\n"
}

// testCounters compares the server's counters with a load that is known: four
// requests of 24 tokens, one of them with two choices.
func testCounters(t *testing.T, url string) {
	before := vllm.Scrape(t, url)
	prompt, generated := 0, 0
	for i := range 4 {
		choices := 1
		if i == 3 {
			choices = 2
		}
		got := post[answer](t, url+completionPath, object{
			"model": served, "prompt": fmt.Sprintf("%d: count these", time.Now().UnixNano()),
			"max_tokens": 24, "ignore_eos": true, "n": choices,
		})
		prompt += got.Usage.Prompt * choices // each choice is a request of the engine
		generated += got.Usage.Completion
	}
	if generated != 5*24 {
		t.Fatalf("usage adds up to %d tokens, asked for %d", generated, 5*24)
	}
	want := map[string]float64{
		"vllm:generation_tokens_total":                     float64(generated),
		"vllm:prompt_tokens_total":                         float64(prompt),
		"vllm:request_success_total":                       5,
		"vllm:e2e_request_latency_seconds_count":           5,
		"vllm:time_to_first_token_seconds_count":           5,
		"vllm:inter_token_latency_seconds_count":           5 * 23,
		"vllm:request_time_per_output_token_seconds_count": 5,
		"vllm:request_queue_time_seconds_count":            5,
		"vllm:request_prefill_time_seconds_count":          5,
		"vllm:request_decode_time_seconds_count":           5,
		"vllm:request_generation_tokens_sum":               float64(generated),
		"vllm:request_prompt_tokens_sum":                   float64(prompt),
		"vllm:num_preemptions_total":                       0,
		"vllm:num_requests_running":                        0,
		"vllm:num_requests_waiting":                        0,
	}
	// The engine counts a little after the client has its answer.
	var got map[string]float64
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		after := vllm.Scrape(t, url)
		got = map[string]float64{}
		for name := range want {
			got[name] = after.Total(name) - before.Total(name)
		}
		if cmp.Equal(want, got) {
			return
		}
	}
	t.Errorf("counters after a known load (-want +got):\n%s", cmp.Diff(want, got))
}
