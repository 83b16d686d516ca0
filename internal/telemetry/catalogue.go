package telemetry

// Quantity is a canonical quantity of a serving engine.
type Quantity string

// The quantities that Assay reads.
const (
	ProcessStart     Quantity = "process_start"      // seconds since 1970
	Running          Quantity = "running"            // requests in the batch
	Waiting          Quantity = "waiting"            // requests queued, preempted ones included
	KVUsage          Quantity = "kv_usage"           // share of the KV cache in use, 0..1
	KVTokens         Quantity = "kv_tokens"          // capacity of the KV cache
	MaxNumSeqs       Quantity = "max_num_seqs"       // limit on Running
	MaxBatchedTokens Quantity = "max_batched_tokens" // limit on the tokens of one step
	Preemptions      Quantity = "preemptions"
	PromptTokens     Quantity = "prompt_tokens"
	OutputTokens     Quantity = "output_tokens"
	Finished         Quantity = "finished" // requests, whatever the reason
	PrefixHits       Quantity = "prefix_hits"
	PrefixQueries    Quantity = "prefix_queries"
	IterationTokens  Quantity = "iteration_tokens" // tokens of each engine step
	TTFT             Quantity = "ttft"
	QueueTime        Quantity = "queue_time"
	PrefillTime      Quantity = "prefill_time"
	DecodeTime       Quantity = "decode_time"
	E2E              Quantity = "e2e"
	ITL              Quantity = "itl"
)

// Kind is how a quantity behaves over time.
type Kind int

// Kinds of quantity.
const (
	Gauge     Kind = iota
	Counter        // grows from the start of the process
	Histogram      // read as its sum and its count
)

// Over is how the series of several engines (data-parallel ranks, models) make
// one value.
type Over int

// Ways to combine.
const (
	Sum     Over = iota
	Mean         // shares
	Largest      // limits that hold for each engine by itself
)

// Entry says under which names engines publish a quantity, newest name first.
// The first name present in a scrape is the one that is read.
type Entry struct {
	Quantity Quantity
	Kind     Kind
	Unit     string
	Over     Over
	Names    []Name
}

// Name is one engine's name. A histogram is named without _sum and _count. With
// Product the value is the product of those labels of an info metric.
type Name struct {
	Engine  string
	Metric  string
	Product []string
}

// Catalogue of names, as of 2026-11. Sources: vLLM's loggers.py and live
// scrapes of v0.26 and v0.32; inference-perf's metric clients (SGLang, TGI);
// the endpoint picker's engine table of the Gateway API inference extension
// (TensorRT-LLM); metrics/stats loggers of LMDeploy; llama-server's /metrics.
//
// Traps that the names hold:
//   - vllm:iteration_tokens_total is a histogram, despite its name.
//   - sglang:num_retracted_reqs is a gauge of the last batch; the counter is
//     sglang:num_retracted_requests_total.
//   - vLLM's gauges gpu_prefix_cache_hit_rate are lifetime ratios, so they say
//     nothing about a window and are not read.
var Catalogue = []Entry{
	{ProcessStart, Gauge, "s", Largest, []Name{
		{Metric: "process_start_time_seconds"},
	}},
	{Running, Gauge, "requests", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:num_requests_running"},
		{Engine: "sglang", Metric: "sglang:num_running_reqs"},
		{Engine: "tgi", Metric: "tgi_batch_current_size"},
		{Engine: "tensorrt-llm", Metric: "trtllm_num_requests_running"},
		{Engine: "lmdeploy", Metric: "lmdeploy:num_requests_running"},
		{Engine: "llama.cpp", Metric: "llamacpp:requests_processing"},
	}},
	{Waiting, Gauge, "requests", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:num_requests_waiting"},
		{Engine: "sglang", Metric: "sglang:num_queue_reqs"},
		{Engine: "tgi", Metric: "tgi_queue_size"},
		{Engine: "tensorrt-llm", Metric: "trtllm_num_requests_waiting"},
		{Engine: "lmdeploy", Metric: "lmdeploy:num_requests_waiting"},
		{Engine: "llama.cpp", Metric: "llamacpp:requests_deferred"},
	}},
	{KVUsage, Gauge, "share", Mean, []Name{
		{Engine: "vllm", Metric: "vllm:kv_cache_usage_perc"},
		{Engine: "vllm", Metric: "vllm:gpu_cache_usage_perc"}, // before 0.10
		{Engine: "sglang", Metric: "sglang:token_usage"},
		{Engine: "tensorrt-llm", Metric: "trtllm_kv_cache_utilization"},
		{Engine: "lmdeploy", Metric: "lmdeploy:gpu_cache_usage_perc"},
		{Engine: "llama.cpp", Metric: "llamacpp:kv_cache_usage_ratio"}, // removed in 2025
	}},
	{KVTokens, Gauge, "tokens", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:cache_config_info", Product: []string{"kv_cache_size_tokens"}},
		{Engine: "vllm", Metric: "vllm:cache_config_info", Product: []string{"block_size", "num_gpu_blocks"}},
		{Engine: "sglang", Metric: "sglang:max_total_num_tokens"},
	}},
	{MaxNumSeqs, Gauge, "requests", Sum, []Name{
		{Engine: "vllm", Metric: "assay_sim_max_num_seqs"},
	}},
	{MaxBatchedTokens, Gauge, "tokens", Largest, []Name{
		{Engine: "vllm", Metric: "assay_sim_max_num_batched_tokens"},
	}},
	{Preemptions, Counter, "", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:num_preemptions_total"},
		{Engine: "vllm", Metric: "vllm:num_preemptions"},
		{Engine: "sglang", Metric: "sglang:num_retracted_requests_total"},
	}},
	{PromptTokens, Counter, "tokens", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:prompt_tokens_total"},
		{Engine: "vllm", Metric: "vllm:prompt_tokens"},
		{Engine: "sglang", Metric: "sglang:prompt_tokens_total"},
		{Engine: "tgi", Metric: "tgi_request_input_length_sum"},
		{Engine: "lmdeploy", Metric: "lmdeploy:prompt_tokens_total"},
		{Engine: "llama.cpp", Metric: "llamacpp:prompt_tokens_total"},
	}},
	{OutputTokens, Counter, "tokens", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:generation_tokens_total"},
		{Engine: "vllm", Metric: "vllm:generation_tokens"},
		{Engine: "sglang", Metric: "sglang:generation_tokens_total"},
		{Engine: "tgi", Metric: "tgi_request_generated_tokens_sum"},
		{Engine: "lmdeploy", Metric: "lmdeploy:generation_tokens_total"},
		{Engine: "llama.cpp", Metric: "llamacpp:tokens_predicted_total"},
	}},
	{Finished, Counter, "requests", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:request_success_total"},
		{Engine: "vllm", Metric: "vllm:request_success"},
		{Engine: "sglang", Metric: "sglang:num_requests_total"},
		{Engine: "tgi", Metric: "tgi_request_success"},
		{Engine: "tensorrt-llm", Metric: "trtllm_request_success_total"},
		{Engine: "lmdeploy", Metric: "lmdeploy:request_success_total"},
	}},
	{PrefixHits, Counter, "tokens", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:prefix_cache_hits_total"},
		{Engine: "vllm", Metric: "vllm:prefix_cache_hits"},
		{Engine: "vllm", Metric: "vllm:gpu_prefix_cache_hits_total"}, // 0.8 and 0.9
		{Engine: "vllm", Metric: "vllm:gpu_prefix_cache_hits"},
		{Engine: "sglang", Metric: "sglang:cached_tokens_total"},
	}},
	{PrefixQueries, Counter, "tokens", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:prefix_cache_queries_total"},
		{Engine: "vllm", Metric: "vllm:prefix_cache_queries"},
		{Engine: "vllm", Metric: "vllm:gpu_prefix_cache_queries_total"}, // 0.8 and 0.9
		{Engine: "vllm", Metric: "vllm:gpu_prefix_cache_queries"},
		{Engine: "sglang", Metric: "sglang:prompt_tokens_total"}, // every prompt token is looked up
	}},
	{IterationTokens, Histogram, "tokens", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:iteration_tokens_total"},
	}},
	{TTFT, Histogram, "s", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:time_to_first_token_seconds"},
		{Engine: "sglang", Metric: "sglang:time_to_first_token_seconds"},
		{Engine: "tensorrt-llm", Metric: "trtllm_time_to_first_token_seconds"},
		{Engine: "lmdeploy", Metric: "lmdeploy:time_to_first_token_seconds"},
	}},
	{QueueTime, Histogram, "s", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:request_queue_time_seconds"},
		{Engine: "vllm", Metric: "vllm:time_in_queue_requests"},
		{Engine: "sglang", Metric: "sglang:queue_time_seconds"},
		{Engine: "tgi", Metric: "tgi_request_queue_duration"},
		{Engine: "tensorrt-llm", Metric: "trtllm_request_queue_time_seconds"},
		{Engine: "lmdeploy", Metric: "lmdeploy:request_queue_time_seconds"},
	}},
	{PrefillTime, Histogram, "s", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:request_prefill_time_seconds"},
		{Engine: "lmdeploy", Metric: "lmdeploy:request_prefill_time_seconds"},
	}},
	{DecodeTime, Histogram, "s", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:request_decode_time_seconds"},
		{Engine: "lmdeploy", Metric: "lmdeploy:request_decode_time_seconds"},
	}},
	{E2E, Histogram, "s", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:e2e_request_latency_seconds"},
		{Engine: "sglang", Metric: "sglang:e2e_request_latency_seconds"},
		{Engine: "tgi", Metric: "tgi_request_duration"},
		{Engine: "tensorrt-llm", Metric: "trtllm_e2e_request_latency_seconds"},
		{Engine: "lmdeploy", Metric: "lmdeploy:e2e_request_latency_seconds"},
	}},
	{ITL, Histogram, "s", Sum, []Name{
		{Engine: "vllm", Metric: "vllm:inter_token_latency_seconds"},
		{Engine: "vllm", Metric: "vllm:time_per_output_token_seconds"},
		{Engine: "sglang", Metric: "sglang:inter_token_latency_seconds"},
		{Engine: "sglang", Metric: "sglang:time_per_output_token_seconds"},
		{Engine: "tgi", Metric: "tgi_request_mean_time_per_token_duration"},
		{Engine: "tensorrt-llm", Metric: "trtllm_time_per_output_token_seconds"},
		{Engine: "lmdeploy", Metric: "lmdeploy:time_per_output_token_seconds"},
	}},
}

// known are the series that a scrape is reduced to, and whether the series
// belongs to an info metric, of which only the labels that are read are kept.
var known = func() map[string]*Name {
	m := map[string]*Name{}
	for i := range Catalogue {
		e := &Catalogue[i]
		for j := range e.Names {
			n := &e.Names[j]
			if e.Kind == Histogram {
				m[n.Metric+"_sum"], m[n.Metric+"_count"] = n, n
			} else {
				m[n.Metric] = n
			}
		}
	}
	return m
}()

// infoLabels are the labels that are kept of an info metric.
var infoLabels = func() map[string]bool {
	m := map[string]bool{"engine": true}
	for _, e := range Catalogue {
		for _, n := range e.Names {
			for _, l := range n.Product {
				m[l] = true
			}
		}
	}
	return m
}()
