package peers

import (
	"fmt"
	"strings"

	"assay/internal/record"
)

// guideVersion is the GuideLLM whose report is written.
const guideVersion = "0.8.1"

// writeGuideLLM gives one report with a benchmark a level.
func writeGuideLLM(run *record.Run, levels []heldLevel) ([]Output, error) {
	var benchmarks []object
	for i := range levels {
		benchmarks = append(benchmarks, guideObject(run, &levels[i]))
	}
	o, err := jsonFile("benchmarks.json", object{
		{"metadata", object{{"version", 2}, {"guidellm_version", guideVersion + ", " + writer(run)}, {"python_version", "none"}, {"platform", strings.TrimSpace(run.Host.OS + " " + run.Host.Arch)}}},
		{"config", guideConfig(run, levels)}, {"benchmarks", benchmarks}, {"conclusions", []string{}},
	})
	return []Output{o}, err
}

func guideConfig(run *record.Run, levels []heldLevel) object {
	first := &levels[0]
	return object{
		{"metadata", object{{"labels", object{{"written_by", writer(run)}}}}},
		{"spec", object{
			{"backend", guideBackend(run)},
			{"profile", guideProfile(levels)},
			{"data", []object{{{"kind", "synthetic_text"}, {"prompt_tokens", int(meanOr(first.Asked.Prompt, first.Got.Prompt))}, {"output_tokens", int(meanOr(first.Asked.Output, first.Got.Output))}}}},
			{"constraints", []object{{{"kind", "max_requests"}, {"count", len(first.requests)}}}},
		}},
	}
}

func guideBackend(run *record.Run) object {
	return object{{"kind", "openai_http"}, {"target", orLocal(run.Target.URL)}, {"model", run.Target.Model}, {"request_format", guideFormat(run.Target.API)}}
}

func guideFormat(api string) string {
	switch api {
	case "completions":
		return "/v1/completions"
	case "responses":
		return "/v1/responses"
	case "embeddings":
		return "/v1/embeddings"
	}
	return "/v1/chat/completions"
}

// guideProfile is of the kind of the first level: a report has one.
func guideProfile(levels []heldLevel) object {
	if levels[0].Load.Kind == record.ByRate {
		var rates []float64
		for _, l := range levels {
			if l.Load.Kind == record.ByRate {
				rates = append(rates, l.Load.Value)
			}
		}
		return object{{"kind", guideArrival(levels[0].Load)}, {"rate", rates}}
	}
	var streams []int
	for _, l := range levels {
		if l.Load.Kind == record.ByConcurrency {
			streams = append(streams, int(l.Load.Value))
		}
	}
	return object{{"kind", "concurrent"}, {"streams", streams}}
}

// guideArrival is constant or poisson: it has no gamma arrivals.
func guideArrival(l record.Load) string {
	if l.Arrival == "constant" {
		return "constant"
	}
	return "poisson"
}

func guideStrategyOf(l *heldLevel) object {
	if l.Load.Kind == record.ByRate {
		return object{{"type_", guideArrival(l.Load)}, {"rate", l.Load.Value}}
	}
	n := max(int(l.Load.Value), 1)
	return object{{"type_", "concurrent"}, {"worker_count", n}, {"max_concurrency", n}, {"streams", n}, {"rampup_duration", 0.0}}
}

func guideObject(run *record.Run, l *heldLevel) object {
	part := guideParts(l)
	start, end := l.epoch(l.requests[0].SentUS), l.epoch(l.requests[0].EndUS)
	for i := range l.requests {
		end = max(end, l.epoch(l.requests[i].EndUS))
	}
	made := object{{"successful", len(part.good)}, {"errored", len(part.bad)}, {"incomplete", len(part.cut)}, {"total", len(l.requests)}}
	none := guideDistribution(nil, 0)
	constraint := object{{"type_", "max_requests"}, {"args", object{{"kind", "max_requests"}, {"count", len(l.requests)}}}}
	return object{
		{"type_", "generative_benchmark"},
		{"config", object{
			{"id_", fmt.Sprintf("%s-%s", run.Nonce, l.ID)}, {"run_id", run.Nonce}, {"run_index", l.index}, {"strategy", guideStrategyOf(l)},
			{"constraints", object{{"max_requests", constraint}}}, {"sample_size", nil}, {"profile", guideProfile([]heldLevel{*l})},
			{"requests", object{}}, {"backend", guideBackend(run)}, {"environment", object{}},
		}},
		{"scheduler_state", object{
			{"node_id", 0}, {"num_processes", 1}, {"start_time", start}, {"end_time", end}, {"start_requests_time", start}, {"end_requests_time", end},
			{"created_requests", len(l.requests)}, {"processed_requests", len(l.requests)}, {"successful_requests", len(part.good)},
			{"errored_requests", len(part.bad)}, {"cancelled_requests", len(part.cut)},
		}},
		{"scheduler_metrics", object{
			{"start_time", start}, {"request_start_time", start}, {"measure_start_time", start}, {"measure_end_time", end}, {"request_end_time", end}, {"end_time", end},
			{"requests_made", made}, {"generation_delay", none},
			{"queued_time_avg", -1.0}, {"resolve_start_delay_avg", -1.0}, {"resolve_targeted_start_delay_avg", -1.0}, {"request_start_delay_avg", -1.0},
			{"request_targeted_start_delay_avg", spreadOf(guideDelays(l)).mean}, {"request_time_avg", spreadOf(each(part.good, wholeS)).mean},
			{"resolve_end_delay_avg", -1.0}, {"resolve_time_avg", -1.0}, {"finalized_delay_avg", -1.0}, {"processed_delay_avg", -1.0},
			{"strategy_type", guideStrategyOf(l)[0].value},
		}},
		{"metrics", guideMetricsOf(l, part, made, start, end)},
		{"requests", object{{"successful", guideRequests(l, part.good, "completed")}, {"incomplete", guideRequests(l, part.cut, "cancelled")}, {"errored", guideRequests(l, part.bad, "errored")}, {"total", nil}}},
		{"warnings", []string{}}, {"start_time", start}, {"end_time", end}, {"duration", end - start},
	}
}

// guideDelays are from the intended to the actual send, seconds.
func guideDelays(l *heldLevel) []float64 {
	var out []float64
	for i := range l.requests {
		out = append(out, seconds(l.requests[i].SentUS-l.requests[i].IntendedUS))
	}
	return out
}

// parted are a level's requests by how they ended.
type parted struct{ good, bad, cut []*record.Request }

func guideParts(l *heldLevel) (p parted) {
	for i := range l.requests {
		switch r := &l.requests[i]; {
		case r.OK():
			p.good = append(p.good, r)
		case r.Error == kindCancelled:
			p.cut = append(p.cut, r)
		default:
			p.bad = append(p.bad, r)
		}
	}
	return p
}

func (p parted) all() []*record.Request {
	return append(append(append([]*record.Request{}, p.good...), p.cut...), p.bad...)
}

// byStatus makes one distribution of each part.
func (p parted) byStatus(of func([]*record.Request) object) object {
	return object{{"successful", of(p.good)}, {"errored", of(p.bad)}, {"incomplete", of(p.cut)}, {"total", of(p.all())}}
}

func guideMetricsOf(l *heldLevel, p parted, made object, start, end float64) object {
	plain := func(scale float64, measure func(*record.Request) (float64, bool)) object {
		return p.byStatus(func(rs []*record.Request) object {
			xs := each(rs, measure)
			for i := range xs {
				xs[i] *= scale
			}
			return guideDistribution(ones(xs), -1)
		})
	}
	rate := func(of func(*record.Request) []event) object {
		return p.byStatus(func(rs []*record.Request) object {
			var events []event
			for _, r := range rs {
				events = append(events, of(r)...)
			}
			if len(events) == 0 {
				return guideDistribution(nil, 0)
			}
			return guideDistribution(rates(events, start, end), float64(len(rs)))
		})
	}
	byToken := func(measure func(*record.Request) (float64, bool), weight func(int) float64) object {
		return p.byStatus(func(rs []*record.Request) object {
			var xs []weighted
			for _, r := range rs {
				if s, ok := measure(r); ok {
					xs = append(xs, weighted{s * 1000, weight(outputOf(r))})
				}
			}
			return guideDistribution(xs, -1)
		})
	}
	empty := p.byStatus(func([]*record.Request) object { return guideDistribution(nil, 0) })
	var scheduled, delayed any
	if l.Load.Kind == record.ByRate {
		scheduled = plain(1, func(r *record.Request) (float64, bool) { return seconds(r.EndUS - r.IntendedUS), true })
		delayed = plain(1, func(r *record.Request) (float64, bool) { return seconds(r.SentUS - r.IntendedUS), true })
	}
	o := object{
		{"request_totals", made},
		{"requests_per_second", rate(func(r *record.Request) []event { return []event{{l.epoch(r.EndUS), 1}} })},
		{"request_concurrency", p.byStatus(func(rs []*record.Request) object {
			var spans [][2]float64
			for _, r := range rs {
				spans = append(spans, [2]float64{l.epoch(r.SentUS), l.epoch(r.EndUS)})
			}
			if len(spans) == 0 {
				return guideDistribution(nil, 0)
			}
			return guideDistribution(openOver(spans, start, end), float64(len(rs)))
		})},
		{"request_latency", plain(1, wholeS)}, {"request_dispatch_delay", delayed}, {"request_scheduled_latency", scheduled},
		{"request_streaming_iterations_count", plain(1, func(r *record.Request) (float64, bool) { return float64(len(r.ChunkUS)), true })},
		{"prompt_token_count", plain(1, promptTokens)}, {"output_token_count", plain(1, outputTokens)},
		{"total_token_count", plain(1, func(r *record.Request) (float64, bool) { return float64(promptOf(r) + outputOf(r)), true })},
		{"time_to_first_token_ms", plain(1000, firstTokenS)}, {"time_to_first_output_token_ms", plain(1000, firstAnswerS)},
		{"time_per_output_token_ms", byToken(guidePerOutputS, func(n int) float64 { return float64(n) })},
		{"inter_token_latency_ms", byToken(perTokenS, func(n int) float64 { return float64(n - 1) })},
		{"time_to_last_round_trip_ms", empty}, {"avg_round_trip_time_ms", empty},
		{"prompt_tokens_per_second", rate(func(r *record.Request) []event { return guidePrompt(l, r) })},
		{"output_tokens_per_second", rate(func(r *record.Request) []event { return guideOutput(l, r) })},
		{"tokens_per_second", rate(func(r *record.Request) []event { return append(guidePrompt(l, r), guideOutput(l, r)...) })},
		{"output_tokens_per_iteration", plain(1, func(r *record.Request) (float64, bool) {
			return float64(outputOf(r)) / float64(max(len(r.ChunkUS), 1)), len(r.ChunkUS) > 0
		})},
		{"iter_tokens_per_iteration", plain(1, func(r *record.Request) (float64, bool) {
			return float64(outputOf(r)-1) / float64(max(len(r.ChunkUS)-1, 1)), len(r.ChunkUS) > 1
		})},
	}
	for _, kind := range []struct {
		name  string
		parts []string
	}{
		{"text", []string{"tokens", "words", "characters"}}, {"image", []string{"tokens", "images", "pixels", "bytes"}},
		{"video", []string{"tokens", "frames", "seconds", "bytes"}}, {"audio", []string{"tokens", "samples", "seconds", "bytes"}},
		{"tool_call", []string{"tokens", "mixed_tokens", "count"}},
	} {
		var parts object
		for _, part := range kind.parts {
			parts.add(part, nil)
		}
		o.add(kind.name, parts)
	}
	return o
}

// guidePerOutputS is from the send to the last token over all tokens: the wait
// for the first is in it.
func guidePerOutputS(r *record.Request) (float64, bool) {
	n := outputOf(r)
	return seconds(lastToken(r)) / float64(max(n, 1)), n > 0
}

// guidePrompt credits the prompt to the first token.
func guidePrompt(l *heldLevel, r *record.Request) []event {
	if len(r.ChunkUS) == 0 || promptOf(r) == 0 {
		return nil
	}
	return []event{{l.epoch(r.SentUS + r.ChunkUS[0]), float64(promptOf(r))}}
}

// guideOutput credits each token to its chunk.
func guideOutput(l *heldLevel, r *record.Request) []event {
	var out []event
	r.EachToken(func(at int64, tokens float64) { out = append(out, event{l.epoch(at), tokens}) })
	return out
}

func guideRequests(l *heldLevel, rs []*record.Request, status string) []object {
	out := []object{}
	for _, r := range rs {
		out = append(out, guideRequestOf(l, r, status))
	}
	return out
}

func guideRequestOf(l *heldLevel, r *record.Request, status string) object {
	since := func(us int64) float64 { return l.epoch(r.SentUS + us) }
	var first, answer, last any
	if n := len(r.ChunkUS); n > 0 {
		first, last = since(r.ChunkUS[0]), since(r.ChunkUS[n-1])
		if r.AnswerAt >= 0 && r.AnswerAt < n {
			answer = since(r.ChunkUS[r.AnswerAt])
		}
	}
	var failure any
	if !r.OK() {
		failure = vllmError(r)
	}
	start, end := since(0), l.epoch(r.EndUS)
	return object{
		{"type_", "generative_request_stats"}, {"request_id", r.ID}, {"response_id", nil}, {"request_args", nil}, {"output", nil},
		{"info", object{
			{"request_id", r.ID}, {"status", status}, {"scheduler_node_id", 0}, {"scheduler_process_id", 0}, {"scheduler_start_time", l.epoch(0)},
			{"timings", object{
				{"targeted_start", l.epoch(r.IntendedUS)}, {"resolve_start", start}, {"request_start", start},
				{"first_request_iteration", first}, {"first_token_iteration", first}, {"first_output_token_iteration", answer},
				{"last_token_iteration", last}, {"last_request_iteration", last},
				{"request_iterations", len(r.ChunkUS)}, {"token_iterations", len(r.ChunkUS)}, {"request_end", end}, {"resolve_end", end}, {"finalized", end},
			}},
			{"error", failure},
		}},
		{"input_metrics", object{{"text_tokens", r.PromptTokens}, {"cached_tokens", r.CachedTokens}, {"total_tokens", r.PromptTokens}}},
		{"output_metrics", object{{"text_tokens", r.OutputTokens}, {"total_tokens", r.OutputTokens}}},
	}
}
