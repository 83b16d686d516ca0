package survey

import (
	"fmt"
	"testing"
	"time"

	"assay/internal/telemetry"
)

var epoch = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// sample is one scrape of an engine.
type sample struct {
	running, waiting, kv float64
	tokens, requests     float64 // since the process began
	start                float64 // of the process; 0: not said
}

func (s sample) at(t testing.TB, second int) telemetry.Snapshot {
	t.Helper()
	values := map[string]float64{
		`vllm:num_requests_running{model_name="m"}`:                          s.running,
		`vllm:num_requests_waiting{model_name="m"}`:                          s.waiting,
		`vllm:kv_cache_usage_perc{model_name="m"}`:                           s.kv,
		`vllm:generation_tokens_total{model_name="m"}`:                       s.tokens,
		`vllm:request_success_total{finished_reason="stop",model_name="m"}`:  s.requests,
		`vllm:request_success_total{finished_reason="error",model_name="m"}`: 0,
	}
	if s.start > 0 {
		values["process_start_time_seconds"] = s.start
	}
	one, err := telemetry.FromValues(epoch.Add(time.Duration(second)*time.Second), values)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// steady is an engine under one load for some seconds, a sample each second,
// going on from what was counted before.
func steady(t testing.TB, from, seconds int, running, waiting, tokensPerS float64, before sample) ([]telemetry.Snapshot, sample) {
	t.Helper()
	var all []telemetry.Snapshot
	s := before
	s.running, s.waiting = running, waiting
	for i := range seconds {
		all = append(all, s.at(t, from+i))
		s.tokens += tokensPerS
		s.requests += tokensPerS / 100
	}
	return all, s
}

// names of instances that the comparison marked.
func odd(instances []Instance) string {
	s := ""
	for _, i := range instances {
		if i.Odd {
			s += fmt.Sprintf("%s: %v\n", i.Name, i.Why)
		}
	}
	return s
}

func p(v float64) *float64 { return &v }
