package peers

import (
	"math"
	"time"

	"assay/internal/record"
)

// guideReport is GuideLLM's benchmarks.json, metadata.version 2. Times are
// seconds since the epoch, latencies seconds unless a key says ms.
type guideReport struct {
	Metadata struct {
		Version  string `json:"guidellm_version"`
		Platform string `json:"platform"`
	} `json:"metadata"`
	Benchmarks []guideBenchmark `json:"benchmarks"`
}

type guideBenchmark struct {
	Config struct {
		Strategy guideStrategy `json:"strategy"`
		Backend  struct {
			Target string `json:"target"`
			Model  string `json:"model"`
			Format string `json:"request_format"`
		} `json:"backend"`
		Constraints struct {
			MaxRequests struct {
				Args struct {
					Count float64 `json:"count"`
				} `json:"args"`
			} `json:"max_requests"`
		} `json:"constraints"`
	} `json:"config"`
	Scheduler struct {
		Start        float64 `json:"start_time"`
		MeasureStart float64 `json:"measure_start_time"`
		MeasureEnd   float64 `json:"measure_end_time"`
		End          float64 `json:"end_time"`
		Made         struct {
			Successful int `json:"successful"`
			Incomplete int `json:"incomplete"`
			Errored    int `json:"errored"`
		} `json:"requests_made"`
	} `json:"scheduler_metrics"`
	Raw      guideMetrics `json:"metrics"`
	Requests struct {
		Successful []guideRequest `json:"successful"`
		Incomplete []guideRequest `json:"incomplete"`
		Errored    []guideRequest `json:"errored"`
	} `json:"requests"`
}

// guideMetrics are the metrics that Assay reads.
type guideMetrics struct {
	RequestsPerS guideMetric `json:"requests_per_second"`
	Concurrency  guideMetric `json:"request_concurrency"`
	Latency      guideMetric `json:"request_latency"` // seconds
	Prompt       guideMetric `json:"prompt_token_count"`
	Output       guideMetric `json:"output_token_count"`
	TTFT         guideMetric `json:"time_to_first_token_ms"`
	TTFO         guideMetric `json:"time_to_first_output_token_ms"`
	ITL          guideMetric `json:"inter_token_latency_ms"`
	OutputPerS   guideMetric `json:"output_tokens_per_second"`
	TotalPerS    guideMetric `json:"tokens_per_second"`
}

type guideMetric struct {
	Successful guideSummary `json:"successful"`
	Total      guideSummary `json:"total"`
}

type guideSummary struct {
	Count       int      `json:"count"`
	Mean        *float64 `json:"mean"`
	Std         *float64 `json:"std_dev"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
	Percentiles struct {
		P50 *float64 `json:"p50"`
		P90 *float64 `json:"p90"`
		P95 *float64 `json:"p95"`
		P99 *float64 `json:"p99"`
	} `json:"percentiles"`
}

// summary with n samples: a count that was weighted by tokens is none.
func (g guideSummary) summary(n int) summary {
	p := g.Percentiles
	return summary{n: n, mean: g.Mean, std: g.Std, min: g.Min, max: g.Max, p50: p.P50, p90: p.P90, p95: p.P95, p99: p.P99}
}

type guideStrategy struct {
	Type        string   `json:"type_"`
	Streams     *float64 `json:"streams"`
	Concurrency *float64 `json:"max_concurrency"`
	Rate        *float64 `json:"rate"`
}

type guideRequest struct {
	ID   string `json:"request_id"`
	Info struct {
		Error   string `json:"error"`
		Timings struct {
			Targeted *float64 `json:"targeted_start"`
			Start    *float64 `json:"request_start"`
			First    *float64 `json:"first_token_iteration"`
			Answer   *float64 `json:"first_output_token_iteration"`
			Last     *float64 `json:"last_token_iteration"`
			End      *float64 `json:"request_end"`
			Resolved *float64 `json:"resolve_end"`
			Chunks   int      `json:"token_iterations"`
		} `json:"timings"`
	} `json:"info"`
	Input  guideUsage `json:"input_metrics"`
	Output guideUsage `json:"output_metrics"`
}

type guideUsage struct {
	Total  *float64 `json:"total_tokens"`
	Cached *float64 `json:"cached_tokens"`
}

// readGuideLLM reads a report: one level a benchmark.
func readGuideLLM(src source) (*File, error) {
	var report guideReport
	if err := src.decode(&report); err != nil {
		return nil, err
	}
	f := &File{}
	f.Run.Tool = record.Tool{Name: GuideLLM, Version: report.Metadata.Version}
	f.Run.Complete = true
	each := len(report.Benchmarks) > 0
	for i := range report.Benchmarks {
		each = report.Benchmarks[i].whole() && each
	}
	for i := range report.Benchmarks {
		report.Benchmarks[i].level(f, each)
	}
	f.Run.Definitions = define(GuideLLM, each)
	return f, nil
}

// whole reports that the file holds every request that was made, not a sample.
func (b *guideBenchmark) whole() bool {
	made, r := b.Scheduler.Made, b.Requests
	return made.Successful > 0 && len(r.Successful) >= made.Successful && len(r.Errored) >= made.Errored
}

func (b *guideBenchmark) level(f *File, each bool) {
	run := &f.Run
	start := fromEpoch(b.Scheduler.Start)
	if len(run.Levels) == 0 {
		run.Start = start
		run.Target = record.Target{URL: safeURL(b.Config.Backend.Target), Model: b.Config.Backend.Model, API: guideAPI(b.Config.Backend.Format)}
	}
	end := fromEpoch(b.Scheduler.End)
	run.End = &end
	load := b.load()
	if each {
		requests := b.requests(run.Start, load)
		f.add(fold(load, run.Start, requests, false), requests)
		return
	}
	f.add(b.aggregate(load), nil)
}

func (b *guideBenchmark) load() record.Load {
	n := int(b.Config.Constraints.MaxRequests.Args.Count)
	s := b.Config.Strategy
	switch {
	case s.Type == "synchronous":
		return held(record.ByConcurrency, 1, n)
	case s.Rate != nil && (s.Type == "constant" || s.Type == "poisson"):
		load := held(record.ByRate, *s.Rate, n)
		load.Arrival = s.Type
		return load
	case s.Streams != nil:
		return held(record.ByConcurrency, *s.Streams, n)
	case s.Concurrency != nil:
		return held(record.ByConcurrency, *s.Concurrency, n)
	case b.Raw.Concurrency.Total.Max != nil: // throughput: as many as it could
		return held(record.ByConcurrency, *b.Raw.Concurrency.Total.Max, n)
	}
	return held(record.ByConcurrency, 0, n)
}

func (b *guideBenchmark) requests(start time.Time, load record.Load) []record.Request {
	var out []record.Request
	zero := float64(start.UnixMicro()) / 1e6
	for _, g := range b.Requests.Successful {
		out = append(out, g.request(zero, load, ""))
	}
	for _, g := range b.Requests.Errored {
		out = append(out, g.request(zero, load, kindFailed))
	}
	for _, g := range b.Requests.Incomplete {
		if g.Info.Timings.Start != nil {
			out = append(out, g.request(zero, load, kindCancelled))
		}
	}
	for i := range out {
		out[i].Phase = b.phase(out[i], zero)
	}
	return out
}

// phase is warm-up for what ended before the measured part or began after it.
func (b *guideBenchmark) phase(r record.Request, zero float64) string {
	from, to := micros(b.Scheduler.MeasureStart-zero), micros(b.Scheduler.MeasureEnd-zero)
	if b.Scheduler.MeasureEnd > b.Scheduler.MeasureStart && (r.EndUS < from || r.SentUS > to) {
		return record.Warmup
	}
	return record.Measured
}

func (g *guideRequest) request(zero float64, load record.Load, kind string) record.Request {
	t := g.Info.Timings
	r := record.Request{ID: g.ID, AnswerAt: -1, Error: kind, Detail: detail(g.Info.Error)}
	at := func(s *float64, or int64) int64 {
		if s == nil {
			return or
		}
		return micros(*s - zero)
	}
	r.SentUS = at(t.Start, at(t.Resolved, 0))
	r.NotSent = t.Start == nil
	r.IntendedUS = r.SentUS
	if load.Kind == record.ByRate {
		r.IntendedUS = at(t.Targeted, r.SentUS)
	}
	r.EndUS = at(t.End, at(t.Resolved, r.SentUS))
	if kind != "" {
		return r
	}
	r.PromptTokens, r.OutputTokens, r.CachedTokens = known(g.Input.Total), known(g.Output.Total), g.Input.cached()
	r.TokensFrom = record.FromUsage
	if r.OutputTokens == nil && t.Chunks > 0 {
		r.OutputTokens, r.TokensFrom = tokens(float64(t.Chunks)), record.FromChunks
	}
	if t.First == nil {
		return r
	}
	since := func(s *float64) int64 { return at(s, 0) - r.SentUS }
	r.ChunkUS = []int64{since(t.First)}
	if t.Answer != nil {
		r.AnswerAt = 0
		if *t.Answer > *t.First {
			r.ChunkUS, r.AnswerAt = append(r.ChunkUS, since(t.Answer)), 1
		}
	}
	if t.Last != nil && since(t.Last) > r.ChunkUS[len(r.ChunkUS)-1] {
		r.ChunkUS = append(r.ChunkUS, since(t.Last))
	}
	return r
}

// cached tells 0 from not said; total does not, so 0 of it is not known.
func (u guideUsage) cached() *int {
	if u.Cached == nil {
		return nil
	}
	return tokens(*u.Cached)
}

// known is a number of tokens; 0 stands for not known in the files of others.
func known(x *float64) *int {
	if x == nil || *x <= 0 || *x > math.MaxInt32 {
		return nil
	}
	return tokens(*x)
}

func (b *guideBenchmark) aggregate(load record.Load) record.Level {
	m := b.Scheduler
	n := m.Made.Successful
	l := aggregate(load, n, m.Made.Errored, fromEpoch(m.MeasureStart), m.MeasureEnd-m.MeasureStart)
	l.Requests.Cancelled = m.Made.Incomplete
	l.TTFT = b.Raw.TTFT.Successful.summary(min(n, b.Raw.TTFT.Successful.Count)).dist(&l, ttft, 1)
	l.TTFO = b.Raw.TTFO.Successful.summary(min(n, b.Raw.TTFO.Successful.Count)).dist(&l, ttfo, 1)
	l.ITL = b.Raw.ITL.Successful.summary(min(n, b.Raw.ITL.Successful.Count)).dist(&l, itl, 1)
	l.E2E = b.Raw.Latency.Successful.summary(min(n, b.Raw.Latency.Successful.Count)).dist(&l, e2e, 1000)
	l.Throughput = record.Throughput{
		RequestsPerS: value(b.Raw.RequestsPerS.Successful.Mean), OutputTokensPerS: value(b.Raw.OutputPerS.Successful.Mean),
		TotalTokensPerS: value(b.Raw.TotalPerS.Successful.Mean),
	}
	l.Got = record.Tokens{Prompt: positive(b.Raw.Prompt.Successful.Mean), Output: positive(b.Raw.Output.Successful.Mean)}
	return l
}

func guideAPI(format string) string {
	switch format {
	case "/v1/chat/completions", "chat_completions":
		return "chat"
	case "/v1/completions", "text_completions":
		return "completions"
	case "/v1/responses":
		return "responses"
	case "/v1/embeddings":
		return "embeddings"
	}
	return format
}
