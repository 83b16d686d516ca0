package peers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"assay/internal/record"
)

// Files of AIPerf that Assay reads and writes.
const (
	aiperfSummary = "profile_export_aiperf.json"
	aiperfLines   = "profile_export.jsonl"
)

// aiperfExport is profile_export_aiperf.json, schema 1.4 and 1.5: one level.
type aiperfExport struct {
	Version   string    `json:"aiperf_version"`
	Start     localTime `json:"start_time"` // local time of the client without a zone
	End       localTime `json:"end_time"`
	Cancelled bool      `json:"was_cancelled"`
	Complete  *bool     `json:"is_complete"`
	Config    struct {
		Models struct {
			Items []struct {
				Name string `json:"name"`
			} `json:"items"`
		} `json:"models"`
		Endpoint struct {
			URLs []string `json:"urls"`
			Type string   `json:"type"`
		} `json:"endpoint"`
		Phases []aiperfPhase `json:"phases"`
	} `json:"input_config"`
	RunInfo struct {
		Seed *uint64 `json:"random_seed"`
	} `json:"run_info"`

	TTFT      aiperfMetric `json:"time_to_first_token"`
	TTFO      aiperfMetric `json:"time_to_first_output_token"`
	ITL       aiperfMetric `json:"inter_token_latency"`
	ICL       aiperfMetric `json:"inter_chunk_latency"`
	Latency   aiperfMetric `json:"request_latency"`
	ISL       aiperfMetric `json:"input_sequence_length"`
	OSL       aiperfMetric `json:"output_sequence_length"`
	Requests  aiperfMetric `json:"request_count"`
	Failed    aiperfMetric `json:"error_request_count"`
	RequestsS aiperfMetric `json:"request_throughput"`
	OutputS   aiperfMetric `json:"output_token_throughput"`
	TotalS    aiperfMetric `json:"total_token_throughput"`
	Goodput   aiperfMetric `json:"goodput"`
	Duration  aiperfMetric `json:"benchmark_duration"`
}

type aiperfPhase struct {
	Kind        string   `json:"kind"`
	Type        string   `json:"type"`
	Requests    int      `json:"requests"`
	Concurrency *float64 `json:"concurrency"`
	Rate        *float64 `json:"rate"`
}

type aiperfMetric struct {
	Unit  string   `json:"unit"`
	Count int      `json:"count"`
	Avg   *float64 `json:"avg"`
	Std   *float64 `json:"std"`
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	P50   *float64 `json:"p50"`
	P90   *float64 `json:"p90"`
	P95   *float64 `json:"p95"`
	P99   *float64 `json:"p99"`
}

func (m aiperfMetric) summary() summary {
	return summary{n: m.Count, mean: m.Avg, std: m.Std, min: m.Min, max: m.Max, p50: m.P50, p90: m.P90, p95: m.P95, p99: m.P99}
}

// localTime is a time without a zone, taken as UTC.
type localTime struct{ time.Time }

func (t *localTime) UnmarshalJSON(b []byte) error {
	s := strings.Trim(string(b), `"`)
	for _, layout := range []string{"2006-01-02T15:04:05.999999999", time.RFC3339Nano} {
		if at, err := time.Parse(layout, s); err == nil {
			t.Time = at.UTC()
			return nil
		}
	}
	return nil // a time that cannot be read is not known
}

// aiperfLine is one line of profile_export.jsonl.
type aiperfLine struct {
	Metadata struct {
		ID        string `json:"x_request_id"`
		Start     int64  `json:"request_start_ns"`
		End       int64  `json:"request_end_ns"`
		Issued    int64  `json:"credit_issued_ns"`
		Phase     string `json:"benchmark_phase"`
		Cancelled bool   `json:"was_cancelled"`
	} `json:"metadata"`
	Metrics struct {
		TTFT    aiperfValue   `json:"time_to_first_token"`
		TTFO    aiperfValue   `json:"time_to_first_output_token"`
		ICL     aiperfSamples `json:"inter_chunk_latency"`
		Latency aiperfValue   `json:"request_latency"`
		ISL     aiperfValue   `json:"input_sequence_length"`
		OSL     aiperfValue   `json:"output_sequence_length"`
		Usage   aiperfValue   `json:"usage_completion_tokens"`
		Prompt  aiperfValue   `json:"usage_prompt_tokens"`
		Cached  aiperfValue   `json:"usage_prompt_cache_read_tokens"`
	} `json:"metrics"`
	Error *struct {
		Type    string `json:"type"`
		Message string `json:"message"`
		Code    int    `json:"code"`
	} `json:"error"`
}

// aiperfValue is a figure with its unit, milliseconds or tokens.
type aiperfValue struct {
	Value *float64 `json:"value"`
}

type aiperfSamples struct {
	Value []float64 `json:"value"` // milliseconds
}

// readAIPerf reads an export, and the requests beside it where they are kept.
func readAIPerf(src source) (*File, error) {
	var e aiperfExport
	if err := src.decode(&e); err != nil {
		return nil, err
	}
	f := &File{}
	run := &f.Run
	run.Tool = record.Tool{Name: AIPerf, Version: e.Version}
	run.Complete = !e.Cancelled && (e.Complete == nil || *e.Complete)
	run.Interrupted = e.Cancelled
	run.Start = e.Start.Time
	if e.RunInfo.Seed != nil {
		run.Seed = *e.RunInfo.Seed
	}
	run.Target = e.target()
	requests, start, gaps, err := aiperfRequests(src.beside(aiperfLines))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	load := e.load()
	if load.Kind == record.ByConcurrency {
		noSchedule(requests)
	}
	if measured(requests) < int(value(e.Requests.Avg)) { // none, or not those of this export
		run.Levels = []record.Level{e.aggregate(load)}
		run.Definitions = define(AIPerf, false)
		run.Notes = append(run.Notes, "the file gives the client's local time without a zone; it is shown as if it were UTC")
		return f, nil
	}
	run.Start, f.Requests, f.Gaps = start, requests, gaps
	run.Levels = []record.Level{fold(load, start, requests, gaps)}
	run.Definitions = defineAIPerf(requests)
	return f, nil
}

// readAIPerfLines reads the requests: with the export beside them, or alone,
// and then nothing says which load was held.
func readAIPerfLines(src source) (*File, error) {
	if beside := src.beside(aiperfSummary); filepath.Base(src.path) == aiperfLines {
		if _, err := os.Stat(beside.path); err == nil {
			return readAIPerf(beside)
		}
	}
	requests, start, gaps, err := aiperfRequests(src)
	if err != nil {
		return nil, err
	}
	noSchedule(requests)
	f := &File{Requests: requests, Gaps: gaps}
	f.Run.Tool, f.Run.Start, f.Run.Complete = record.Tool{Name: AIPerf}, start, true
	f.Run.Levels = []record.Level{fold(held(record.ByConcurrency, float64(mostOpen(requests)), len(requests)), start, requests, gaps)}
	f.Run.Definitions = defineAIPerf(requests)
	f.Run.Notes = []string{"the lines do not say which load was held: it is the most requests that were open at once"}
	return f, nil
}

// defineAIPerf says what is computed from the lines, and who counted the tokens.
func defineAIPerf(requests []record.Request) []record.Definition {
	defs := define(AIPerf, true)
	if uncounted(requests) {
		adjust(defs, itl, converted(fromLines+"; "+clientCounted))
		adjust(defs, throughput, converted(fromLines+"; "+clientCounted))
	}
	return defs
}

func (e *aiperfExport) target() record.Target {
	t := record.Target{API: e.Config.Endpoint.Type}
	if len(e.Config.Endpoint.URLs) > 0 {
		t.URL = safeURL(e.Config.Endpoint.URLs[0])
	}
	if len(e.Config.Models.Items) > 0 {
		t.Model = e.Config.Models.Items[0].Name
	}
	return t
}

func (e *aiperfExport) load() record.Load {
	for _, p := range e.Config.Phases {
		switch {
		case p.Kind != "" && p.Kind != "profiling":
			continue
		case p.Rate != nil && *p.Rate > 0:
			load := held(record.ByRate, *p.Rate, p.Requests)
			load.Arrival = p.Type
			return load
		case p.Concurrency != nil:
			return held(record.ByConcurrency, *p.Concurrency, p.Requests)
		}
	}
	return held(record.ByConcurrency, 0, int(value(e.Requests.Avg)))
}

func (e *aiperfExport) aggregate(load record.Load) record.Level {
	seconds := value(e.Duration.Avg)
	if e.Duration.Unit == "ms" {
		seconds /= 1000
	}
	l := aggregate(load, int(value(e.Requests.Avg)), int(value(e.Failed.Avg)), e.Start.Time, seconds)
	l.TTFT = e.TTFT.summary().dist(&l, ttft, 1)
	l.TTFO = e.TTFO.summary().dist(&l, ttfo, 1)
	l.ITL = e.ITL.summary().dist(&l, itl, 1)
	l.ICL = e.ICL.summary().dist(&l, icl, 1)
	l.E2E = e.Latency.summary().dist(&l, e2e, 1)
	l.Throughput = record.Throughput{RequestsPerS: value(e.RequestsS.Avg), OutputTokensPerS: value(e.OutputS.Avg), TotalTokensPerS: value(e.TotalS.Avg)}
	l.Goodput = e.Goodput.Avg
	l.Got = record.Tokens{Prompt: e.ISL.Avg, Output: e.OSL.Avg}
	return l
}

// aiperfRequests reads the lines. gaps is true where every request of several
// chunks has its gaps.
func aiperfRequests(src source) (out []record.Request, start time.Time, gaps bool, err error) {
	gaps = true
	err = src.lines(func(b []byte) error {
		var line aiperfLine
		if err := decode(b, &line); err != nil {
			return err
		}
		if line.Metadata.Start <= 0 {
			return fmt.Errorf("metadata.request_start_ns is missing")
		}
		if len(out) == mostRequests {
			return fmt.Errorf("more than %d requests", mostRequests)
		}
		r, whole := line.request()
		gaps = gaps && whole
		out = append(out, r)
		return nil
	})
	zero := fromFirst(out)
	dropEstimates(out)
	return out, time.UnixMicro(zero).UTC(), gaps && len(out) > 0, err
}

// fromFirst makes the times of requests those since the first of them, which it
// gives, microseconds of whatever clock.
func fromFirst(requests []record.Request) int64 {
	if len(requests) == 0 {
		return 0
	}
	zero := requests[0].IntendedUS
	for i := range requests {
		zero = min(zero, requests[i].IntendedUS, requests[i].SentUS)
	}
	for i := range requests {
		r := &requests[i]
		r.IntendedUS, r.SentUS, r.EndUS = r.IntendedUS-zero, r.SentUS-zero, r.EndUS-zero
	}
	return zero
}

// request has times since the epoch.
func (l *aiperfLine) request() (r record.Request, gaps bool) {
	m := l.Metadata
	r = record.Request{ID: m.ID, Phase: record.Measured, AnswerAt: -1, SentUS: m.Start / 1000, TokensFrom: record.FromUsage}
	if m.Phase == "warmup" {
		r.Phase = record.Warmup
	}
	r.IntendedUS = r.SentUS
	if m.Issued > 0 {
		r.IntendedUS = min(m.Issued/1000, r.SentUS)
	}
	r.EndUS = max(m.End/1000, r.SentUS)
	switch {
	case m.Cancelled:
		r.Error = kindCancelled
		return r, true
	case l.Error != nil:
		r.Error, r.Status = kindFailed, l.Error.Code
		r.Detail = detail(strings.TrimSpace(l.Error.Type + " " + l.Error.Message))
		return r, true
	}
	if ms := l.Metrics.Latency.Value; ms != nil {
		r.EndUS = r.SentUS + micros(*ms/1000)
	}
	r.PromptTokens, r.OutputTokens = known(l.Metrics.ISL.Value), known(l.Metrics.OSL.Value)
	if v := l.Metrics.Cached.Value; v != nil {
		r.CachedTokens = tokens(*v)
	}
	// Sequence lengths are by the client's tokenizer unless AIPerf was told otherwise.
	r.PromptTokens = cmp.Or(known(l.Metrics.Prompt.Value), r.PromptTokens)
	if n := known(l.Metrics.Usage.Value); n != nil {
		r.OutputTokens = n
	} else {
		r.TokensFrom = record.FromTokenize
	}
	first := l.Metrics.TTFT.Value
	if first == nil {
		return r, true
	}
	icl := l.Metrics.ICL.Value
	seconds := make([]float64, len(icl))
	for i, ms := range icl {
		seconds[i] = ms / 1000
	}
	r.ChunkUS = arrivals(*first/1000, seconds)
	gaps = len(icl) > 0 || r.OutputTokens == nil || *r.OutputTokens <= 1
	if last := r.EndUS - r.SentUS; !gaps && last > r.ChunkUS[0] {
		r.ChunkUS = append(r.ChunkUS, last)
	}
	if answer := l.Metrics.TTFO.Value; answer != nil {
		r.AnswerAt = nearest(r.ChunkUS, micros(*answer/1000))
	}
	return r, gaps
}

// noSchedule says of a closed loop that each request was due when it was sent.
func noSchedule(requests []record.Request) {
	for i := range requests {
		requests[i].IntendedUS = requests[i].SentUS
	}
}

// nearest is the index of the moment nearest to at.
func nearest(moments []int64, at int64) int {
	best := 0
	for i, m := range moments {
		if abs(m-at) < abs(moments[best]-at) {
			best = i
		}
	}
	return best
}

func abs(x int64) int64 { return max(x, -x) }

// measured counts the requests of the measured phase that succeeded.
func measured(requests []record.Request) (n int) {
	for i := range requests {
		if requests[i].Phase == record.Measured && requests[i].OK() {
			n++
		}
	}
	return n
}
