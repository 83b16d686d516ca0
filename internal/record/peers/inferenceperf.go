package peers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/record"
)

// Files of inference-perf that Assay reads and writes.
const (
	perfSummary    = "summary_lifecycle_metrics.json"
	perfPerRequest = "per_request_lifecycle_metrics.json"
	perfConfig     = "config.yaml"
)

// perfReport is summary_lifecycle_metrics.json or that of a stage, seconds.
type perfReport struct {
	Seconds float64 `json:"benchmark_time_seconds"`
	Load    struct {
		Count       int      `json:"count"`
		Rate        *float64 `json:"requested_rate"`
		Concurrency *float64 `json:"concurrency"`
	} `json:"load_summary"`
	Successes struct {
		Count   int `json:"count"`
		Latency struct {
			Request perfSummaryOf `json:"request_latency"`
			TTFT    perfSummaryOf `json:"time_to_first_token"`
			TPOT    perfSummaryOf `json:"time_per_output_token"`
			Gaps    perfSummaryOf `json:"inter_token_latency"`
		} `json:"latency"`
		Throughput struct {
			Output   float64 `json:"output_tokens_per_sec"`
			Total    float64 `json:"total_tokens_per_sec"`
			Requests float64 `json:"requests_per_sec"`
		} `json:"throughput"`
		Prompt  perfTokens    `json:"prompt_tokens"`
		Output  perfTokens    `json:"output_tokens"`
		OutLen  perfSummaryOf `json:"output_len"`
		Goodput *struct {
			Rate float64 `json:"request_goodput"`
		} `json:"goodput_metrics"`
	} `json:"successes"`
	Failures struct {
		Count int `json:"count"`
	} `json:"failures"`
}

type perfTokens struct {
	Mean   *float64 `json:"mean"`
	Cached *float64 `json:"cached"`
}

type perfSummaryOf struct {
	Mean *float64 `json:"mean"`
	Min  *float64 `json:"min"`
	Max  *float64 `json:"max"`
	P50  *float64 `json:"median"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
}

func (p perfSummaryOf) summary(n int) summary {
	return summary{n: n, mean: p.Mean, min: p.Min, max: p.Max, p50: p.P50, p90: p.P90, p95: p.P95, p99: p.P99}
}

// perfRequest is one entry of per_request_lifecycle_metrics.json, seconds of a
// monotonic clock.
type perfRequest struct {
	Start float64 `json:"start_time"`
	End   float64 `json:"end_time"`
	Info  struct {
		Request struct {
			Text struct {
				Tokens *float64 `json:"input_tokens"`
			} `json:"text"`
		} `json:"request_metrics"`
		Response *struct {
			Tokens *float64 `json:"output_tokens"` // by the client's tokenizer
			Usage  *struct {
				Prompt     *float64 `json:"prompt_tokens"`
				Completion *float64 `json:"completion_tokens"`
				Output     *float64 `json:"output_tokens"` // Anthropic's name
				Details    *struct {
					Cached *float64 `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			} `json:"server_usage"`
			TokenTimes []float64 `json:"output_token_times"` // one a token of the client's tokenizer
			ChunkTimes []float64 `json:"chunk_times"`        // of every chunk, also those without text
		} `json:"response_metrics"`
	} `json:"info"`
	Error *struct {
		Type    string `json:"error_type"`
		Message string `json:"error_msg"`
	} `json:"error"`
}

// perfConfigFile is what Assay reads of config.yaml.
type perfConfigFile struct {
	API struct {
		Type string `json:"type"`
	} `json:"api"`
	Server struct {
		Model string `json:"model_name"`
		URL   string `json:"base_url"`
	} `json:"server"`
	Load struct {
		Type string `json:"type"`
	} `json:"load"`
}

// readInferencePerf reads the folder of a file that was named: its stages, each
// a level, and the requests of all where they are kept.
func readInferencePerf(src source) (*File, error) {
	f := &File{}
	run := &f.Run
	run.Tool, run.Complete = record.Tool{Name: InferencePerf}, true
	var config perfConfigFile
	if err := src.beside(perfConfig).decode(&config); err == nil {
		run.Target = record.Target{URL: safeURL(config.Server.URL), Model: config.Server.Model, API: perfAPI(config.API.Type)}
	}
	stages, err := perfStages(src)
	if err != nil {
		return nil, err
	}
	requests, err := perfRequests(src.beside(perfPerRequest))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	run.Notes = append(run.Notes, "the files say nothing of the day, nor of the tool's version: times count from the first request")
	groups, whole := byStage(requests, stages)
	if !whole {
		for _, s := range stages {
			f.add(s.aggregate(s.load(config.Load.Type)), nil)
		}
		run.Definitions = define(InferencePerf, false)
		return f, nil
	}
	f.Gaps = true
	for i, g := range groups {
		f.add(fold(stages[i].load(config.Load.Type), time.Time{}, g, true), g)
	}
	run.Definitions = define(InferencePerf, true)
	if uncounted(requests) {
		adjust(run.Definitions, itl, different(clientCounted+", text by text"))
		adjust(run.Definitions, throughput, different(clientCounted+", text by text"))
	}
	return f, nil
}

// perfStages are the stages of the folder in order, or the one file that was
// named where the folder has none.
func perfStages(src source) ([]perfReport, error) {
	dir := filepath.Dir(src.path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	type stage struct {
		n    int
		path string
	}
	var found []stage
	for _, e := range entries {
		name, ok := strings.CutPrefix(e.Name(), "stage_")
		name, ok2 := strings.CutSuffix(name, "_lifecycle_metrics.json")
		if n, err := strconv.Atoi(name); err == nil && ok && ok2 {
			found = append(found, stage{n, filepath.Join(dir, e.Name())})
		}
	}
	slices.SortFunc(found, func(a, b stage) int { return cmp.Compare(a.n, b.n) })
	paths := make([]string, 0, len(found))
	for _, s := range found {
		paths = append(paths, s.path)
	}
	switch {
	case len(paths) > 0 && isStage(src.path) && !slices.Equal(paths, []string{src.path}):
		paths = []string{src.path} // one stage was asked for
	case len(paths) > 0:
	case filepath.Base(src.path) == perfPerRequest:
		paths = []string{filepath.Join(dir, perfSummary)}
	default:
		paths = []string{src.path}
	}
	var out []perfReport
	for _, p := range paths {
		var r perfReport
		err := source{path: p}.decode(&r)
		if errors.Is(err, fs.ErrNotExist) {
			return []perfReport{{}}, nil // the requests alone
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(p), err)
		}
		out = append(out, r)
	}
	return out, nil
}

func isStage(path string) bool {
	return strings.HasPrefix(filepath.Base(path), "stage_")
}

// byStage parts the requests, which do not name their stage, by the stages'
// counts: stages follow each other. whole is false where the counts do not fit.
func byStage(requests []record.Request, stages []perfReport) (groups [][]record.Request, whole bool) {
	slices.SortStableFunc(requests, func(a, b record.Request) int { return cmp.Compare(a.SentUS, b.SentUS) })
	if len(requests) == 0 {
		return nil, false
	}
	if len(stages) == 1 && stages[0].Load.Count == 0 {
		return [][]record.Request{requests}, true
	}
	rest := requests
	for _, s := range stages {
		n := s.Load.Count
		if n <= 0 || n > len(rest) {
			return nil, false
		}
		groups, rest = append(groups, rest[:n:n]), rest[n:]
	}
	return groups, len(rest) == 0
}

func (r *perfReport) load(kind string) record.Load {
	switch {
	case r.Load.Concurrency != nil:
		return held(record.ByConcurrency, *r.Load.Concurrency, r.Load.Count)
	case r.Load.Rate != nil:
		load := held(record.ByRate, *r.Load.Rate, r.Load.Count)
		if kind == "constant" || kind == "poisson" { // and not "concurrent", where stages differ in kind
			load.Arrival = kind
		}
		return load
	}
	return held(record.ByRate, 0, r.Load.Count)
}

func (r *perfReport) aggregate(load record.Load) record.Level {
	s := r.Successes
	l := aggregate(load, s.Count, r.Failures.Count, time.Time{}, r.Seconds)
	l.TTFT = s.Latency.TTFT.summary(s.Count).dist(&l, ttft, 1000)
	l.ITL = s.Latency.TPOT.summary(s.Count).dist(&l, itl, 1000)
	if mean := cmp.Or(s.OutLen.Mean, s.Output.Mean); mean != nil {
		l.ICL = s.Latency.Gaps.summary(int(math.Max(*mean-1, 0)*float64(s.Count))).dist(&l, icl, 1000)
	}
	l.E2E = s.Latency.Request.summary(s.Count).dist(&l, e2e, 1000)
	l.Throughput = record.Throughput{RequestsPerS: s.Throughput.Requests, OutputTokensPerS: s.Throughput.Output, TotalTokensPerS: s.Throughput.Total}
	l.Got = record.Tokens{Prompt: s.Prompt.Mean, Output: s.Output.Mean}
	if s.Goodput != nil {
		l.Goodput = &s.Goodput.Rate
	}
	return l
}

// perfRequests reads the requests, times since the first of them.
func perfRequests(src source) ([]record.Request, error) {
	b, err := src.bytes()
	if err != nil {
		return nil, err
	}
	var entries []json.RawMessage
	if err := decode(b, &entries); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(src.path), err)
	}
	out := make([]record.Request, 0, len(entries))
	for i, raw := range entries {
		var q perfRequest
		if err := decode(raw, &q); err != nil {
			return nil, fmt.Errorf("%s: request %d: %w", filepath.Base(src.path), i+1, err)
		}
		out = append(out, q.request())
	}
	fromFirst(out)
	dropEstimates(out)
	return out, nil
}

func (q *perfRequest) request() record.Request {
	r := record.Request{Phase: record.Measured, AnswerAt: -1, SentUS: micros(q.Start), EndUS: micros(q.End)}
	r.IntendedUS = r.SentUS
	if q.Error != nil {
		r.Error, r.Detail = kindFailed, detail(strings.TrimSpace(q.Error.Type+" "+q.Error.Message))
		return r
	}
	r.PromptTokens = known(q.Info.Request.Text.Tokens)
	response := q.Info.Response
	if response == nil {
		return r
	}
	r.OutputTokens, r.TokensFrom = known(response.Tokens), record.FromTokenize
	if u := response.Usage; u != nil {
		if n := cmp.Or(known(u.Completion), known(u.Output)); n != nil {
			r.OutputTokens, r.TokensFrom = n, record.FromUsage
		}
		r.PromptTokens = cmp.Or(known(u.Prompt), r.PromptTokens)
		if u.Details != nil && u.Details.Cached != nil {
			r.CachedTokens = tokens(*u.Details.Cached)
		}
	}
	times := response.TokenTimes
	if len(times) == 0 {
		times = response.ChunkTimes
	}
	for i, at := range times { // tokens of one chunk share its moment
		if i == 0 || at > times[i-1] {
			r.ChunkUS = append(r.ChunkUS, micros(at)-r.SentUS)
		}
	}
	return r
}

func perfAPI(kind string) string {
	if kind == "completion" {
		return "completions"
	}
	return kind
}
