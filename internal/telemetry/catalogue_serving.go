package telemetry

func triton(metric string, labels ...string) Name {
	return published("triton", metric, []string{"model", "version"}, labels)
}

// tritonGPU is a metric of the GPUs that Triton sees.
func tritonGPU(metric string) Name { return published("triton", metric, []string{"gpu_uuid"}, nil) }

// servingEntries are metrics of engines other than vLLM that no snapshot keeps.
// Sources: SGLang's metrics_collector.py, TGI's page of metrics, TensorRT-LLM's
// metrics/collector.py, llama-server's /metrics, Triton's page of metrics; 2026.
var servingEntries = []Entry{
	{
		Quantity: "used_tokens", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Tokens in the KV cache.",
		Names: []Name{sglangRank("sglang:num_used_tokens")},
	},
	{
		Quantity: "kv_available_tokens", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Free places of the KV cache, those that a prefix could be evicted from left out.",
		Names: []Name{sglangRank("sglang:kv_available_tokens")},
	},
	{
		Quantity: "kv_evictable_tokens", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Places of the KV cache that hold prefixes nobody uses now.",
		Names: []Name{sglangRank("sglang:kv_evictable_tokens")},
	},
	{
		Quantity: "grammar_queue", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests that wait for their grammar.",
		Names: []Name{sglangRank("sglang:num_grammar_queue_reqs")},
	},
	{
		Quantity: "retracted_last", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests that the last batch threw out.",
		Traps: []string{"It is of one batch; the counter is sglang:num_retracted_requests_total."},
		Names: []Name{sglangRank("sglang:num_retracted_reqs")},
	},
	{
		Quantity: "paused", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests paused while weights are exchanged.",
		Names: []Name{sglangRank("sglang:num_paused_reqs")},
	},
	{
		Quantity: "spec_accept_length", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help: "Tokens of a verification that were kept, the bonus one included.",
		Names: []Name{
			sglangRank("sglang:spec_accept_length"),
			trtllm("trtllm_spec_decode_acceptance_length"),
		},
	},
	{
		Quantity: "stage_latency", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of each stage of a request.",
		Names: []Name{sglangRank("sglang:per_stage_req_latency_seconds", "stage")},
	},
	{
		Quantity: "aborted", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests that were aborted.",
		Names: []Name{sglang("sglang:num_aborted_requests_total")},
	},
	{
		Quantity: "realtime_tokens", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Tokens processed, counted at each log interval of the scheduler: prefill_compute, prefill_cache and decode.",
		Traps: []string{"vLLM's and SGLang's other counters grow when a request ends or its first token comes."},
		Names: []Name{sglangRank("sglang:realtime_tokens_total", "mode")},
	},
	{
		Quantity: "gpu_execution", Kind: Counter, Unit: "s", Over: Sum,
		Help: "Time in which the engine's batches ran on the GPU, by kind.",
		Names: []Name{
			sglangRank("sglang:forward_execution_seconds_total", "category"),
			sglangRank("sglang:gpu_execution_seconds_total", "category").until("2026", "sglang:forward_execution_seconds_total"),
		},
	},
	{
		Quantity: "decode_lengths", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Lengths of all sequences in decode, summed.",
		Names: []Name{sglangRank("sglang:decode_sum_seq_lens")},
	},
	{
		Quantity: "cuda_graph_passes", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Forward passes by whether a CUDA graph ran them.",
		Names: []Name{sglangRank("sglang:cuda_graph_passes_total", "mode")},
	},
	{
		Quantity: "engine_startup", Kind: Gauge, Unit: "s", Over: Largest,
		Help: "Time that the engine took to start, by phase: load_weight, kv_cache_allocation, scheduler_e2e, tokenizer_e2e.",
		Names: []Name{
			sglang("sglang:startup_time_seconds", "phase"),
			sglangRank("sglang:engine_startup_time").until("2026", "sglang:startup_time_seconds"),
		},
	},
	{
		Quantity: "weight_loading", Kind: Gauge, Unit: "s", Over: Largest,
		Help: "Time that the weights took to load.",
		Names: []Name{
			sglangRank("sglang:engine_load_weights_time").until("2026", `sglang:startup_time_seconds{phase="load_weight"}`),
		},
	},
	{
		Quantity: "prefill_bootstrap_queue", Kind: Gauge, Unit: "requests", Over: Sum,
		Help: "Requests of the prefill side that wait for the decode side to be ready.",
		Names: []Name{
			sglangRank("sglang:num_prefill_bootstrap_queue_reqs"),
			sglangRank("sglang:num_prefill_prealloc_queue_reqs").until("2026", "sglang:num_prefill_bootstrap_queue_reqs"),
		},
	},
	{
		Quantity: "decode_transfer_queue", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests of the decode side whose KV is on its way.",
		Names: []Name{sglangRank("sglang:num_decode_transfer_queue_reqs")},
	},
	{
		Quantity: "transfer_failures", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests whose KV could not be handed from the prefill side to the decode side.",
		Names: []Name{sglangRank("sglang:num_transfer_failed_reqs_total")},
	},
	{
		Quantity: "requests_received", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests received, refused ones included.",
		Names: []Name{tgi("tgi_request_count")},
	},
	{
		Quantity: "request_failures", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests that failed, by reason.",
		Traps: []string{"overloaded is load shed: the queue was full."},
		Names: []Name{
			tgi("tgi_request_failure", "err"),
			trtllm("trtllm_request_error_total", "http_code"),
		},
	},
	{
		Quantity: "validation_time", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time to tokenize and check a request.",
		Names: []Name{tgi("tgi_request_validation_duration")},
	},
	{
		Quantity: "batch_forward", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of a batch's forward pass, by method: prefill or decode.",
		Traps: []string{"There is no TTFT of TGI: queue and prefill together come near."},
		Names: []Name{tgi("tgi_batch_forward_duration", "method")},
	},
	{
		Quantity: "batch_inference", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of a batch's step with all around it, by method.",
		Names: []Name{tgi("tgi_batch_inference_duration", "method")},
	},
	{
		Quantity: "batch_decode", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time to turn a batch's ids into text, by method.",
		Traps: []string{"It is the tokenizer's decode, not the model's."},
		Names: []Name{tgi("tgi_batch_decode_duration", "method")},
	},
	{
		Quantity: "batch_filter", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time to take ended requests out of a batch, by method.",
		Names: []Name{tgi("tgi_batch_filter_duration", "method")},
	},
	{
		Quantity: "batch_inferences", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Batches run, by method.",
		Names: []Name{tgi("tgi_batch_inference_count", "method")},
	},
	{
		Quantity: "batch_successes", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Batches that went well, by method.",
		Names: []Name{tgi("tgi_batch_inference_success", "method")},
	},
	{
		Quantity: "batch_next_size", Kind: Histogram, Unit: "requests", Over: Sum,
		Help:  "Requests of the next batch.",
		Names: []Name{tgi("tgi_batch_next_size")},
	},
	{
		Quantity: "batch_max_tokens", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Tokens that the current batch may grow to.",
		Names: []Name{tgi("tgi_batch_current_max_tokens")},
	},
	{
		Quantity: "kv_max_blocks", Kind: Gauge, Unit: "blocks", Over: Sum,
		Help:  "Blocks of the KV cache.",
		Names: []Name{trtllm("trtllm_kv_cache_max_blocks")},
	},
	{
		Quantity: "kv_used_blocks", Kind: Gauge, Unit: "blocks", Over: Sum,
		Help:  "Blocks of the KV cache in use.",
		Names: []Name{trtllm("trtllm_kv_cache_used_blocks")},
	},
	{
		Quantity: "kv_free_blocks", Kind: Gauge, Unit: "blocks", Over: Sum,
		Help:  "Blocks of the KV cache that are free.",
		Names: []Name{trtllm("trtllm_kv_cache_free_blocks")},
	},
	{
		Quantity: "kv_block_tokens", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Tokens of one block of the KV cache.",
		Names: []Name{trtllm("trtllm_kv_cache_tokens_per_block")},
	},
	{
		Quantity: "kv_host_usage", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of the KV cache in the host's memory in use.",
		Names: []Name{trtllm("trtllm_kv_cache_host_utilization")},
	},
	{
		Quantity: "kv_reused_blocks", Kind: Counter, Unit: "blocks", Over: Sum,
		Help:  "Blocks of the KV cache that were used again.",
		Names: []Name{trtllm("trtllm_kv_cache_reused_blocks_total")},
	},
	{
		Quantity: "kv_missed_blocks", Kind: Counter, Unit: "blocks", Over: Sum,
		Help:  "Blocks of the KV cache that were not there and were computed.",
		Names: []Name{trtllm("trtllm_kv_cache_missed_blocks_total")},
	},
	{
		Quantity: "iteration_latency", Kind: Gauge, Unit: "s", Over: Largest,
		Help:  "Time of the last step.",
		Traps: []string{"It is one step, not a mean."},
		Names: []Name{trtllm("trtllm_iteration_latency_seconds")},
	},
	{
		Quantity: "context_requests", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests in prefill.",
		Names: []Name{trtllm("trtllm_num_context_requests")},
	},
	{
		Quantity: "generation_requests", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests in decode.",
		Names: []Name{trtllm("trtllm_num_generation_requests")},
	},
	{
		Quantity: "paused_requests", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests taken out of the batch for want of KV cache.",
		Names: []Name{trtllm("trtllm_num_paused_requests")},
	},
	{
		Quantity: "engine_gpu_memory", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "GPU memory that the engine holds.",
		Names: []Name{trtllm("trtllm_gpu_memory_usage_bytes")},
	},
	{
		Quantity: "prompt_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time spent on prompts.",
		Names: []Name{llamacpp("llamacpp:prompt_seconds_total")},
	},
	{
		Quantity: "output_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time spent on outputs.",
		Names: []Name{llamacpp("llamacpp:tokens_predicted_seconds_total")},
	},
	{
		Quantity: "prompt_rate", Kind: Gauge, Unit: "tokens/s", Over: Sum,
		Help:  "Prompt tokens per second since the last scrape.",
		Names: []Name{llamacpp("llamacpp:prompt_tokens_seconds")},
	},
	{
		Quantity: "decode_calls", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Calls of llama_decode: the engine's steps.",
		Names: []Name{llamacpp("llamacpp:n_decode_total")},
	},
	{
		Quantity: "busy_slots", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Slots at work in a step, mean since the start.",
		Traps: []string{"It is a mean of the process's life: it says little of a window."},
		Names: []Name{llamacpp("llamacpp:n_busy_slots_per_decode")},
	},
	{
		Quantity: "longest_sequence", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "The longest sequence seen since the start.",
		Names: []Name{llamacpp("llamacpp:n_tokens_max")},
	},
	{
		Quantity: "kv_tokens_used", Kind: Gauge, Unit: "tokens", Over: Sum,
		Help:  "Tokens in the KV cache.",
		Names: []Name{llamacpp("llamacpp:kv_cache_tokens").until("2025", "nothing: llama-server says no more how full its cache is")},
	},
	{
		Quantity: "triton_failures", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests that failed.",
		Names: []Name{triton("nv_inference_request_failure")},
	},
	{
		Quantity: "triton_inferences", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Inferences, each of a batch by itself.",
		Names: []Name{triton("nv_inference_count")},
	},
	{
		Quantity: "triton_executions", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Executions of batches; inferences over executions is the mean batch.",
		Names: []Name{triton("nv_inference_exec_count")},
	},
	{
		Quantity: "triton_pending", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests that wait for a backend.",
		Traps: []string{"An LLM backend with its own batching takes requests at once and queues them itself: it is 0 then."},
		Names: []Name{triton("nv_inference_pending_request_count")},
	},
	{
		Quantity: "triton_request_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time of all requests, summed.",
		Names: []Name{triton("nv_inference_request_duration_us").times(1e-6)},
	},
	{
		Quantity: "triton_queue_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time of all requests in Triton's queue, summed.",
		Names: []Name{triton("nv_inference_queue_duration_us").times(1e-6)},
	},
	{
		Quantity: "triton_compute_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time of all requests in the backend, summed.",
		Names: []Name{triton("nv_inference_compute_infer_duration_us").times(1e-6)},
	},
	{
		Quantity: "triton_input_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time to prepare the inputs of all requests, summed.",
		Names: []Name{triton("nv_inference_compute_input_duration_us").times(1e-6)},
	},
	{
		Quantity: "triton_output_time", Kind: Counter, Unit: "s", Over: Sum,
		Help:  "Time to hand out the outputs of all requests, summed.",
		Names: []Name{triton("nv_inference_compute_output_duration_us").times(1e-6)},
	},
	{
		Quantity: "triton_gpu_util", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of time in which any kernel ran on the GPU.",
		Traps: []string{"It is not how much of the GPU is used."},
		Names: []Name{tritonGPU("nv_gpu_utilization")},
	},
	{
		Quantity: "triton_gpu_power", Kind: Gauge, Unit: "W", Over: Sum,
		Help:  "Power that the GPU draws.",
		Names: []Name{tritonGPU("nv_gpu_power_usage")},
	},
	{
		Quantity: "triton_gpu_power_limit", Kind: Gauge, Unit: "W", Over: Sum,
		Help:  "Power limit of the GPU.",
		Names: []Name{tritonGPU("nv_gpu_power_limit")},
	},
	{
		Quantity: "triton_gpu_energy", Kind: Counter, Unit: "J", Over: Sum,
		Help:  "Energy of the GPU since Triton started.",
		Names: []Name{tritonGPU("nv_energy_consumption")},
	},
	{
		Quantity: "triton_gpu_memory", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the GPU.",
		Names: []Name{tritonGPU("nv_gpu_memory_total_bytes")},
	},
	{
		Quantity: "triton_gpu_memory_used", Kind: Gauge, Unit: "bytes", Over: Sum,
		Help:  "Memory of the GPU in use.",
		Traps: []string{"A serving engine takes its memory when it starts: full is normal."},
		Names: []Name{tritonGPU("nv_gpu_memory_used_bytes")},
	},
}
