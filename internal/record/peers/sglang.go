package peers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"assay/internal/record"
)

// sglangResult is one line of sglang.bench_serving's output file, milliseconds
// where a key says ms, else seconds: one level a line.
type sglangResult struct {
	Backend     string   `json:"backend"`
	RequestRate vllmRate `json:"request_rate"`
	Concurrency *float64 `json:"max_concurrency"`
	Duration    float64  `json:"duration"`
	Completed   int      `json:"completed"`
	Input       float64  `json:"total_input_tokens"`
	Output      float64  `json:"total_output_tokens"`
	RequestsS   float64  `json:"request_throughput"`
	OutputS     float64  `json:"output_throughput"`
	TotalS      float64  `json:"total_throughput"`
}

func readSGLang(src source) (*File, error) {
	f := &File{}
	run := &f.Run
	err := src.values(func(raw json.RawMessage) error {
		var v sglangResult
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		figures, err := figuresEnding(raw, "_ms")
		if err != nil {
			return err
		}
		if run.Levels == nil {
			run.Target.API = sglangAPI(v.Backend)
		}
		f.add(v.level(figures), nil)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(run.Levels) == 0 {
		return nil, fmt.Errorf("no result in it")
	}
	run.Tool, run.Complete = record.Tool{Name: SGLang}, true
	run.Notes = []string{"the file says nothing of the day, the tool's version or of failures: only what succeeded is counted"}
	run.Definitions = define(SGLang, false)
	if run.Target.API != "sglang" {
		adjust(run.Definitions, icl, same("Assay's ICL is what this tool calls ITL"))
	}
	return f, nil
}

func (v *sglangResult) level(figures map[string]*float64) record.Level {
	load := held(record.ByConcurrency, float64(v.Completed), v.Completed)
	switch {
	case v.RequestRate > 0:
		load = held(record.ByRate, float64(v.RequestRate), v.Completed)
		load.Arrival = "poisson"
	case v.Concurrency != nil:
		load.Value = *v.Concurrency
	}
	l := aggregate(load, v.Completed, 0, time.Time{}, v.Duration)
	get := func(name string, n int) summary {
		at := func(stat string) *float64 { return figures[stat+"_"+name+"_ms"] }
		return summary{n: n, mean: at("mean"), std: at("std"), max: at("max"), p50: at("median"), p90: at("p90"), p95: at("p95"), p99: at("p99")}
	}
	l.TTFT = get("ttft", v.Completed).dist(&l, ttft, 1)
	l.ITL = get("tpot", v.Completed).dist(&l, itl, 1)
	l.ICL = get("itl", max(int(v.Output)-v.Completed, 0)).dist(&l, icl, 1)
	l.E2E = get("e2e_latency", v.Completed).dist(&l, e2e, 1)
	l.Throughput = record.Throughput{RequestsPerS: v.RequestsS, OutputTokensPerS: v.OutputS, TotalTokensPerS: cmp.Or(v.TotalS, v.OutputS)}
	l.Got = perRequest(v.Input, v.Output, v.Completed)
	return l
}

// figuresEnding are the figures of an object whose keys end alike.
func figuresEnding(raw json.RawMessage, suffix string) (map[string]*float64, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	out := map[string]*float64{}
	for key, v := range all {
		var x *float64
		if strings.HasSuffix(key, suffix) && json.Unmarshal(v, &x) == nil && x != nil {
			out[key] = x
		}
	}
	return out, nil
}

func sglangAPI(backend string) string {
	switch backend {
	case "sglang-oai-chat", "vllm-chat", "openai-chat":
		return "chat"
	case "sglang-oai", "vllm", "lmdeploy":
		return "completions"
	}
	return backend
}
