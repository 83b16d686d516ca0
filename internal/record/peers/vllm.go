package peers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"assay/internal/record"
)

// vllmResult is the result of vllm bench serve --save-result, seconds unless a
// key says ms. The lists are there with --save-detailed, one entry a request in
// the order of sending.
type vllmResult struct {
	Date        string      `json:"date"` // local time of the client, when the run had ended
	Backend     string      `json:"backend"`
	ModelID     string      `json:"model_id"`
	NumPrompts  int         `json:"num_prompts"`
	RequestRate vllmRate    `json:"request_rate"`
	Burstiness  *float64    `json:"burstiness"` // Infinity is a constant rate, and null once read
	Concurrency *float64    `json:"max_concurrency"`
	Duration    float64     `json:"duration"`
	Completed   int         `json:"completed"`
	Failed      int         `json:"failed"`
	TotalInput  float64     `json:"total_input_tokens"`
	TotalOutput float64     `json:"total_output_tokens"`
	RequestsS   float64     `json:"request_throughput"`
	OutputS     float64     `json:"output_throughput"`
	TotalS      float64     `json:"total_token_throughput"`
	Goodput     *float64    `json:"request_goodput"`
	WrittenBy   string      `json:"written_by"` // by Assay's writer
	InputLens   []int       `json:"input_lens"`
	OutputLens  []int       `json:"output_lens"`
	TTFTs       []float64   `json:"ttfts"`
	ITLs        [][]float64 `json:"itls"`
	Latencies   []float64   `json:"latencies"`
	StartTimes  []float64   `json:"start_times"`
	QueueTimes  []float64   `json:"queue_times"`
	Errors      []string    `json:"errors"`

	metrics map[string]*float64 // mean_ttft_ms and its kin
}

// UnmarshalJSON reads the fixed keys and the figures whose names are built.
func (v *vllmResult) UnmarshalJSON(b []byte) error {
	type plain vllmResult
	if err := json.Unmarshal(b, (*plain)(v)); err != nil {
		return err
	}
	var err error
	v.metrics, err = figuresEnding(b, "_ms")
	return err
}

// constantBurstiness stands for a constant rate, where vLLM has Infinity, which
// JSON has not.
const constantBurstiness = 1e9

// vllmRate is requests a second; 0 stands for words such as "inf" and "trace".
type vllmRate float64

func (r *vllmRate) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '"' || b[0] == 'n') {
		*r = 0
		return nil
	}
	return json.Unmarshal(b, (*float64)(r))
}

// readVLLM reads one result or, after --append-result, several: each is a level.
func readVLLM(src source) (*File, error) {
	f := &File{Gaps: true}
	var all vllmLevels
	err := src.values(func(raw json.RawMessage) error {
		var v vllmResult
		if err := json.Unmarshal(raw, &v); err != nil {
			return err
		}
		all.add(f, &v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(f.Run.Levels) == 0 {
		return nil, fmt.Errorf("no result in it")
	}
	if all.aggregates {
		f.Requests, f.Gaps = nil, false
	}
	f.Run.Complete = true
	f.Run.Definitions = all.define(f.Run.Target.API)
	return f, nil
}

// vllmLevels is what is known of all the results of a file together.
type vllmLevels struct {
	aggregates bool // one at least holds no requests
	tokenless  bool // one at least may count chunks without a token
	byAssay    bool
}

// add makes one result a level.
func (a *vllmLevels) add(f *File, v *vllmResult) {
	run := &f.Run
	end, known := vllmDate(v.Date)
	start := end.Add(-time.Duration(v.Duration * float64(time.Second)))
	if len(run.Levels) == 0 {
		run.Start = start
		run.Target = record.Target{Model: v.ModelID, API: vllmAPI(v.Backend)}
		run.Tool = record.Tool{Name: VLLM, Version: v.WrittenBy}
		if known {
			run.Notes = append(run.Notes, "the file gives the client's local time without a zone; it is shown as if it were UTC")
		}
	}
	a.byAssay = v.WrittenBy != ""
	load := v.load()
	if !v.detailed() {
		a.aggregates = true
		f.add(v.aggregate(load, start), nil)
		return
	}
	requests := v.requests(load, start.Sub(run.Start).Microseconds())
	if vllmAPI(v.Backend) == "chat" && !a.byAssay && !dropTokenless(requests) {
		a.tokenless = true
	}
	f.add(fold(load, run.Start, requests, true), requests)
}

func (a *vllmLevels) define(api string) []record.Definition {
	defs := define(VLLM, !a.aggregates)
	sure := a.byAssay || api == "completions"
	switch {
	case sure && a.aggregates:
		adjust(defs, ttft, same(beforeWrite))
		adjust(defs, itl, same(oneFirst))
		adjust(defs, icl, same("Assay's ICL is what this tool calls ITL"))
	case sure || a.aggregates:
	case a.tokenless:
		for _, m := range []string{ttft, itl, icl} {
			adjust(defs, m, different(roleChunkUnclear))
		}
	default:
		adjust(defs, ttft, converted("chunks without a token, told by their number and their gaps, are left out; "+beforeWrite))
	}
	return defs
}

func (v *vllmResult) detailed() bool {
	n := v.Completed + v.Failed
	return n > 0 && len(v.TTFTs) >= n && len(v.ITLs) == len(v.TTFTs) && len(v.StartTimes) == len(v.TTFTs) &&
		len(v.Errors) == len(v.TTFTs) && len(v.OutputLens) == len(v.TTFTs) && len(v.InputLens) == len(v.TTFTs)
}

func (v *vllmResult) load() record.Load {
	switch {
	case v.RequestRate > 0:
		load := held(record.ByRate, float64(v.RequestRate), v.NumPrompts)
		switch b := v.Burstiness; {
		case b == nil || *b >= constantBurstiness:
			load.Arrival = "constant"
		case *b == 1:
			load.Arrival = "poisson"
		default:
			load.Arrival, load.Burstiness = "gamma", *b
		}
		return load
	case v.Concurrency != nil:
		return held(record.ByConcurrency, *v.Concurrency, v.NumPrompts)
	}
	return held(record.ByConcurrency, float64(cmp.Or(v.NumPrompts, v.Completed+v.Failed)), v.NumPrompts)
}

// requests are the lines that Assay would have written. A failed one has
// placeholders of 0 in the lists, which are no samples.
func (v *vllmResult) requests(load record.Load, shiftUS int64) []record.Request {
	first := v.StartTimes[0]
	for _, s := range v.StartTimes {
		first = min(first, s)
	}
	out := make([]record.Request, len(v.TTFTs))
	for i := range out {
		r := record.Request{Phase: record.Measured, AnswerAt: -1, SentUS: shiftUS + micros(v.StartTimes[i]-first)}
		r.IntendedUS = r.SentUS
		if load.Kind == record.ByRate && i < len(v.QueueTimes) {
			r.IntendedUS -= micros(v.QueueTimes[i])
		}
		latency := v.TTFTs[i]
		for _, gap := range v.ITLs[i] {
			latency += gap
		}
		if i < len(v.Latencies) && v.Latencies[i] > 0 {
			latency = v.Latencies[i]
		}
		r.EndUS = r.SentUS + micros(latency)
		if v.failed(i) {
			r.Error, r.Detail = kindFailed, detail(v.Errors[i])
			out[i] = r
			continue
		}
		if v.TTFTs[i] > 0 {
			r.ChunkUS = arrivals(v.TTFTs[i], v.ITLs[i])
		}
		r.OutputTokens, r.PromptTokens = tokens(float64(v.OutputLens[i])), known(new(float64(v.InputLens[i])))
		r.TokensFrom = record.FromUsage
		out[i] = r
	}
	return out
}

// failed reports that request i did not succeed. Its error holds the words of the
// status line, which may be none: then nothing at all came.
func (v *vllmResult) failed(i int) bool {
	waited := i < len(v.Latencies) && v.Latencies[i] > 0
	return v.Errors[i] != "" || v.TTFTs[i] == 0 && len(v.ITLs[i]) == 0 && v.OutputLens[i] == 0 && !waited
}

func (v *vllmResult) aggregate(load record.Load, start time.Time) record.Level {
	l := aggregate(load, v.Completed, v.Failed, start, v.Duration)
	get := func(name string, n int) summary {
		at := func(stat string) *float64 { return v.metrics[stat+"_"+name+"_ms"] }
		return summary{n: n, mean: at("mean"), std: at("std"), p50: cmp.Or(at("p50"), at("median")), p90: at("p90"), p95: at("p95"), p99: at("p99")}
	}
	l.TTFT = get("ttft", v.Completed).dist(&l, ttft, 1)
	l.ITL = get("tpot", v.Completed).dist(&l, itl, 1)
	l.ICL = get("itl", max(int(v.TotalOutput)-v.Completed, 0)).dist(&l, icl, 1)
	l.E2E = get("e2el", v.Completed).dist(&l, e2e, 1)
	l.Throughput = record.Throughput{RequestsPerS: v.RequestsS, OutputTokensPerS: v.OutputS, TotalTokensPerS: v.TotalS}
	l.Goodput = v.Goodput
	l.Got = perRequest(v.TotalInput, v.TotalOutput, v.Completed)
	return l
}

// perRequest are mean tokens of the requests that succeeded.
func perRequest(prompt, output float64, completed int) record.Tokens {
	if completed == 0 {
		return record.Tokens{}
	}
	p, o := prompt/float64(completed), output/float64(completed)
	return record.Tokens{Prompt: positive(&p), Output: positive(&o)}
}

// vllmDate is the client's local time as vLLM writes it, taken as UTC.
func vllmDate(s string) (time.Time, bool) {
	t, err := time.Parse("20060102-150405", s)
	return t, err == nil
}

// vllmAPI is Assay's name for the API of a backend.
func vllmAPI(backend string) string {
	switch {
	case strings.HasSuffix(backend, "-chat"):
		return "chat"
	case backend == "openai", backend == "vllm", strings.HasSuffix(backend, "-completions"):
		return "completions"
	}
	return backend
}

// detail is the last line of an error, which names it, shortened.
func detail(s string) string {
	s = strings.TrimSpace(s)
	s = s[strings.LastIndexByte(s, '\n')+1:]
	const most = 200
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
