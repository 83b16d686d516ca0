package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// The version of AIPerf whose files are written, and of their schema.
const (
	aiperfVersion = "0.13.0"
	aiperfSchema  = "1.4"
)

// writeAIPerf gives an export and its lines, in a folder a level where there
// are several.
func writeAIPerf(run *record.Run, levels []heldLevel) ([]Output, error) {
	var out []Output
	for i := range levels {
		l := &levels[i]
		folder := levelFolder(levels, l)
		export, err := jsonFile(folder+aiperfSummary, aiperfObject(run, l))
		if err != nil {
			return nil, err
		}
		var lines bytes.Buffer
		for j := range l.requests {
			b, err := json.Marshal(aiperfLineOf(l, j))
			if err != nil {
				return nil, err
			}
			lines.Write(b)
			lines.WriteByte('\n')
		}
		out = append(out, export, Output{Name: folder + aiperfLines, Data: lines.Bytes()})
	}
	return out, nil
}

func aiperfObject(run *record.Run, l *heldLevel) object {
	good := l.succeeded()
	span := l.span()
	var o object
	o.add("schema_version", aiperfSchema)
	o.add("aiperf_version", aiperfVersion+", "+writer(run))
	o.add("benchmark_id", run.Nonce)
	distribution := func(tag, unit string, scale float64, samples []float64) {
		if len(samples) > 0 {
			o.add(tag, aiperfDistribution(unit, scale, samples))
		}
	}
	single := func(tag, unit string, x float64) { o.add(tag, object{{"unit", unit}, {"avg", x}}) }
	prompt, output := each(good, promptTokens), each(good, outputTokens)
	in, made := spreadOf(prompt).sum(), spreadOf(output).sum()
	single("request_throughput", "requests/sec", float64(len(good))/span)
	distribution("request_latency", "ms", 1000, each(good, lastTokenS))
	single("request_count", "requests", float64(len(good)))
	distribution("time_to_first_token", "ms", 1000, each(good, firstTokenS))
	distribution("time_to_second_token", "ms", 1000, each(good, secondTokenS))
	distribution("time_to_first_output_token", "ms", 1000, each(good, firstAnswerS))
	distribution("inter_token_latency", "ms", 1000, each(good, perTokenS))
	distribution("inter_chunk_latency", "ms", 1000, gapsS(good))
	single("output_token_throughput", "tokens/sec", made/span)
	single("total_token_throughput", "tokens/sec", (in+made)/span)
	distribution("output_token_throughput_per_user", "tokens/sec/user", 1, each(good, perUser))
	distribution("output_sequence_length", "tokens", 1, output)
	distribution("input_sequence_length", "tokens", 1, prompt)
	distribution("output_token_count", "tokens", 1, each(good, answerTokens))
	distribution("reasoning_token_count", "tokens", 1, each(good, reasoningTokens))
	single("total_output_tokens", "tokens", made)
	single("total_isl", "tokens", in)
	single("total_osl", "tokens", made)
	single("benchmark_duration", "sec", span)
	if failed := len(l.requests) - len(good); failed > 0 {
		single("error_request_count", "requests", float64(failed))
	}
	first, last := l.requests[0].SentUS, l.requests[0].EndUS
	for _, r := range l.requests {
		last = max(last, r.EndUS)
	}
	single("min_request_timestamp", "ns", l.epoch(first)*1e9)
	single("max_response_timestamp", "ns", l.epoch(last)*1e9)
	o.add("input_config", aiperfConfig(run, l))
	o.add("run_info", object{{"benchmark_id", run.Nonce}, {"random_seed", run.Seed}, {"trial", 0}, {"run_label", l.ID}})
	o.add("was_cancelled", run.Interrupted)
	o.add("is_complete", l.CutBy == "")
	o.add("error_summary", aiperfErrors(l))
	at := func(us int64) string {
		return l.start.Add(time.Duration(us) * time.Microsecond).UTC().Format("2006-01-02T15:04:05.000000")
	}
	o.add("start_time", at(first))
	o.add("end_time", at(last))
	return o
}

func aiperfDistribution(unit string, scale float64, samples []float64) object {
	s := spreadOf(samples)
	o := object{{"unit", unit}, {"avg", s.mean * scale}}
	for _, p := range []float64{1, 5, 10, 25, 50, 75, 90, 95, 99} {
		o.add(stats.Name(p), s.at(p)*scale)
	}
	o.add("min", s.min()*scale)
	o.add("max", s.max()*scale)
	o.add("std", s.std*scale)
	o.add("count", s.n())
	o.add("sum", s.sum()*scale)
	return o
}

// aiperfConfig is the part of the configuration that the record knows, in the
// form that AIPerf's own models take.
func aiperfConfig(run *record.Run, l *heldLevel) object {
	phase := object{{"name", "profiling"}, {"kind", "profiling"}}
	if l.Load.Kind == record.ByRate {
		arrival := l.Load.Arrival
		if arrival == "" {
			arrival = "poisson"
		}
		phase.add("type", arrival)
		phase.add("rate", l.Load.Value)
	} else {
		phase.add("type", "concurrency")
		phase.add("concurrency", max(int(l.Load.Value), 1))
	}
	phase.add("requests", len(l.requests))
	return object{
		{"models", object{{"items", []object{{{"name", orUnknown(run.Target.Model)}}}}}},
		{"endpoint", object{{"urls", []string{orLocal(run.Target.URL)}}, {"type", aiperfEndpoint(run.Target.API)}, {"streaming", true}}},
		{"datasets", []object{{
			{"name", "main"}, {"type", "synthetic"}, {"entries", len(l.requests)},
			{"prompts", object{{"isl", object{{"mean", meanOr(l.Asked.Prompt, l.Got.Prompt)}}}, {"osl", object{{"mean", meanOr(l.Asked.Output, l.Got.Output)}}}}},
		}}},
		{"phases", []object{phase}},
	}
}

// meanOr is a mean length of at least 1.
func meanOr(asked, got *float64) float64 {
	mean := value(asked)
	if asked == nil {
		mean = value(got)
	}
	return max(mean, 1)
}

// orLocal stands in for the URL that a run against the simulated engine has not.
func orLocal(url string) string {
	if url == "" {
		return "http://localhost"
	}
	return url
}

func aiperfEndpoint(api string) string {
	switch api {
	case "chat", "completions", "responses", "embeddings":
		return api
	}
	return "chat"
}

func aiperfErrors(l *heldLevel) []object {
	count := map[string]int{}
	var order []string
	for i := range l.requests {
		if r := &l.requests[i]; !r.OK() {
			if count[r.Error] == 0 {
				order = append(order, r.Error)
			}
			count[r.Error]++
		}
	}
	out := []object{}
	for _, kind := range order {
		out = append(out, object{{"error_details", object{{"type", kind}, {"message", kind}}}, {"count", count[kind]}})
	}
	return out
}

func aiperfLineOf(l *heldLevel, i int) object {
	r := &l.requests[i]
	ns := func(us int64) int64 { return l.start.UnixNano() + us*1000 }
	metadata := object{
		{"session_num", i}, {"x_request_id", r.ID}, {"turn_index", 0}, {"credit_issued_ns", ns(r.IntendedUS)},
		{"request_start_ns", ns(r.SentUS)}, {"request_end_ns", ns(r.EndUS)}, {"worker_id", "assay"}, {"record_processor_id", "assay"},
		{"benchmark_phase", "profiling"}, {"was_cancelled", r.Error == kindCancelled},
	}
	metrics := object{}
	add := func(tag, unit string, scale float64, measure func(*record.Request) (float64, bool)) {
		if x, ok := measure(r); ok {
			metrics.add(tag, object{{"value", x * scale}, {"unit", unit}})
		}
	}
	if !r.OK() {
		return object{{"metadata", metadata}, {"metrics", metrics}, {"error", object{{"code", nilZero(r.Status)}, {"type", r.Error}, {"message", fmt.Sprint(r.Error, ": ", r.Detail)}}}}
	}
	add("request_latency", "ms", 1000, lastTokenS)
	add("time_to_first_token", "ms", 1000, firstTokenS)
	add("time_to_second_token", "ms", 1000, secondTokenS)
	add("time_to_first_output_token", "ms", 1000, firstAnswerS)
	add("inter_token_latency", "ms", 1000, perTokenS)
	add("output_token_throughput_per_user", "tokens/sec/user", 1, perUser)
	if gaps := gapsS([]*record.Request{r}); len(gaps) > 0 {
		for i := range gaps {
			gaps[i] *= 1000
		}
		metrics.add("inter_chunk_latency", object{{"value", gaps}, {"unit", "ms"}})
	}
	if r.OutputTokens != nil {
		add("output_sequence_length", "tokens", 1, outputTokens)
		add("output_token_count", "tokens", 1, answerTokens)
		add("usage_completion_tokens", "tokens", 1, outputTokens)
	}
	if r.PromptTokens != nil {
		add("input_sequence_length", "tokens", 1, promptTokens)
		add("usage_prompt_tokens", "tokens", 1, promptTokens)
	}
	add("reasoning_token_count", "tokens", 1, reasoningTokens)
	if r.CachedTokens != nil {
		metrics.add("usage_prompt_cache_read_tokens", object{{"value", *r.CachedTokens}, {"unit", "tokens"}})
	}
	return object{{"metadata", metadata}, {"metrics", metrics}, {"error", nil}}
}

func nilZero(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// secondTokenS is from the first chunk to the second.
func secondTokenS(r *record.Request) (float64, bool) {
	if len(r.ChunkUS) < 2 {
		return 0, false
	}
	return seconds(r.ChunkUS[1] - r.ChunkUS[0]), true
}

func firstAnswerS(r *record.Request) (float64, bool) {
	ms, ok := r.TTFO()
	return ms / 1000, ok
}

// perUser is tokens a second as one user sees them: 1 / inter-token latency.
func perUser(r *record.Request) (float64, bool) {
	x, ok := perTokenS(r)
	return 1 / x, ok && x > 0
}

// answerTokens are the output tokens without those of reasoning.
func answerTokens(r *record.Request) (float64, bool) {
	n := outputOf(r)
	if r.Reasoning != nil {
		n -= *r.Reasoning
	}
	return float64(max(n, 0)), true
}

func reasoningTokens(r *record.Request) (float64, bool) {
	if r.Reasoning == nil {
		return 0, false
	}
	return float64(*r.Reasoning), true
}
