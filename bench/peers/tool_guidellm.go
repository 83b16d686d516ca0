package main

import (
	"fmt"
	"path/filepath"
)

var guidellmTool = tool{
	name: "GuideLLM", python: "guidellm", note: "inter_token_latency_ms.successful.mean",
	command: func(s setting) (client, error) {
		return client{
			args: []string{
				s.paths.python("guidellm", "guidellm"), "run",
				"--backend", fmt.Sprintf("kind=openai_http,target=%s,model=%s", s.url, s.model),
				"--profile", fmt.Sprintf("kind=concurrent,streams=%d", s.Streams),
				"--constraint", fmt.Sprintf("kind=max_requests,count=%d", s.Requests),
				"--data", fmt.Sprintf("kind=synthetic_text,prompt_tokens=%d,output_tokens=%d", promptTokens, outputTokens),
				"--tokenizer", "kind=huggingface_auto,model=" + s.paths.tokenizer(),
				"--output", "kind=json,path=" + filepath.Join(s.dir, "benchmarks.json"), "--disable-console-interactive",
			},
			env: []string{"HF_HUB_OFFLINE=1"},
		}, nil
	},
	read: readGuideLLM,
}

func readGuideLLM(s setting) (Account, error) {
	type metric struct {
		Successful struct {
			Mean        *float64
			Percentiles struct{ P99 *float64 }
		}
	}
	var r struct {
		Benchmarks []struct {
			Metrics struct {
				Totals struct{ Successful, Errored, Incomplete int } `json:"request_totals"`
				TTFT   metric                                        `json:"time_to_first_token_ms"`
				ITL    metric                                        `json:"inter_token_latency_ms"`
				Rate   metric                                        `json:"requests_per_second"`
			}
		}
	}
	path := filepath.Join(s.dir, "benchmarks.json")
	if err := readJSON(path, &r); err != nil {
		return Account{}, err
	}
	if len(r.Benchmarks) != 1 {
		return Account{}, fmt.Errorf("%s holds %d benchmarks, want 1", path, len(r.Benchmarks))
	}
	m := r.Benchmarks[0].Metrics
	return Account{
		Completed: m.Totals.Successful, Failed: m.Totals.Errored + m.Totals.Incomplete,
		TTFTMean: m.TTFT.Successful.Mean, TTFTP99: m.TTFT.Successful.Percentiles.P99,
		ITLMean: m.ITL.Successful.Mean, RequestsPerS: m.Rate.Successful.Mean,
	}, nil
}
