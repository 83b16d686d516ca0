package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
)

var aiperfTool = tool{
	name: "AIPerf", python: "aiperf", note: "inter_token_latency.avg",
	command: func(s setting) (client, error) {
		return client{
			args: []string{
				s.paths.python("aiperf", "aiperf"), "profile", "-m", s.model, "-u", s.url,
				"--endpoint-type", "chat", "--streaming", "--concurrency", strconv.Itoa(s.Streams),
				"--request-count", strconv.Itoa(s.Requests), "--tokenizer", s.paths.tokenizer(),
				"--isl", strconv.Itoa(promptTokens), "--osl", strconv.Itoa(outputTokens),
				"--extra-inputs", "ignore_eos:true", "--use-server-token-count",
				"--ui", "simple", "--no-gpu-telemetry", "--no-server-metrics",
				"--output-artifact-dir", filepath.Join(s.dir, "out"),
			},
			// With the hub's offline switch it refuses a local tokenizer.
			unset: []string{"HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"},
		}, nil
	},
	read: readAIPerf,
}

func readAIPerf(s setting) (Account, error) {
	type metric struct{ Avg, P99 *float64 }
	var r struct {
		TTFT      metric                `json:"time_to_first_token"`
		ITL       metric                `json:"inter_token_latency"`
		Completed metric                `json:"request_count"`
		Rate      metric                `json:"request_throughput"`
		Errors    []struct{ Count int } `json:"error_summary"`
	}
	if err := readJSON(filepath.Join(s.dir, "out", "profile_export_aiperf.json"), &r); err != nil {
		return Account{}, err
	}
	a := Account{TTFTMean: r.TTFT.Avg, TTFTP99: r.TTFT.P99, ITLMean: r.ITL.Avg, RequestsPerS: r.Rate.Avg, byID: map[string]*float64{}}
	if r.Completed.Avg != nil {
		a.Completed = int(*r.Completed.Avg)
	}
	for _, e := range r.Errors {
		a.Failed += e.Count
	}
	f, err := os.Open(filepath.Join(s.dir, "out", "profile_export.jsonl"))
	if err != nil {
		return a, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var l struct {
			Metadata struct {
				ID string `json:"x_request_id"`
			}
			Metrics struct {
				TTFT struct{ Value *float64 } `json:"time_to_first_token"`
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return a, err
		}
		a.byID[l.Metadata.ID] = l.Metrics.TTFT.Value
	}
	return a, lines.Err()
}
