package peers

import (
	"fmt"
	"time"

	"assay/internal/record"
)

// llmdVersion is the version of llm-d's benchmark report that is written.
const llmdVersion = "0.2"

// writeLLMD gives a report a level: the format holds one. Latencies are in the
// terms that the schema's remarks state: time per output token without the
// first one, and inter-token latency as the gaps, pooled.
func writeLLMD(run *record.Run, levels []heldLevel) ([]Output, error) {
	var out []Output
	for i := range levels {
		name := "benchmark_report.json"
		if len(levels) > 1 {
			name = fmt.Sprintf("benchmark_report_%s.json", fileName(levels[i].ID))
		}
		o, err := jsonFile(name, llmdObject(run, &levels[i]))
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

func llmdObject(run *record.Run, l *heldLevel) object {
	from, to := l.requests[0].SentUS, int64(0)
	for _, r := range l.requests {
		to = max(to, r.EndUS)
	}
	at := func(us int64) string {
		return l.start.Add(time.Duration(us) * time.Microsecond).UTC().Format(time.RFC3339Nano)
	}
	var o object
	o.add("version", llmdVersion)
	o.add("run", object{
		{"uid", fmt.Sprintf("%s-%s-%s", run.Start.UTC().Format("20060102T150405Z"), run.Nonce, l.ID)},
		{"eid", "assay-" + run.Nonce},
		{"time", object{{"start", at(from)}, {"end", at(to)}, {"duration", fmt.Sprintf("PT%.6fS", seconds(to-from))}}},
		{"description", writer(run) + ", level " + l.ID},
	})
	o.add("scenario", object{{"stack", []object{llmdStack(run)}}, {"load", llmdLoad(run, l)}})
	o.add("results", object{{"request_performance", object{{"aggregate", llmdAggregate(l)}}}})
	return o
}

// llmdStack is the engine. The schema takes one only with its accelerator;
// where that is not known the component is a generic one.
func llmdStack(run *record.Run) object {
	p := run.Platform
	if p.GPU == nil || p.Count == nil {
		return object{
			{"metadata", object{{"schema_version", "0.0.1"}, {"label", "engine"}, {"cfg_id", orUnknown(run.Target.Model)}}},
			{"standardized", object{{"kind", "generic"}, {"tool", orUnknown(run.Target.Engine.Name)}, {"tool_version", orUnknown(run.Target.Engine.Version)}, {"model", object{{"name", run.Target.Model}}}}},
			{"native", object{}},
		}
	}
	parallel := object{}
	if p.TP != nil {
		parallel.add("tp", *p.TP)
	}
	engine := run.Target.Engine
	return object{
		{"metadata", object{{"schema_version", "0.0.1"}, {"label", "engine"}, {"cfg_id", orUnknown(run.Target.Model)}}},
		{"standardized", object{
			{"kind", "inference_engine"}, {"tool", orUnknown(engine.Name)}, {"tool_version", orUnknown(engine.Version)},
			{"role", "replica"}, {"replicas", 1}, {"model", object{{"name", run.Target.Model}}},
			{"accelerator", object{{"model", *p.GPU}, {"count", *p.Count}, {"parallelism", parallel}}},
		}},
		{"native", object{}},
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func llmdLoad(run *record.Run, l *heldLevel) object {
	s := object{
		{"tool", "assay"}, {"tool_version", orUnknown(run.Tool.Version)}, {"source", "unknown"}, {"stage", l.index},
		{"input_seq_len", llmdLengthOf(l.Asked.Prompt, l.Got.Prompt)},
	}
	if out := l.Asked.Output; out != nil {
		s.add("output_seq_len", llmdLengthOf(out, nil))
	}
	if l.Load.Kind == record.ByRate {
		s.add("rate_qps", l.Load.Value)
	} else {
		s.add("concurrency", int(l.Load.Value))
	}
	return object{{"metadata", object{{"schema_version", "0.0.1"}}}, {"standardized", s}, {"native", object{}}}
}

// llmdLengthOf is the mean of the lengths that were asked for, or that came.
func llmdLengthOf(asked, got *float64) object {
	mean := value(asked)
	if asked == nil {
		mean = value(got)
	}
	return object{{"distribution", "other"}, {"value", mean}}
}

func llmdAggregate(l *heldLevel) object {
	good := l.succeeded()
	cancelled := l.Requests.Cancelled
	requests := object{
		{"total", len(l.requests)}, {"failures", max(len(l.requests)-len(good)-cancelled, 0)}, {"incomplete", cancelled},
	}
	latency := object{}
	add := func(o *object, key, units string, samples []float64) {
		if s := llmdStatistics(units, samples); s != nil {
			o.add(key, s)
		}
	}
	prompt, output := each(good, promptTokens), each(good, outputTokens)
	add(&requests, "input_length", "count", prompt)
	add(&requests, "output_length", "count", output)
	add(&latency, "time_to_first_token", "s", each(good, firstTokenS))
	add(&latency, "normalized_time_per_output_token", "s/token", each(good, normalizedS))
	add(&latency, "time_per_output_token", "s/token", each(good, perTokenS))
	add(&latency, "inter_token_latency", "s/token", gapsS(good))
	add(&latency, "request_latency", "s", each(good, wholeS))
	o := object{{"requests", requests}, {"latency", latency}}
	if span := l.span(); len(good) > 0 && span > 0 {
		in, made := spreadOf(prompt).sum(), spreadOf(output).sum()
		rate := func(units string, x float64) object { return object{{"units", units}, {"mean", x / span}} }
		o.add("throughput", object{
			{"input_token_rate", rate("tokens/s", in)}, {"output_token_rate", rate("tokens/s", made)},
			{"total_token_rate", rate("tokens/s", in+made)}, {"request_rate", rate("queries/s", float64(len(good)))},
		})
	}
	return o
}

// llmdStatistics is nil for no samples.
func llmdStatistics(units string, samples []float64) object {
	s := spreadOf(samples)
	if s.n() == 0 {
		return nil
	}
	o := object{{"units", units}, {"mean", s.mean}, {"stddev", s.std}, {"min", s.min()}}
	for _, p := range []struct {
		key string
		p   float64
	}{{"p0p1", 0.1}, {"p1", 1}, {"p5", 5}, {"p10", 10}, {"p25", 25}, {"p50", 50}, {"p75", 75}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"p99p9", 99.9}} {
		o.add(p.key, s.at(p.p))
	}
	o.add("max", s.max())
	return o
}
