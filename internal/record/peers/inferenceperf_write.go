package peers

import (
	"fmt"
	"strings"

	"assay/internal/record"
	"assay/internal/stats"
)

// writeInferencePerf gives the files of a folder as inference-perf leaves it: a
// stage a level, the summary of all, each request and the configuration.
func writeInferencePerf(run *record.Run, levels []heldLevel) ([]Output, error) {
	var out []Output
	var all heldLevel
	var entries []object
	for i := range levels {
		l := &levels[i]
		o, err := jsonFile(fmt.Sprintf("stage_%d_lifecycle_metrics.json", i), perfObject(l, true))
		if err != nil {
			return nil, err
		}
		out = append(out, o)
		all.requests = append(all.requests, l.requests...)
		for j := range l.requests {
			entries = append(entries, perfEntry(&l.requests[j]))
		}
	}
	summary, err := jsonFile(perfSummary, perfObject(&all, false))
	if err != nil {
		return nil, err
	}
	lines, err := jsonFile(perfPerRequest, entries)
	if err != nil {
		return nil, err
	}
	return append(out, summary, lines, perfConfigOf(run, levels)), nil
}

func perfObject(l *heldLevel, stage bool) object {
	good := l.succeeded()
	span := l.span()
	var delays []float64
	firstSent, lastSent := l.requests[0].SentUS, int64(0)
	for _, r := range l.requests {
		delays = append(delays, seconds(r.SentUS-r.IntendedUS))
		lastSent = max(lastSent, r.SentUS)
	}
	var load object
	load.add("count", len(l.requests))
	load.add("schedule_delay", perfDistribution(delays))
	if stage {
		sending := seconds(lastSent - firstSent)
		load.add("send_duration", sending)
		achieved := 0.0
		if sending > 0 {
			achieved = float64(len(l.requests)) / sending
		}
		// A stage of fixed concurrency has a rate too there: that of its count.
		requested := achieved
		if l.Load.Kind == record.ByRate {
			requested = l.Load.Value
		}
		load.add("requested_rate", requested)
		load.add("achieved_rate", achieved)
		if l.Load.Kind == record.ByConcurrency {
			load.add("concurrency", int(l.Load.Value))
		}
	}
	var o object
	o.add("benchmark_time_seconds", span)
	o.add("load_summary", load)
	o.add("successes", perfSuccesses(good, span))
	o.add("failures", perfFailures(l))
	return o
}

func perfSuccesses(good []*record.Request, span float64) object {
	var latency, throughput, o object
	latency.add("request_latency", perfDistribution(each(good, wholeS)))
	latency.add("normalized_time_per_output_token", perfDistribution(each(good, normalizedS)))
	latency.add("time_per_output_token", perfDistribution(each(good, perTokenS)))
	latency.add("time_to_first_token", perfDistribution(each(good, firstTokenS)))
	latency.add("inter_token_latency", perfDistribution(tokenGapsS(good)))
	prompt, output := each(good, promptTokens), each(good, outputTokens)
	in, made := spreadOf(prompt).sum(), spreadOf(output).sum()
	throughput.add("input_tokens_per_sec", in/span)
	throughput.add("output_tokens_per_sec", made/span)
	throughput.add("total_tokens_per_sec", (in+made)/span)
	throughput.add("requests_per_sec", float64(len(good))/span)
	for _, kind := range []string{"images_per_sec", "videos_per_sec", "audios_per_sec"} {
		throughput.add(kind, 0.0)
	}
	cached := 0.0
	for _, r := range good {
		if r.CachedTokens != nil {
			cached += float64(*r.CachedTokens)
		}
	}
	o.add("count", len(good))
	o.add("latency", latency)
	o.add("throughput", throughput)
	var tokens object
	tokens.add("total", in)
	tokens.add("cached", cached)
	tokens.add("uncached", max(in-cached, 0))
	o.add("prompt_tokens", append(tokens, perfDistribution(prompt)...))
	o.add("output_len", perfDistribution(output))
	var outputs object
	outputs.add("total", made)
	o.add("output_tokens", append(outputs, perfDistribution(output)...))
	o.add("token_count_mismatches", 0)
	return o
}

func perfFailures(l *heldLevel) object {
	var waits []float64
	var labels object
	count := map[string]int{}
	var order []string
	failed := 0
	for i := range l.requests {
		r := &l.requests[i]
		if r.OK() {
			continue
		}
		failed++
		waits = append(waits, seconds(r.EndUS-r.SentUS))
		if count[r.Error] == 0 {
			order = append(order, r.Error)
		}
		count[r.Error]++
	}
	for _, kind := range order {
		labels.add(kind, object{{"count", count[kind]}, {"messages", []string{}}})
	}
	var o object
	o.add("count", failed)
	o.add("request_latency", perfDistribution(waits))
	o.add("by_label", labels)
	return o
}

// perfDistribution is null for no samples.
func perfDistribution(samples []float64) object {
	s := spreadOf(samples)
	if s.n() == 0 {
		return nil
	}
	o := object{{"mean", s.mean}, {"min", s.min()}, {"max", s.max()}}
	for _, p := range percentiles {
		name := stats.Name(p)
		if p == 50 {
			name = "median"
		}
		o.add(name, s.at(p))
	}
	return o
}

// perfEntry is one request. Times are those since the run's start: the tool's
// own are of a monotonic clock.
func perfEntry(r *record.Request) object {
	at := func(us int64) float64 { return seconds(r.SentUS + us) }
	var chunks, tokens []float64
	for i, us := range r.ChunkUS {
		chunks = append(chunks, at(us))
		for range chunkTokens(r, i) {
			tokens = append(tokens, at(us))
		}
	}
	var usage any
	if r.PromptTokens != nil && r.OutputTokens != nil {
		u := object{{"prompt_tokens", *r.PromptTokens}, {"completion_tokens", *r.OutputTokens}, {"total_tokens", *r.PromptTokens + *r.OutputTokens}}
		if r.CachedTokens != nil {
			u.add("prompt_tokens_details", object{{"cached_tokens", *r.CachedTokens}})
		}
		usage = u
	}
	response := object{
		{"output_tokens", outputOf(r)}, {"server_usage", usage}, {"response_chunks", []string{}},
		{"chunk_times", list(chunks)}, {"output_token_times", list(tokens)},
	}
	var o object
	o.add("start_time", seconds(r.SentUS))
	o.add("end_time", seconds(r.EndUS))
	o.add("request", "")
	o.add("response", "")
	o.add("info", object{
		{"request_metrics", object{{"text", object{{"input_tokens", promptOf(r)}}}, {"image", nil}, {"video", nil}, {"audio", nil}}},
		{"response_metrics", response}, {"extra_info", object{}}, {"lora_adapter", nil}, {"labels", object{}}, {"input_tokens", promptOf(r)},
	})
	if r.OK() {
		o.add("error", nil)
	} else {
		o.add("error", object{{"error_type", r.Error}, {"error_msg", r.Detail}})
	}
	return o
}

// chunkTokens is how many tokens chunk i holds, 1 where no one says.
func chunkTokens(r *record.Request, i int) int {
	if len(r.ChunkTokens) == len(r.ChunkUS) {
		return r.ChunkTokens[i]
	}
	return 1
}

// tokenGapsS are the gaps between tokens, pooled: tokens of one chunk have gaps
// of 0 between them.
func tokenGapsS(good []*record.Request) []float64 {
	var out []float64
	for _, r := range good {
		for i := range r.ChunkUS {
			for range chunkTokens(r, i) - 1 {
				out = append(out, 0)
			}
			if i > 0 {
				out = append(out, seconds(r.ChunkUS[i]-r.ChunkUS[i-1]))
			}
		}
	}
	return out
}

// normalizedS is the whole latency over all tokens, the first one's wait in it.
func normalizedS(r *record.Request) (float64, bool) {
	n := outputOf(r)
	return seconds(r.EndUS-r.SentUS) / float64(max(n, 1)), n > 0
}

func promptTokens(r *record.Request) (float64, bool) { return float64(promptOf(r)), true }

func outputTokens(r *record.Request) (float64, bool) { return float64(outputOf(r)), true }

// perfConfigOf is what a reader of the folder asks of config.yaml.
func perfConfigOf(run *record.Run, levels []heldLevel) Output {
	kind := "concurrent"
	if levels[0].Load.Kind == record.ByRate {
		kind = "constant"
		if levels[0].Load.Arrival != "constant" {
			kind = "poisson"
		}
	}
	api := "chat"
	if run.Target.API == "completions" {
		api = "completion"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\napi: {type: %s, streaming: true}\nload:\n  type: %s\n  stages:\n", writer(run), api, kind)
	for _, l := range levels {
		if l.Load.Kind == record.ByConcurrency {
			fmt.Fprintf(&b, "  - {num_requests: %d, concurrency_level: %g}\n", len(l.requests), l.Load.Value)
		} else {
			fmt.Fprintf(&b, "  - {rate: %g, duration: %d}\n", l.Load.Value, max(1, int(l.span()+0.5)))
		}
	}
	fmt.Fprintf(&b, "server: {type: vllm, model_name: %q, base_url: %q}\n", run.Target.Model, run.Target.URL)
	return Output{Name: perfConfig, Data: []byte(b.String())}
}
