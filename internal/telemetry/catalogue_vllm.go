package telemetry

// vllmEntries are metrics that vLLM alone publishes and no snapshot keeps: for
// rules, dashboards and explanation. Source: a live scrape of v0.32, 2026-11.
var vllmEntries = []Entry{
	{
		Quantity: "prompt_length", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help:  "Tokens of the prompt of each request that ended.",
		Names: []Name{vllm("vllm:request_prompt_tokens")},
	},
	{
		Quantity: "output_length", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help:  "Tokens generated for each request that ended.",
		Names: []Name{vllm("vllm:request_generation_tokens")},
	},
	{
		Quantity: "prompt_tokens_by_source", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Tokens of prompts by where their KV came from: local_compute, local_cache_hit or external_kv_transfer.",
		Names: []Name{vllm("vllm:prompt_tokens_by_source_total", "source")},
	},
	{
		Quantity: "external_prefix_hits", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Prompt tokens whose KV a connector's store had.",
		Traps: []string{"It stays 0 without a KV connector."},
		Names: []Name{vllm("vllm:external_prefix_cache_hits_total")},
	},
	{
		Quantity: "external_prefix_queries", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Prompt tokens that were looked up in a connector's store.",
		Traps: []string{"It stays 0 without a KV connector."},
		Names: []Name{vllm("vllm:external_prefix_cache_queries_total")},
	},
	{
		Quantity: "admission_rejections", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests turned away with 503 by a limit on the queue, by reason.",
		Traps: []string{"Without --max-num-queued-reqs or --max-num-queued-tokens nothing is turned away and the queue grows."},
		Names: []Name{published("vllm", "vllm:admission_rejections_total", []string{"model_name"}, []string{"reason"})},
	},
}
