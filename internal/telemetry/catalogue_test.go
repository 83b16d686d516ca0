package telemetry

import (
	"strings"
	"testing"
)

func TestCatalogue(t *testing.T) {
	quantities, metrics := map[Quantity]bool{}, map[string]Quantity{}
	for _, e := range Catalogue {
		if quantities[e.Quantity] {
			t.Errorf("%s stands twice", e.Quantity)
		}
		quantities[e.Quantity] = true
		if e.Help == "" || e.Unit == "" || len(e.Names) == 0 {
			t.Errorf("%s: help %q, unit %q, %d names; want each", e.Quantity, e.Help, e.Unit, len(e.Names))
		}
		for _, sentence := range append([]string{e.Help}, e.Traps...) {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%s: %q is not a sentence", e.Quantity, sentence)
			}
		}
		for _, n := range e.Names {
			of, there := metrics[n.Metric]
			switch {
			case there && !n.Also:
				t.Errorf("%s stands for %s and for %s", n.Metric, of, e.Quantity)
			case !there && n.Also:
				t.Errorf("%s belongs to %s alone", n.Metric, e.Quantity)
			}
			metrics[n.Metric] = e.Quantity
			if n.Engine == "" {
				t.Errorf("%s belongs to nobody", n.Metric)
			}
			if (n.Removed == "") != (n.Instead == "") {
				t.Errorf("%s is removed in %q and has %q instead", n.Metric, n.Removed, n.Instead)
			}
			if n.Default == (n.Enable != "") {
				t.Errorf("%s is there by default: %t, and is enabled by %q", n.Metric, n.Default, n.Enable)
			}
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		series string
		want   Quantity
		metric string
	}{
		{"vllm:kv_cache_usage_perc", KVUsage, "vllm:kv_cache_usage_perc"},
		{"vllm:gpu_cache_usage_perc", KVUsage, "vllm:gpu_cache_usage_perc"},
		{"vllm:num_preemptions_total", Preemptions, "vllm:num_preemptions_total"},
		{"vllm:num_preemptions", Preemptions, "vllm:num_preemptions_total"},
		{"vllm:num_preemptions_created", Preemptions, "vllm:num_preemptions_total"},
		{"vllm:time_to_first_token_seconds", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:time_to_first_token_seconds_bucket", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:time_to_first_token_seconds_sum", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:time_to_first_token_seconds_created", TTFT, "vllm:time_to_first_token_seconds"},
		{"vllm:iteration_tokens_total_count", IterationTokens, "vllm:iteration_tokens_total"},
		{"vllm:iteration_tokens_count", "", ""},
		{"vllm:time_to_first_token_seconds_total", "", ""},
		{"vllm:num_requests_running_bucket", "", ""},
		{"vllm:num_requests_running_total", "", ""},
		{"sglang:prompt_tokens_total", PromptTokens, "sglang:prompt_tokens_total"},
		{"tgi_request_input_length_sum", PromptTokens, "tgi_request_input_length_sum"},
		{"DCGM_FI_DEV_GPU_TEMP", GPUTemperature, "DCGM_FI_DEV_GPU_TEMP"},
		{"up", "up", "up"},
		{"vllm_num_requests_running", "", ""},
		{"", "", ""},
	} {
		e, n, ok := Lookup(c.series)
		if ok != (c.want != "") || e.Quantity != c.want || n.Metric != c.metric {
			t.Errorf("Lookup(%q) = %s, %s, %t; want %s, %s", c.series, e.Quantity, n.Metric, ok, c.want, c.metric)
		}
	}
}
