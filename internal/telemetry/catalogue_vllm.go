package telemetry

// vllmEntries are metrics of vLLM that no snapshot keeps, with what other engines
// call the same: for rules, dashboards and explanation. Sources: live scrapes of
// v0.26 and v0.32, docs/usage/metrics.md, and for the versions pull requests 15458,
// 18354, 24110, 24245, 29330 and 32661; 2026-11.
var vllmEntries = []Entry{
	{
		Quantity: "prompt_length", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help: "Tokens of the prompt of each request that ended.",
		Names: []Name{
			vllm("vllm:request_prompt_tokens"),
			lmdeploy("lmdeploy:request_prompt_tokens"),
			sglang("sglang:prompt_tokens_histogram"),
			tgi("tgi_request_input_length"),
		},
	},
	{
		Quantity: "output_length", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help: "Tokens generated for each request that ended.",
		Names: []Name{
			vllm("vllm:request_generation_tokens"),
			lmdeploy("lmdeploy:request_generation_tokens"),
			sglang("sglang:generation_tokens_histogram"),
			tgi("tgi_request_generated_tokens"),
		},
	},
	{
		Quantity: "max_output_length", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help: "The most tokens that each request asked for, over its choices.",
		Names: []Name{
			vllm("vllm:request_max_num_generation_tokens"),
			lmdeploy("lmdeploy:request_max_num_generation_tokens"),
			tgi("tgi_request_max_new_tokens"),
		},
	},
	{
		Quantity: "params_max_tokens", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help: "The max_tokens of each request.",
		Names: []Name{
			vllm("vllm:request_params_max_tokens"),
			lmdeploy("lmdeploy:request_params_max_tokens"),
		},
	},
	{
		Quantity: "params_n", Kind: Histogram, Unit: "1", Over: Sum,
		Help: "The n of each request: how many answers it asked for.",
		Names: []Name{
			vllm("vllm:request_params_n"),
			lmdeploy("lmdeploy:request_params_n"),
		},
	},
	{
		Quantity: "prefill_computed", Kind: Histogram, Unit: "tokens", Over: Sum,
		Help: "Prompt tokens of each request that were computed, what a cache served left out.",
		Names: []Name{
			vllm("vllm:request_prefill_kv_computed_tokens"),
			sglang("sglang:uncached_prompt_tokens_histogram"),
		},
	},
	{
		Quantity: "request_preemptions", Kind: Histogram, Unit: "1", Over: Sum,
		Help: "How often each request was preempted.",
		Names: []Name{
			vllm("vllm:request_num_preemptions"),
			sglang("sglang:num_retractions").until("2026", "sglang:num_retracted_requests_total, of all requests"),
		},
	},
	{
		Quantity: "inference_time", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time from a request's first step to its last token.",
		Traps: []string{"Preemptions lie within it."},
		Names: []Name{
			vllm("vllm:request_inference_time_seconds"),
			trtllm("trtllm_request_inference_time_seconds"),
			lmdeploy("lmdeploy:request_inference_time_seconds"),
			tgi("tgi_request_inference_duration"),
		},
	},
	{
		Quantity: "request_itl_mean", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Mean time between the tokens of each request.",
		Traps: []string{"One value a request: long answers weigh as much as short ones."},
		Names: []Name{vllm("vllm:request_time_per_output_token_seconds")},
	},
	{
		Quantity: "prompt_tokens_by_source", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Tokens of prompts by where their KV came from: local_compute, local_cache_hit or external_kv_transfer.",
		Names: []Name{vllm("vllm:prompt_tokens_by_source_total", "source")},
	},
	{
		Quantity: "prompt_tokens_cached", Kind: Counter, Unit: "tokens", Over: Sum,
		Help: "Tokens of prompts that a cache served, local or external.",
		Names: []Name{
			vllm("vllm:prompt_tokens_cached_total"),
			trtllm("trtllm_prompt_cached_tokens_total").also(),
		},
	},
	{
		Quantity: "prompt_tokens_cached_by_source", Kind: Counter, Unit: "tokens", Over: Sum,
		Help: "Tokens of prompts that a cache served, by where it keeps them: device, host, p2p, disk or external_unspecified.",
		Names: []Name{
			vllm("vllm:prompt_tokens_cached_by_source_total", "source"),
			trtllm("trtllm_prompt_cache_hit_tokens_total", "cache_level", "cache_tier"),
		},
	},
	{
		Quantity: "prompt_tokens_recomputed", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Tokens that a cache held and that were computed all the same.",
		Traps: []string{"It counted the last token of each prompt that a cache held in full, which has to be computed for its logits, and was taken out for saying no more."},
		Names: []Name{vllm("vllm:prompt_tokens_recomputed_total").until("2026-04", "nothing")},
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
		Quantity: "mm_cache_hits", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Images and other inputs that the multi-modal cache had, items.",
		Names: []Name{vllm("vllm:mm_cache_hits_total")},
	},
	{
		Quantity: "mm_cache_queries", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Images and other inputs that were looked up in the multi-modal cache, items.",
		Names: []Name{vllm("vllm:mm_cache_queries_total")},
	},
	{
		Quantity: "admission_rejections", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests turned away with 503 by a limit on the queue, by reason.",
		Traps: []string{"Without --max-num-queued-reqs or --max-num-queued-tokens nothing is turned away and the queue grows."},
		Names: []Name{published("vllm", "vllm:admission_rejections_total", []string{"model_name"}, []string{"reason"})},
	},
	{
		Quantity: "corrupted_requests", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests whose logits held NaN.",
		Names: []Name{vllm("vllm:corrupted_requests_total").asked("VLLM_COMPUTE_NANS_IN_LOGITS=1")},
	},
	{
		Quantity: "lora_requests", Kind: Gauge, Unit: "1", Over: Sum,
		Help:  "LoRA adapters that run and wait, in labels; the value is a time.",
		Traps: []string{"The value is when it was set, seconds since 1970: only the labels say something."},
		Names: []Name{published("vllm", "vllm:lora_requests_info", nil, []string{"max_lora", "running_lora_adapters", "waiting_lora_adapters"}).asked("--enable-lora")},
	},
	{
		Quantity: "kv_block_lifetime", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "How long a block of the KV cache lives, from its allocation to its eviction; a sample of them.",
		Names: []Name{vllm("vllm:kv_block_lifetime_seconds").asked("--kv-cache-metrics")},
	},
	{
		Quantity: "kv_block_idle", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "How long a block of the KV cache lay idle before it was evicted; a sample of them.",
		Names: []Name{vllm("vllm:kv_block_idle_before_evict_seconds").asked("--kv-cache-metrics")},
	},
	{
		Quantity: "kv_block_reuse_gap", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time between two uses of a block of the KV cache; a sample of them.",
		Names: []Name{vllm("vllm:kv_block_reuse_gap_seconds").asked("--kv-cache-metrics")},
	},
	{
		Quantity: "spec_drafts", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Drafts of speculative decoding.",
		Traps: []string{"Mean accepted length is 1 + accepted tokens over drafts."},
		Names: []Name{vllm("vllm:spec_decode_num_drafts_total").asked("--speculative-config")},
	},
	{
		Quantity: "spec_draft_tokens", Kind: Counter, Unit: "tokens", Over: Sum,
		Help: "Tokens that speculative decoding proposed.",
		Names: []Name{
			vllm("vllm:spec_decode_num_draft_tokens_total").asked("--speculative-config"),
			trtllm("trtllm_spec_decode_num_draft_tokens_total"),
		},
	},
	{
		Quantity: "spec_accepted_tokens", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Proposed tokens that were accepted.",
		Traps: []string{"The acceptance rate is its growth over that of the proposed ones."},
		Names: []Name{
			vllm("vllm:spec_decode_num_accepted_tokens_total").asked("--speculative-config"),
			trtllm("trtllm_spec_decode_num_accepted_tokens_total"),
		},
	},
	{
		Quantity: "spec_accepted_by_position", Kind: Counter, Unit: "tokens", Over: Sum,
		Help: "Proposed tokens that were accepted, by their place in the draft.",
		Names: []Name{
			vllm("vllm:spec_decode_num_accepted_tokens_per_pos_total", "position").asked("--speculative-config"),
			trtllm("trtllm_spec_decode_accepted_tokens_total", "token_position"),
		},
	},
	{
		Quantity: "nixl_transfer_time", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of a transfer of KV by the NIXL connector.",
		Names: []Name{vllm("vllm:nixl_xfer_time_seconds").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "nixl_post_time", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time to post a transfer of KV by the NIXL connector.",
		Names: []Name{vllm("vllm:nixl_post_time_seconds").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "nixl_bytes", Kind: Histogram, Unit: "bytes", Over: Sum,
		Help:  "Bytes of a transfer of KV by the NIXL connector.",
		Names: []Name{vllm("vllm:nixl_bytes_transferred").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "nixl_descriptors", Kind: Histogram, Unit: "1", Over: Sum,
		Help:  "Descriptors of a transfer of KV by the NIXL connector.",
		Names: []Name{vllm("vllm:nixl_num_descriptors").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "nixl_failed_transfers", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Transfers of KV by the NIXL connector that failed.",
		Names: []Name{vllm("vllm:nixl_num_failed_transfers_total").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "nixl_failed_notifications", Kind: Counter, Unit: "1", Over: Sum,
		Help:  "Notifications of the NIXL connector that failed.",
		Names: []Name{vllm("vllm:nixl_num_failed_notifications_total").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "nixl_expired_requests", Kind: Counter, Unit: "requests", Over: Sum,
		Help:  "Requests whose KV expired on the prefill side before it was fetched.",
		Names: []Name{vllm("vllm:nixl_num_kv_expired_reqs_total").asked("--kv-transfer-config with NixlConnector")},
	},
	{
		Quantity: "swapped", Kind: Gauge, Unit: "requests", Over: Sum,
		Help:  "Requests whose KV was swapped to the host's memory.",
		Names: []Name{vllmOld("vllm:num_requests_swapped").until("0.9", "nothing: V1 does not swap, it preempts (vllm:num_preemptions_total)")},
	},
	{
		Quantity: "cpu_kv_usage", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Share of the swap space for KV in use.",
		Names: []Name{vllmOld("vllm:cpu_cache_usage_perc").until("0.9", "nothing: V1 does not swap")},
	},
	{
		Quantity: "prefix_hit_rate", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Prefix cache hit rate.",
		Traps: []string{"It is of the process's whole life in vLLM and of the last batch in SGLang: it says nothing of a window."},
		Names: []Name{
			vllmOld("vllm:gpu_prefix_cache_hit_rate").until("0.9", "rate(vllm:prefix_cache_hits_total) / rate(vllm:prefix_cache_queries_total)"),
			sglangRank("sglang:cache_hit_rate"),
			trtllm("trtllm_kv_cache_hit_rate"),
		},
	},
	{
		Quantity: "cpu_prefix_hit_rate", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Hit rate of the prefix cache in the host's memory.",
		Names: []Name{vllmOld("vllm:cpu_prefix_cache_hit_rate").until("0.9", "rate(vllm:external_prefix_cache_hits_total) / rate(vllm:external_prefix_cache_queries_total)")},
	},
	{
		Quantity: "forward_time", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of a forward pass for each request.",
		Names: []Name{vllmOld("vllm:model_forward_time_milliseconds").times(0.001).until("0.9", "nothing: it is in traces (OpenTelemetry)")},
	},
	{
		Quantity: "execute_time", Kind: Histogram, Unit: "s", Over: Sum,
		Help:  "Time of the model's execution for each request.",
		Names: []Name{vllmOld("vllm:model_execute_time_milliseconds").times(0.001).until("0.9", "nothing: it is in traces (OpenTelemetry)")},
	},
	{
		Quantity: "all_tokens", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Tokens of prompts and outputs together.",
		Names: []Name{vllmOld("vllm:tokens_total").until("V1", "vllm:prompt_tokens_total + vllm:generation_tokens_total")},
	},
	{
		Quantity: "prompt_throughput", Kind: Gauge, Unit: "tokens/s", Over: Sum,
		Help:  "Prompt tokens per second of the last seconds.",
		Names: []Name{vllmOld("vllm:avg_prompt_throughput_toks_per_s").until("V1", "rate(vllm:prompt_tokens_total)")},
	},
	{
		Quantity: "output_throughput", Kind: Gauge, Unit: "tokens/s", Over: Sum,
		Help:  "Output tokens per second of the last seconds, by the engine's own window.",
		Traps: []string{"It is a gauge that stays at its last value while the engine idles."},
		Names: []Name{
			vllmOld("vllm:avg_generation_throughput_toks_per_s").until("V1", "rate(vllm:generation_tokens_total)"),
			sglangRank("sglang:gen_throughput"),
			llamacpp("llamacpp:predicted_tokens_seconds"),
		},
	},
	{
		Quantity: "spec_acceptance_rate", Kind: Gauge, Unit: "share", Over: Mean,
		Help: "Share of proposed tokens that were accepted.",
		Names: []Name{
			vllmOld("vllm:spec_decode_draft_acceptance_rate").until("V1", "rate(vllm:spec_decode_num_accepted_tokens_total) / rate(vllm:spec_decode_num_draft_tokens_total)"),
			sglangRank("sglang:spec_accept_rate"),
		},
	},
	{
		Quantity: "spec_efficiency", Kind: Gauge, Unit: "share", Over: Mean,
		Help:  "Emitted tokens as a share of the most that speculation could emit.",
		Names: []Name{vllmOld("vllm:spec_decode_efficiency").until("V1", "the counters vllm:spec_decode_num_…_total")},
	},
	{
		Quantity: "spec_emitted_tokens", Kind: Counter, Unit: "tokens", Over: Sum,
		Help:  "Tokens that speculative decoding emitted.",
		Names: []Name{vllmOld("vllm:spec_decode_num_emitted_tokens_total").until("V1", "vllm:spec_decode_num_accepted_tokens_total + vllm:spec_decode_num_drafts_total")},
	},
}
