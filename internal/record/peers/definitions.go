package peers

import (
	"strings"

	"assay/internal/record"
)

// Metrics by the names that conditions use.
const (
	ttft       = "ttft"
	ttfo       = "ttfo"
	itl        = "itl"
	icl        = "icl"
	e2e        = "e2e"
	throughput = "throughput"
)

// ours are Assay's definitions, in short; docs/formats.md has them in full.
var ours = map[string]string{
	ttft:       "request written to first token; a role-only chunk is none, a reasoning token is one",
	ttfo:       "request written to first token that is not reasoning",
	itl:        "of each request (last token - first token) / (tokens - tokens of the first chunk)",
	icl:        "gaps between chunks that carry tokens, pooled",
	e2e:        "request written to the end of the stream",
	throughput: "over the part under full load, each token credited to the moment in which it came",
}

// relation is one metric of a tool beside Assay's.
type relation struct {
	metric string
	field  string // in the tool's file; empty where it has none
	theirs string
	// What holds where the file has aggregates alone, and where it has the
	// requests, so that Assay's own can be computed from them.
	aggregates, requests judgement
	source               string // where the definition was read
}

// judgement is a value of record.Definition.Comparable and why.
type judgement struct{ comparable, why string }

func same(why string) judgement      { return judgement{record.SameDefinition, why} }
func converted(why string) judgement { return judgement{record.ConvertedDefinition, why} }
func different(why string) judgement { return judgement{record.DifferentDefinition, why} }

// Remarks that hold for several tools.
const (
	beforeWrite      = "the clock starts before the request is written: writing it and, on a new connection, dialling are in it"
	wholeRun         = "the whole run, ramp and drain included"
	fromLines        = "computed from the file's requests"
	notHeld          = "the file does not hold it"
	roleChunk        = "over chat a chunk with the role alone, or the finish reason alone, counts as one with a token; --save-detailed lets Assay tell them"
	roleChunkUnclear = "over chat a chunk without a token counts as one, and the file does not show which"
	oneFirst         = "the first chunk is taken as one token, which is wrong where it held more"
)

// relations by tool, as of the versions that docs/formats.md names.
var relations = map[string][]relation{
	VLLM: {
		{ttft, "ttft", "to the first chunk with choices; over chat a chunk with the role alone counts",
			different(roleChunk), same(beforeWrite), "benchmarks/lib/endpoint_request_func.py"},
		{itl, "tpot", "(last chunk with choices - first) / (tokens - 1), of each request",
			different(roleChunk), converted(fromLines), "benchmarks/serve.py"},
		{icl, "itl", "gaps between chunks with choices, pooled; not divided by the tokens of a chunk",
			different(roleChunk), converted(fromLines), "benchmarks/lib/endpoint_request_func.py"},
		{e2e, "e2el", "to the last chunk with choices",
			same(beforeWrite + "; what follows the last chunk with choices is not in it"),
			same(beforeWrite + "; what follows the last chunk with choices is not in it"), "benchmarks/lib/endpoint_request_func.py"},
		{throughput, "output_throughput", wholeRun, different(wholeRun), converted(fromLines), "benchmarks/serve.py"},
	},
	SGLang: {
		{ttft, "ttft", "to the first chunk with text", same(beforeWrite), same(beforeWrite), "bench_serving.py"},
		{itl, "tpot", "(end of the answer - first token) / (tokens - 1), of each request; the end is that of the stream",
			different("the end of the stream stands for the last token"), different("the end of the stream stands for the last token"), "bench_serving.py"},
		{icl, "itl", "over its own API the gap divided by the tokens of the chunk; over OpenAI's the gaps between chunks",
			different("depends on the backend: gaps over OpenAI's API, gaps by tokens over its own"), different("depends on the backend: gaps over OpenAI's API, gaps by tokens over its own"), "bench_serving.py"},
		{e2e, "e2e_latency", "to the end of the stream", same(beforeWrite), same(beforeWrite), "bench_serving.py"},
		{throughput, "output_throughput", wholeRun, different(wholeRun), different(wholeRun), "bench_serving.py"},
	},
	AIPerf: {
		{ttft, "time_to_first_token", "to the first chunk with content, reasoning included", same(beforeWrite), same(beforeWrite), "metrics/types/ttft_metric.py"},
		{ttfo, "time_to_first_output_token", "to the first chunk with content that is not reasoning", same(beforeWrite), same(beforeWrite), "metrics/types/time_to_first_output_token_metric.py"},
		{itl, "inter_token_latency", "(request latency - TTFT) / (output length - 1), of each request; tokens by the client's tokenizer unless use_server_token_count was set", same(oneFirst), converted(fromLines + ", with the server's count of tokens where it gave one"), "metrics/types/inter_token_latency_metric.py"},
		{icl, "inter_chunk_latency", "gaps between chunks with content, pooled", same(""), converted(fromLines), "metrics/types/inter_chunk_latency_metric.py"},
		{e2e, "request_latency", "to the last chunk with content",
			same(beforeWrite + "; what follows the last chunk with content is not in it"),
			same(beforeWrite + "; what follows the last chunk with content is not in it"), "metrics/types/request_latency_metric.py"},
		{throughput, "output_token_throughput", wholeRun, different(wholeRun), converted(fromLines), "metrics/types/output_token_throughput_metrics.py"},
	},
	GuideLLM: {
		{ttft, "time_to_first_token_ms", "to the first chunk with a token, reasoning included", same(beforeWrite), same(beforeWrite), "schemas/base/request_stats.py"},
		{ttfo, "time_to_first_output_token_ms", "to the first chunk with a token that is not reasoning", same(beforeWrite), same(beforeWrite), "schemas/base/request_stats.py"},
		{itl, "inter_token_latency_ms", "(last token - first token) / (tokens - 1), of each request, weighted by its tokens in the aggregate",
			different("the aggregate weighs each request by its tokens"), converted(fromLines), "schemas/base/request_stats.py"},
		{icl, "", "", different(notHeld), different(notHeld), ""},
		{e2e, "request_latency", "to the end of the stream", same(beforeWrite), same(beforeWrite), "schemas/base/request_stats.py"},
		{throughput, "output_tokens_per_second", "a rate over time, weighted, of the measured part", different("a mean over time of a rate that counts requests in parts"), converted(fromLines + "; its tokens are credited half to the first's moment and half to the last's"), "benchmark/schemas/metrics.py"},
	},
	InferencePerf: {
		{ttft, "time_to_first_token", "to the first chunk with text", same(beforeWrite), same(beforeWrite), "reportgen/base.py"},
		{itl, "time_per_output_token", "(last token - first token) / (tokens - 1), of each request; tokens by the client's tokenizer unless it is told otherwise",
			different("the tokens are counted by the client's tokenizer, text by text, unless use_server_output_tokens was set"), converted(fromLines + ", with the server's count of tokens where it gave one"), "reportgen/base.py"},
		{icl, "inter_token_latency", "gaps between tokens, pooled; tokens of one chunk have gaps of 0",
			different("tokens of one chunk count as gaps of 0"), converted(fromLines), "reportgen/base.py"},
		{e2e, "request_latency", "to the end of the stream", same(beforeWrite), same(beforeWrite), "reportgen/base.py"},
		{throughput, "output_tokens_per_sec", wholeRun, different(wholeRun), converted(fromLines), "reportgen/base.py"},
	},
	LLMD: {
		{ttft, "time_to_first_token", "as the load generator has it", different("the definition is the load generator's"), judgement{}, "benchmark_report/schema_v0_2.py"},
		{itl, "time_per_output_token", "excluding the first token, as the load generator has it", different("the definition is the load generator's"), judgement{}, "benchmark_report/schema_v0_2.py"},
		{icl, "inter_token_latency", "gaps between tokens, as the load generator has it", different("the definition is the load generator's"), judgement{}, "benchmark_report/schema_v0_2.py"},
		{e2e, "request_latency", "as the load generator has it", different("the definition is the load generator's"), judgement{}, "benchmark_report/schema_v0_2.py"},
		{throughput, "output_token_rate", "as the load generator has it", different("the definition is the load generator's"), judgement{}, "benchmark_report/schema_v0_2.py"},
	},
}

// define says what the metrics of a tool's file are. requests is true where
// they were computed from the file's requests.
func define(tool string, requests bool) []record.Definition {
	var out []record.Definition
	for _, r := range relations[tool] {
		j := r.aggregates
		if requests {
			j = r.requests
		}
		out = append(out, record.Definition{
			Metric: r.metric, Field: r.field, Theirs: r.theirs, Ours: ours[r.metric], Comparable: j.comparable, Why: j.why,
		})
	}
	return out
}

// adjust replaces the judgement on one metric.
func adjust(defs []record.Definition, metric string, j judgement) {
	for i := range defs {
		if defs[i].Metric == metric {
			defs[i].Comparable, defs[i].Why = j.comparable, j.why
		}
	}
}

// measuredByAssay takes back what holds of another tool's clock and not of
// Assay's, whose figures are in a file that it wrote.
func measuredByAssay(defs []record.Definition) {
	for i := range defs {
		defs[i].Why = strings.TrimPrefix(strings.TrimPrefix(defs[i].Why, beforeWrite), "; ")
	}
}
