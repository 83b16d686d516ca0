package telemetry

// The quantities of an engine that snapshots keep.
const (
	Running          Quantity = "running"            // requests in the batch
	Waiting          Quantity = "waiting"            // requests queued, preempted ones included
	WaitingByReason  Quantity = "waiting_by_reason"  // the same, by the label reason: capacity, deferred
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
	FLOPs            Quantity = "estimated_flops" // of one GPU
	ReadBytes        Quantity = "estimated_read_bytes"
	WriteBytes       Quantity = "estimated_write_bytes"
)

func vllm(metric string, labels ...string) Name {
	return published("vllm", metric, []string{"model_name", "engine"}, labels)
}

// vllmOld is a name of vLLM before V1, whose metrics did not name the engine.
func vllmOld(metric string, labels ...string) Name {
	return published("vllm", metric, []string{"model_name"}, labels)
}

// vllmCacheConfig is the info metric of the cache's configuration, whose labels
// are its fields and, alone of vLLM's, no model's name.
func vllmCacheConfig(fields ...string) Name {
	return published("vllm", "vllm:cache_config_info", []string{"engine"}, fields)
}

func sglang(metric string, labels ...string) Name {
	n := published("sglang", metric, []string{"model_name"}, labels)
	return n.asked("--enable-metrics")
}

// sglangRank is a metric of one scheduler of SGLang.
func sglangRank(metric string, labels ...string) Name {
	n := sglang(metric, "engine_type", "tp_rank", "pp_rank", "dp_rank", "moe_ep_rank")
	n.Labels = append(n.Labels, labels...)
	return n
}

func tgi(metric string, labels ...string) Name { return published("tgi", metric, nil, labels) }

func trtllm(metric string, labels ...string) Name {
	n := published("tensorrt-llm", metric, []string{"model_name", "engine_type"}, labels)
	return n.asked("return_perf_metrics: true in the extra options; served at /prometheus/metrics")
}

func lmdeploy(metric string, labels ...string) Name {
	n := published("lmdeploy", metric, []string{"model_name", "engine"}, labels)
	return n.asked("--enable-metrics")
}

func llamacpp(metric string) Name {
	return published("llama.cpp", metric, nil, nil).asked("--metrics")
}

// engineEntries are the metrics of serving engines. Sources: vLLM's loggers.py
// and live scrapes of v0.26 and v0.32; SGLang's collector.py; TGI's page of
// metrics; the endpoint picker's engine table of the Gateway API inference
// extension (Triton); TensorRT-LLM's metrics/collector.py; loggers.py of LMDeploy; llama-server's
// /metrics; Triton's metrics page.
var engineEntries = []Entry{
	{
		Quantity: Running, Kind: Gauge, Unit: "requests", Over: Sum, Kept: true,
		Help: "Requests in the engine's batch at the moment of the scrape.",
		Names: []Name{
			vllm("vllm:num_requests_running"),
			sglangRank("sglang:num_running_reqs"),
			tgi("tgi_batch_current_size"),
			trtllm("trtllm_num_requests_running"),
			lmdeploy("lmdeploy:num_requests_running"),
			llamacpp("llamacpp:requests_processing"),
			triton("nv_trt_llm_request_metrics").where("request_type", "scheduled"),
		},
	},
	{
		Quantity: Waiting, Kind: Gauge, Unit: "requests", Over: Sum, Kept: true,
		Help:  "Requests that the engine has accepted and does not run yet.",
		Traps: []string{"vLLM counts preempted requests here too."},
		Names: []Name{
			vllm("vllm:num_requests_waiting"),
			sglangRank("sglang:num_queue_reqs"),
			tgi("tgi_queue_size"),
			trtllm("trtllm_num_requests_waiting"),
			lmdeploy("lmdeploy:num_requests_waiting"),
			llamacpp("llamacpp:requests_deferred"),
			triton("nv_trt_llm_request_metrics").where("request_type", "waiting").also(),
		},
	},
	{
		Quantity: WaitingByReason, Kind: Gauge, Unit: "requests", Over: Sum, Kept: true,
		Help:  "Waiting requests by what they wait for: capacity is room in the batch or the KV cache, deferred is a LoRA slot, a grammar or KV from elsewhere.",
		Names: []Name{vllm("vllm:num_requests_waiting_by_reason", "reason")},
	},
	{
		Quantity: KVUsage, Kind: Gauge, Unit: "share", Over: Mean, Kept: true,
		Help: "Share of the KV cache that holds tokens of running requests, 0 to 1.",
		Traps: []string{
			"Near 1 alone is a cache well used: it limits only where requests are preempted or wait for capacity.",
			"Despite perc in the names the value is a share, not a percentage.",
		},
		Names: []Name{
			vllm("vllm:kv_cache_usage_perc").since("0.9.2"),
			vllm("vllm:gpu_cache_usage_perc").until("0.11", "vllm:kv_cache_usage_perc"),
			sglangRank("sglang:token_usage"),
			trtllm("trtllm_kv_cache_utilization"),
			lmdeploy("lmdeploy:gpu_cache_usage_perc"),
			triton("nv_trt_llm_kv_cache_block_metrics").where("kv_cache_block_type", "fraction"),
			llamacpp("llamacpp:kv_cache_usage_ratio").until("2025", "nothing: llama-server says no more how full its cache is"),
		},
	},
	{
		Quantity: KVTokens, Kind: Gauge, Unit: "tokens", Over: Sum, Kept: true,
		Help: "Tokens that the KV cache holds when full.",
		Names: []Name{
			vllmCacheConfig("block_size", "num_gpu_blocks", "cache_dtype", "enable_prefix_caching", "gpu_memory_utilization").product("kv_cache_size_tokens"),
			vllmCacheConfig().product("block_size", "num_gpu_blocks").also(),
			sglangRank("sglang:max_total_num_tokens"),
		},
	},
	{
		Quantity: MaxNumSeqs, Kind: Gauge, Unit: "requests", Over: Sum, Kept: true,
		Help:  "Most requests in one batch: vLLM's --max-num-seqs, TensorRT-LLM's --max_batch_size.",
		Traps: []string{"A real vLLM does not publish it; the simulated one does."},
		Names: []Name{
			vllm("assay_sim_max_num_seqs"),
			trtllm("trtllm_max_batch_size_runtime"),
			triton("nv_trt_llm_request_metrics").where("request_type", "max").also(),
		},
	},
	{
		Quantity: MaxBatchedTokens, Kind: Gauge, Unit: "tokens", Over: Largest, Kept: true,
		Help:  "Most tokens of one step: vLLM's --max-num-batched-tokens, TensorRT-LLM's --max_num_tokens.",
		Traps: []string{"A real vLLM does not publish it; the simulated one does."},
		Names: []Name{vllm("assay_sim_max_num_batched_tokens"), trtllm("trtllm_max_num_tokens_runtime")},
	},
	{
		Quantity: Preemptions, Kind: Counter, Unit: "requests", Over: Sum, Kept: true,
		Help:  "Requests thrown out of the batch to make room in the KV cache; their tokens are computed again.",
		Traps: []string{"sglang:num_retracted_reqs is a gauge of the last batch; the counter is sglang:num_retracted_requests_total."},
		Names: []Name{
			vllm("vllm:num_preemptions_total"),
			sglangRank("sglang:num_retracted_requests_total"),
		},
	},
	{
		Quantity: PromptTokens, Kind: Counter, Unit: "tokens", Over: Sum, Kept: true,
		Help:  "Tokens of prompts, those served by a prefix cache included.",
		Traps: []string{"vLLM counts a prompt when its first token comes, not while it is computed."},
		Names: []Name{
			vllm("vllm:prompt_tokens_total"),
			sglang("sglang:prompt_tokens_total", "is_streaming"),
			tgi("tgi_request_input_length_sum"),
			trtllm("trtllm_prompt_tokens_total"),
			lmdeploy("lmdeploy:prompt_tokens_total"),
			llamacpp("llamacpp:prompt_tokens_total"),
		},
	},
	{
		Quantity: OutputTokens, Kind: Counter, Unit: "tokens", Over: Sum, Kept: true,
		Help: "Tokens generated.",
		Names: []Name{
			vllm("vllm:generation_tokens_total"),
			sglang("sglang:generation_tokens_total", "is_streaming"),
			tgi("tgi_request_generated_tokens_sum"),
			trtllm("trtllm_generation_tokens_total"),
			lmdeploy("lmdeploy:generation_tokens_total"),
			llamacpp("llamacpp:tokens_predicted_total"),
		},
	},
	{
		Quantity: Finished, Kind: Counter, Unit: "requests", Over: Sum, Kept: true,
		Help: "Requests that ended, whatever the reason.",
		Traps: []string{
			"vLLM calls it success, yet finished_reason abort and error are counted in it.",
			"A request that was refused before it reached the engine is not in it.",
		},
		Names: []Name{
			vllm("vllm:request_success_total", "finished_reason"),
			sglang("sglang:num_requests_total", "is_streaming"),
			tgi("tgi_request_success"),
			trtllm("trtllm_request_success_total", "finished_reason"),
			lmdeploy("lmdeploy:request_success_total", "finished_reason"),
		},
	},
	{
		Quantity: PrefixHits, Kind: Counter, Unit: "tokens", Over: Sum, Kept: true,
		Help: "Prompt tokens that the prefix cache served.",
		Names: []Name{
			vllm("vllm:prefix_cache_hits_total").since("0.9.2"),
			vllm("vllm:gpu_prefix_cache_hits_total").since("0.8").until("0.11", "vllm:prefix_cache_hits_total"),
			sglang("sglang:cached_tokens_total", "cache_source"),
			trtllm("trtllm_prompt_cached_tokens_total"),
		},
	},
	{
		Quantity: PrefixQueries, Kind: Counter, Unit: "tokens", Over: Sum, Kept: true,
		Help:  "Prompt tokens that were looked up in the prefix cache.",
		Traps: []string{"The hit rate is the growth of hits over the growth of queries; a ratio of the totals is of the process's whole life."},
		Names: []Name{
			vllm("vllm:prefix_cache_queries_total").since("0.9.2"),
			vllm("vllm:gpu_prefix_cache_queries_total").since("0.8").until("0.11", "vllm:prefix_cache_queries_total"),
			sglang("sglang:prompt_tokens_total", "is_streaming").also(), // every prompt token is looked up
			trtllm("trtllm_prompt_tokens_total").also(),
		},
	},
	{
		Quantity: IterationTokens, Kind: Histogram, Unit: "tokens", Over: Sum, Kept: true,
		Help:  "Tokens of one engine step, prompts and outputs together; its count is the number of steps.",
		Traps: []string{"It is a histogram, despite the _total in its name: there is no series of that bare name."},
		Names: []Name{vllm("vllm:iteration_tokens_total")},
	},
	{
		Quantity: TTFT, Kind: Histogram, Unit: "s", Over: Sum, Kept: true, Buckets: true,
		Help: "Time from a request's arrival at the server to its first token.",
		Traps: []string{
			"It is observed when the first token exists: an engine that hangs goes quiet here, not slow.",
			"For an SLO count the bucket at the limit; histogram_quantile interpolates between boundaries.",
		},
		Names: []Name{
			vllm("vllm:time_to_first_token_seconds"),
			sglang("sglang:time_to_first_token_seconds", "is_streaming"),
			trtllm("trtllm_time_to_first_token_seconds"),
			lmdeploy("lmdeploy:time_to_first_token_seconds"),
		},
	},
	{
		Quantity: QueueTime, Kind: Histogram, Unit: "s", Over: Sum, Kept: true,
		Help:  "Time from a request's arrival in the engine to its first step.",
		Traps: []string{"vLLM's lowest boundary is 0.3 s: percentiles below it are interpolation, use the mean."},
		Names: []Name{
			vllm("vllm:request_queue_time_seconds"),
			vllmOld("vllm:time_in_queue_requests").until("0.9", "vllm:request_queue_time_seconds"),
			sglangRank("sglang:queue_time_seconds"),
			tgi("tgi_request_queue_duration"),
			trtllm("trtllm_request_queue_time_seconds"),
			lmdeploy("lmdeploy:request_queue_time_seconds"),
		},
	},
	{
		Quantity: PrefillTime, Kind: Histogram, Unit: "s", Over: Sum, Kept: true,
		Help:  "Time from a request's first step to its first token.",
		Traps: []string{"It is how long the request was in that phase, with whatever shared its steps, not GPU time of its own."},
		Names: []Name{
			vllm("vllm:request_prefill_time_seconds"),
			trtllm("trtllm_request_prefill_time_seconds"),
			lmdeploy("lmdeploy:request_prefill_time_seconds"),
		},
	},
	{
		Quantity: DecodeTime, Kind: Histogram, Unit: "s", Over: Sum, Kept: true,
		Help: "Time from a request's first token to its last.",
		Names: []Name{
			vllm("vllm:request_decode_time_seconds"),
			trtllm("trtllm_request_decode_time_seconds"),
			lmdeploy("lmdeploy:request_decode_time_seconds"),
		},
	},
	{
		Quantity: E2E, Kind: Histogram, Unit: "s", Over: Sum, Kept: true,
		Help:  "Time from a request's arrival at the server to its last token.",
		Traps: []string{"vLLM's lowest boundary is 0.3 s: percentiles below it are interpolation, use the mean."},
		Names: []Name{
			vllm("vllm:e2e_request_latency_seconds"),
			sglang("sglang:e2e_request_latency_seconds", "is_streaming"),
			tgi("tgi_request_duration"),
			trtllm("trtllm_e2e_request_latency_seconds"),
			lmdeploy("lmdeploy:e2e_request_latency_seconds"),
		},
	},
	{
		Quantity: ITL, Kind: Histogram, Unit: "s", Over: Sum, Kept: true, Buckets: true,
		Help: "Time between two outputs of a request.",
		Names: []Name{
			vllm("vllm:inter_token_latency_seconds").since("0.11"),
			vllm("vllm:time_per_output_token_seconds").until("0.12", "vllm:inter_token_latency_seconds; vllm:request_time_per_output_token_seconds is the mean of each request"),
			sglang("sglang:inter_token_latency_seconds"),
			sglang("sglang:time_per_output_token_seconds"),
			tgi("tgi_request_mean_time_per_token_duration"),
			trtllm("trtllm_time_per_output_token_seconds"),
			lmdeploy("lmdeploy:time_per_output_token_seconds"),
		},
	},
	{
		Quantity: FLOPs, Kind: Counter, Unit: "FLOP", Over: Mean, Kept: true,
		Help:  "Floating point operations of one GPU, estimated by the engine from shapes.",
		Traps: []string{"It stays 0 without --enable-mfu-metrics: 0 is not an idle GPU."},
		Names: []Name{vllm("vllm:estimated_flops_per_gpu_total").asked("--enable-mfu-metrics"), sglangRank("sglang:estimated_flops_per_gpu_total").asked("--enable-metrics --enable-mfu-metrics")},
	},
	{
		Quantity: ReadBytes, Kind: Counter, Unit: "bytes", Over: Mean, Kept: true,
		Help:  "Bytes that one GPU read from its memory, estimated by the engine from shapes.",
		Traps: []string{"It stays 0 without --enable-mfu-metrics."},
		Names: []Name{vllm("vllm:estimated_read_bytes_per_gpu_total").asked("--enable-mfu-metrics"), sglangRank("sglang:estimated_read_bytes_per_gpu_total").asked("--enable-metrics --enable-mfu-metrics")},
	},
	{
		Quantity: WriteBytes, Kind: Counter, Unit: "bytes", Over: Mean, Kept: true,
		Help:  "Bytes that one GPU wrote to its memory, estimated by the engine from shapes.",
		Traps: []string{"It stays 0 without --enable-mfu-metrics."},
		Names: []Name{vllm("vllm:estimated_write_bytes_per_gpu_total").asked("--enable-mfu-metrics"), sglangRank("sglang:estimated_write_bytes_per_gpu_total").asked("--enable-metrics --enable-mfu-metrics")},
	},
	{
		Quantity: "engine_sleep_state", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "1 for the state that the engine is in: awake, weights_offloaded or discard_all.",
		Names: []Name{vllm("vllm:engine_sleep_state", "sleep_state")},
	},
	{
		Quantity: "engine_healthy", Kind: Gauge, Unit: "1", Over: Sum,
		Help: "1 while an engine core is healthy, 0 where vLLM's fault tolerance has found it dead.",
		Traps: []string{
			"0.32 does not have it: vLLM's pull request 55915 (2026-09) adds it.",
			"It has no model_name: a selector by model finds nothing.",
		},
		Names: []Name{published("vllm", "vllm:engine_healthy", nil, []string{"engine"}).asked("--enable-fault-tolerance")},
	},
}
