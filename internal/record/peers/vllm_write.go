package peers

import (
	"bytes"
	"encoding/json"

	"assay/internal/record"
	"assay/internal/stats"
)

// writeVLLM gives a line a level, as vllm bench serve --append-result
// --save-detailed leaves them, with every percentile that its readers ask for.
// TTFT is to the first token, for the record has no chunk without one.
func writeVLLM(run *record.Run, levels []heldLevel) ([]Output, error) {
	var b bytes.Buffer
	for i := range levels {
		line, err := json.Marshal(vllmObject(run, &levels[i]))
		if err != nil {
			return nil, err
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	name := "vllm.json"
	if len(levels) > 1 {
		name = "vllm.jsonl"
	}
	return []Output{{Name: name, Data: b.Bytes()}}, nil
}

func vllmObject(run *record.Run, l *heldLevel) object {
	good := l.succeeded()
	span := l.span()
	var input, output int
	for _, r := range good {
		input, output = input+promptOf(r), output+outputOf(r)
	}
	rate, burstiness, concurrency := any("inf"), 1.0, any(nil)
	if l.Load.Kind == record.ByRate {
		rate = l.Load.Value
		if l.Load.Arrival == "constant" {
			burstiness = constantBurstiness
		} else if l.Load.Burstiness > 0 {
			burstiness = l.Load.Burstiness
		}
	} else {
		concurrency = int(l.Load.Value)
	}
	var o object
	o.add("date", l.End.UTC().Format("20060102-150405"))
	backend := vllmBackend(run.Target.API)
	o.add("endpoint_type", backend)
	o.add("backend", backend)
	o.add("label", l.ID)
	o.add("model_id", run.Target.Model)
	o.add("tokenizer_id", run.Target.Model)
	o.add("num_prompts", len(l.requests))
	o.add("written_by", writer(run))
	o.add("request_rate", rate)
	o.add("burstiness", burstiness)
	o.add("max_concurrency", concurrency)
	o.add("duration", span)
	o.add("completed", len(good))
	o.add("failed", len(l.requests)-len(good))
	o.add("total_input_tokens", input)
	o.add("total_output_tokens", output)
	o.add("request_throughput", float64(len(good))/span)
	o.add("request_goodput", nil)
	o.add("output_throughput", float64(output)/span)
	o.add("total_token_throughput", float64(input+output)/span)
	tokensS, open := vllmPeaks(good)
	o.add("max_output_tokens_per_s", tokensS)
	o.add("max_concurrent_requests", open)
	o.add("rtfx", 0.0)
	for _, m := range []struct {
		name    string
		samples []float64
	}{
		{"ttft", each(good, firstTokenS)}, {"tpot", each(good, perTokenS)}, {"itl", gapsS(good)}, {"e2el", each(good, lastTokenS)},
	} {
		vllmMetric(&o, m.name, spreadOf(m.samples))
	}
	vllmLists(&o, l)
	return o
}

func vllmMetric(o *object, name string, s spread) {
	o.add("mean_"+name+"_ms", s.mean*1000)
	o.add("median_"+name+"_ms", s.at(50)*1000)
	o.add("std_"+name+"_ms", s.std*1000)
	for _, p := range percentiles {
		o.add(stats.Name(p)+"_"+name+"_ms", s.at(p)*1000)
	}
}

// vllmLists are those of --save-detailed. A failed request has 0 for what it
// has not.
func vllmLists(o *object, l *heldLevel) {
	var inputs, outputs []int
	var ttfts, latencies, starts, queued []float64
	var itls [][]float64
	var texts, errs []string
	for i := range l.requests {
		r := &l.requests[i]
		inputs, texts = append(inputs, promptOf(r)), append(texts, "")
		starts = append(starts, seconds(r.SentUS))
		wait := 0.0
		if l.Load.Kind == record.ByRate {
			wait = seconds(r.SentUS - r.IntendedUS)
		}
		queued = append(queued, wait)
		if !r.OK() {
			outputs, ttfts, itls, latencies = append(outputs, 0), append(ttfts, 0), append(itls, []float64{}), append(latencies, 0)
			errs = append(errs, vllmError(r))
			continue
		}
		first, _ := firstTokenS(r)
		outputs, ttfts, itls = append(outputs, outputOf(r)), append(ttfts, first), append(itls, list(gapsS([]*record.Request{r})))
		latencies, errs = append(latencies, seconds(lastToken(r))), append(errs, "")
	}
	o.add("input_lens", inputs)
	o.add("output_lens", outputs)
	o.add("ttfts", ttfts)
	o.add("itls", itls)
	o.add("latencies", latencies)
	o.add("start_times", starts)
	o.add("queue_times", queued)
	o.add("generated_texts", texts)
	o.add("errors", errs)
}

func vllmError(r *record.Request) string {
	if r.Detail == "" {
		return r.Error
	}
	return r.Error + ": " + r.Detail
}

// vllmPeaks are the most chunks in a second and the most requests that were
// open within one, over seconds since the first send.
func vllmPeaks(good []*record.Request) (tokensPerS float64, open int) {
	if len(good) == 0 {
		return 0, 0
	}
	first, last := good[0].SentUS, int64(0)
	for _, r := range good {
		first, last = min(first, r.SentUS), max(last, r.EndUS)
	}
	n := int((last-first)/1e6) + 2
	chunks, requests := make([]float64, n), make([]int, n)
	for _, r := range good {
		for _, at := range r.ChunkUS {
			if i := int((r.SentUS + at - first) / 1e6); i < n {
				chunks[i]++
			}
		}
		for i := int((r.SentUS - first) / 1e6); i <= int((r.SentUS+lastToken(r)-first)/1e6) && i < n; i++ {
			requests[i]++
		}
	}
	for i := range n {
		tokensPerS, open = max(tokensPerS, chunks[i]), max(open, requests[i])
	}
	return tokensPerS, open
}

func vllmBackend(api string) string {
	switch api {
	case "chat":
		return "openai-chat"
	case "completions":
		return "openai"
	case "responses":
		return "openai-responses"
	case "embeddings":
		return "openai-embeddings"
	}
	return api
}
