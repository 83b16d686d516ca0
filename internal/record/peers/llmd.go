package peers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// llmdReport is a Benchmark Report 0.2 of llm-d: one level. Each distribution
// names its unit.
type llmdReport struct {
	Version string `json:"version"`
	Run     struct {
		Time struct {
			Start    *time.Time `json:"start"`
			End      *time.Time `json:"end"`
			Duration string     `json:"duration"` // ISO 8601
		} `json:"time"`
	} `json:"run"`
	Scenario struct {
		Stack []struct {
			Standardized struct {
				Kind    string `json:"kind"`
				Tool    string `json:"tool"`
				Version string `json:"tool_version"`
				Model   struct {
					Name string `json:"name"`
				} `json:"model"`
				Accelerator struct {
					Model       string `json:"model"`
					Count       int    `json:"count"`
					Parallelism struct {
						TP int `json:"tp"`
					} `json:"parallelism"`
				} `json:"accelerator"`
			} `json:"standardized"`
		} `json:"stack"`
		Load struct {
			Standardized struct {
				Tool        string      `json:"tool"`
				Version     string      `json:"tool_version"`
				Rate        *float64    `json:"rate_qps"`
				Concurrency *float64    `json:"concurrency"`
				Input       *llmdLength `json:"input_seq_len"`
				Output      *llmdLength `json:"output_seq_len"`
			} `json:"standardized"`
		} `json:"load"`
	} `json:"scenario"`
	Results struct {
		Performance struct {
			Aggregate struct {
				Requests struct {
					Total      int        `json:"total"`
					Failures   *int       `json:"failures"`
					Incomplete *int       `json:"incomplete"`
					Input      *llmdStats `json:"input_length"`
					Output     *llmdStats `json:"output_length"`
				} `json:"requests"`
				Latency struct {
					TTFT    *llmdStats `json:"time_to_first_token"`
					TPOT    *llmdStats `json:"time_per_output_token"`
					Gaps    *llmdStats `json:"inter_token_latency"`
					Request *llmdStats `json:"request_latency"`
				} `json:"latency"`
				Throughput struct {
					Output   *llmdStats `json:"output_token_rate"`
					Total    *llmdStats `json:"total_token_rate"`
					Requests *llmdStats `json:"request_rate"`
				} `json:"throughput"`
			} `json:"aggregate"`
		} `json:"request_performance"`
	} `json:"results"`
}

type llmdLength struct {
	Value float64 `json:"value"`
}

type llmdStats struct {
	Units string   `json:"units"`
	Mean  *float64 `json:"mean"`
	Std   *float64 `json:"stddev"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	P50   *float64 `json:"p50"`
	P90   *float64 `json:"p90"`
	P95   *float64 `json:"p95"`
	P99   *float64 `json:"p99"`
}

func readLLMD(src source) (*File, error) {
	var r llmdReport
	if err := src.decode(&r); err != nil {
		return nil, err
	}
	if !strings.HasPrefix(r.Version, "0.2") {
		return nil, fmt.Errorf("benchmark report version %q; assay reads 0.2", r.Version)
	}
	f := &File{}
	run := &f.Run
	load := r.Scenario.Load.Standardized
	run.Tool = record.Tool{Name: LLMD, Version: r.Version}
	run.Complete = true
	if t := r.Run.Time.Start; t != nil {
		run.Start = t.UTC()
	}
	if t := r.Run.Time.End; t != nil {
		end := t.UTC()
		run.End = &end
	}
	r.stack(run)
	l, err := r.level(run)
	if err != nil {
		return nil, err
	}
	run.Levels = []record.Level{l}
	run.Definitions = define(LLMD, false)
	r.generator(run)
	if load.Tool != "" {
		run.Notes = append(run.Notes, strings.TrimSpace("measured by "+load.Tool+" "+load.Version))
	}
	return f, nil
}

// generator takes the definitions from the load generator that the report
// names, where Assay knows it: the report gives its figures without converting
// them. GuideLLM's and AIPerf's inter-token latencies stand under names that
// mean another thing there, and stay different.
func (r *llmdReport) generator(run *record.Run) {
	name := strings.ToLower(r.Scenario.Load.Standardized.Tool)
	if name == "assay" {
		for _, m := range []string{ttft, itl, icl, e2e} {
			adjust(run.Definitions, m, same("measured by Assay"))
		}
		return
	}
	for _, g := range []struct {
		prefix, tool string
		metrics      []string
	}{
		{InferencePerf, InferencePerf, []string{ttft, itl, icl, e2e}}, {"vllm", VLLM, []string{ttft, itl, icl, e2e}},
		{GuideLLM, GuideLLM, []string{ttft, e2e}}, {AIPerf, AIPerf, []string{ttft, e2e}},
	} {
		if !strings.HasPrefix(name, g.prefix) {
			continue
		}
		for _, d := range define(g.tool, false) {
			if slices.Contains(g.metrics, d.Metric) {
				adjust(run.Definitions, d.Metric, judgement{d.Comparable, strings.TrimSuffix("as "+g.tool+" has it; "+d.Why, "; ")})
			}
		}
		return
	}
}

func (r *llmdReport) stack(run *record.Run) {
	for _, c := range r.Scenario.Stack {
		s := c.Standardized
		if s.Model.Name == "" {
			continue
		}
		run.Target.Model = s.Model.Name
		if s.Tool != "unknown" {
			run.Target.Engine = record.TargetEngine{Name: s.Tool, Version: strings.TrimPrefix(s.Version, "unknown")}
		}
		if s.Accelerator.Model != "" {
			run.Platform.GPU, run.Platform.Count = &s.Accelerator.Model, &s.Accelerator.Count
		}
		if s.Accelerator.Parallelism.TP > 0 {
			run.Platform.TP = &s.Accelerator.Parallelism.TP
		}
		return
	}
}

func (r *llmdReport) level(run *record.Run) (record.Level, error) {
	a := r.Results.Performance.Aggregate
	load := held(record.ByConcurrency, 0, a.Requests.Total)
	switch s := r.Scenario.Load.Standardized; {
	case s.Rate != nil:
		load = held(record.ByRate, *s.Rate, a.Requests.Total)
	case s.Concurrency != nil:
		load.Value = *s.Concurrency
	}
	failed, incomplete := number(a.Requests.Failures), number(a.Requests.Incomplete)
	completed := max(a.Requests.Total-failed-incomplete, 0)
	seconds := 0.0
	if t := r.Run.Time; t.Start != nil && t.End != nil {
		seconds = t.End.Sub(*t.Start).Seconds()
	}
	l := aggregate(load, completed, failed, run.Start, seconds)
	l.Requests.Cancelled = incomplete
	gaps := 0
	if out := a.Requests.Output; out != nil && out.Mean != nil {
		gaps = int(max(*out.Mean-1, 0) * float64(completed))
		l.Got.Output = out.Mean
	}
	if in := a.Requests.Input; in != nil {
		l.Got.Prompt = in.Mean
	}
	var err error
	dist := func(from *llmdStats, metric string, n int) (d stats.Dist) {
		if from == nil || err != nil {
			return d
		}
		unit, known := llmdUnits[from.Units]
		if !known {
			err = fmt.Errorf("results: %s in unit %q, which assay does not know", metric, from.Units)
			return d
		}
		s := summary{n: n, mean: from.Mean, std: from.Std, min: from.Min, max: from.Max, p50: from.P50, p90: from.P90, p95: from.P95, p99: from.P99}
		return s.dist(&l, metric, unit)
	}
	l.TTFT = dist(a.Latency.TTFT, ttft, completed)
	l.ITL = dist(a.Latency.TPOT, itl, completed)
	l.ICL = dist(a.Latency.Gaps, icl, gaps)
	l.E2E = dist(a.Latency.Request, e2e, completed)
	rate := func(s *llmdStats) float64 {
		if s == nil {
			return 0
		}
		return value(s.Mean)
	}
	l.Throughput = record.Throughput{RequestsPerS: rate(a.Throughput.Requests), OutputTokensPerS: rate(a.Throughput.Output), TotalTokensPerS: rate(a.Throughput.Total)}
	return l, err
}

// llmdUnits turn a report's unit into milliseconds.
var llmdUnits = map[string]float64{"s": 1000, "ms": 1, "us": 0.001, "s/token": 1000, "ms/token": 1}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return max(*n, 0)
}
