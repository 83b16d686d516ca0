package main

import (
	"path/filepath"
	"strconv"
)

var vllmTool = tool{
	name: "vllm bench serve", python: "vllm", note: "mean_tpot_ms: its mean_itl_ms pools the gaps of chunks, the role's among them",
	command: func(s setting) (client, error) {
		return client{
			args: []string{
				filepath.Join(s.paths.vllmEnv, "bin", "python"), s.paths.vllmBench, "bench", "serve",
				"--backend", "openai-chat", "--base-url", s.url, "--endpoint", "/v1/chat/completions",
				"--model", s.model, "--tokenizer", s.paths.tokenizer(), "--dataset-name", "random",
				"--random-input-len", strconv.Itoa(promptTokens), "--random-output-len", strconv.Itoa(outputTokens),
				"--num-prompts", strconv.Itoa(s.Requests), "--max-concurrency", strconv.Itoa(s.Streams),
				"--ignore-eos", "--ready-check-timeout-sec", "0",
				"--save-result", "--result-dir", s.dir, "--result-filename", "result.json",
			},
			env: []string{"HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1", "DO_NOT_TRACK=1"},
		}, nil
	},
	read: func(s setting) (Account, error) {
		var r struct {
			Completed, Failed int
			TTFT              *float64 `json:"mean_ttft_ms"`
			TTFTP99           *float64 `json:"p99_ttft_ms"`
			TPOT              *float64 `json:"mean_tpot_ms"`
			Rate              *float64 `json:"request_throughput"`
		}
		err := readJSON(filepath.Join(s.dir, "result.json"), &r)
		return Account{Completed: r.Completed, Failed: r.Failed, TTFTMean: r.TTFT, TTFTP99: r.TTFTP99, ITLMean: r.TPOT, RequestsPerS: r.Rate}, err
	},
}
