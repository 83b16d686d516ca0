package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// inferencePerfTool asks for completions: with random prompts it refuses chat.
var inferencePerfTool = tool{
	name: "inference-perf", python: "inference-perf", note: "time_per_output_token.mean",
	command: func(s setting) (client, error) {
		config := filepath.Join(s.dir, "in.yaml")
		lengths := func(n int) string {
			return fmt.Sprintf("{min: %d, max: %d, mean: %d, std_dev: 0, total_count: %d}", n, n, n, s.Requests)
		}
		text := fmt.Sprintf(`load:
  type: concurrent
  stages:
    - {num_requests: %d, concurrency_level: %d}
api: {type: completion, streaming: true}
server: {type: vllm, model_name: %s, base_url: %q, ignore_eos: true}
tokenizer: {pretrained_model_name_or_path: %q}
data:
  type: random
  input_distribution: %s
  output_distribution: %s
report:
  request_lifecycle: {summary: true, per_stage: true, per_request: false}
storage: {local_storage: {path: %q}}
`, s.Requests, s.Streams, s.model, s.url, s.paths.tokenizer(), lengths(promptTokens), lengths(outputTokens), filepath.Join(s.dir, "out"))
		return client{
			args: []string{s.paths.python("inference-perf", "inference-perf"), "--config_file", config},
			env:  []string{"HF_HUB_OFFLINE=1"},
		}, os.WriteFile(config, []byte(text), 0o644)
	},
	read: readInferencePerf,
}

func readInferencePerf(s setting) (Account, error) {
	type metric struct{ Mean, P99 *float64 }
	var r struct {
		Successes struct {
			Count   int
			Latency struct {
				TTFT metric `json:"time_to_first_token"`
				TPOT metric `json:"time_per_output_token"`
			}
			Throughput struct {
				Requests *float64 `json:"requests_per_sec"`
			}
		}
		Failures struct{ Count int }
	}
	if err := readJSON(filepath.Join(s.dir, "out", "stage_0_lifecycle_metrics.json"), &r); err != nil {
		return Account{}, err
	}
	l := r.Successes.Latency
	return Account{
		Completed: r.Successes.Count, Failed: r.Failures.Count, TTFTMean: seconds(l.TTFT.Mean), TTFTP99: seconds(l.TTFT.P99),
		ITLMean: seconds(l.TPOT.Mean), RequestsPerS: r.Successes.Throughput.Requests,
	}, nil
}
