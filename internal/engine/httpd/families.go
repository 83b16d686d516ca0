package httpd

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"assay/internal/engine"
)

var (
	finishReasons = []string{"stop", "length", "abort", "error", "repetition"}
	rejections    = []string{"max_num_queued_reqs", "max_num_queued_tokens"}
)

// expose writes all of it, in vLLM's order.
func (m *metrics) expose(opt Options, cfg engine.Config, c engine.Counters, late time.Duration) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	model := opt.ServedModel
	started := float64(m.started.UnixMicro()) / 1e6
	x := &exposition{
		created: strconv.FormatFloat(started, 'e', -1, 64),
		labels:  `engine="0",model_name=` + strconv.Quote(model),
	}
	process(x, started, c.FrontendCPU)
	m.scheduler(x)
	m.tokens(x, model)
	work(x, opt.MFUMetrics, c.Work, float64(cfg.TP))
	m.unused(x)
	m.histograms(x)
	m.config(x, cfg)
	m.simulator(x, cfg, late)
	m.requests(x)
	return x.Bytes()
}

func (m *metrics) scheduler(x *exposition) {
	x.gauge("vllm:num_requests_running", "Number of requests in model execution batches.", x.labels, float64(m.running))
	x.gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.", x.labels, float64(m.waiting))
	x.gauges("vllm:num_requests_waiting_by_reason", "Number of waiting requests by reason. Reason labels: 'capacity' = waiting for scheduling capacity; 'deferred' = deferred by transient constraints (LoRA budget, KV transfer, blocked status). Sum of all reasons equals vllm:num_requests_waiting.",
		labelled{x.labels + `,reason="capacity"`, float64(m.waiting)}, labelled{x.labels + `,reason="deferred"`, 0})
	x.gauges("vllm:engine_sleep_state", "Engine sleep state; awake = 0 means engine is sleeping; awake = 1 means engine is awake; weights_offloaded = 1 means sleep level 1; discard_all = 1 means sleep level 2.",
		labelled{x.labels + `,sleep_state="awake"`, 1}, labelled{x.labels + `,sleep_state="weights_offloaded"`, 0}, labelled{x.labels + `,sleep_state="discard_all"`, 0})
	x.gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", x.labels, m.kvUsage)
	x.counter("vllm:prefix_cache_queries", "Prefix cache queries, in terms of number of queried tokens.", float64(m.engine.PrefixQueries))
	x.counter("vllm:prefix_cache_hits", "Prefix cache hits, in terms of number of cached tokens.", float64(m.engine.PrefixHits))
	x.counter("vllm:num_preemptions", "Cumulative number of preemption from the engine.", m.preemptions)
}

func (m *metrics) tokens(x *exposition, model string) {
	x.counter("vllm:prompt_tokens", "Number of prefill tokens processed.", m.promptComputed+m.promptCached)
	x.counters("vllm:prompt_tokens_by_source", "Number of prompt tokens by source.",
		labelled{x.labels + `,source="local_compute"`, m.promptComputed}, labelled{x.labels + `,source="local_cache_hit"`, m.promptCached},
		labelled{x.labels + `,source="external_kv_transfer"`, 0})
	x.counter("vllm:prompt_tokens_cached", "Number of cached prompt tokens (local + external).", m.promptCached)
	x.counter("vllm:generation_tokens", "Number of generation tokens processed.", m.generated)
	x.counters("vllm:request_success", "Count of successfully processed requests.", x.by("finished_reason", finishReasons, m.finished)...)
	rejected := make([]labelled, len(rejections))
	for i, r := range rejections {
		rejected[i] = labelled{"model_name=" + strconv.Quote(model) + `,reason="` + r + `"`, m.rejected[r]}
	}
	x.counters("vllm:admission_rejections", "Number of admission attempts rejected by a queue limit, by reason.", rejected...)
}

// process is what prometheus_client says of its process, which is vLLM's API
// server, not the simulator: only its CPU time is more than a likely size.
func process(x *exposition, started float64, cpu time.Duration) {
	x.gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.", "", 9e9)
	x.gauge("process_resident_memory_bytes", "Resident memory size in bytes.", "", 1.2e9)
	x.gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", "", started)
	x.head("process_cpu_seconds_total", "counter", "Total user and system CPU time spent in seconds.")
	x.sample("process_cpu_seconds_total", "", cpu.Seconds())
	x.gauge("process_open_fds", "Number of open file descriptors.", "", 64)
	x.gauge("process_max_fds", "Maximum number of open file descriptors.", "", 1<<20)
}

// work is vLLM's estimate of FLOPs and bytes for one GPU, which stay at 0 without
// --enable-mfu-metrics.
func work(x *exposition, on bool, w engine.Work, gpus float64) {
	if !on {
		w = engine.Work{}
	}
	x.counter("vllm:estimated_flops_per_gpu", "Estimated number of floating point operations per GPU (for Model Flops Utilization calculations).", w.FLOPs/gpus)
	x.counter("vllm:estimated_read_bytes_per_gpu", "Estimated number of bytes read from memory per GPU (for Model Flops Utilization calculations).", w.Read/gpus)
	x.counter("vllm:estimated_write_bytes_per_gpu", "Estimated number of bytes written to memory per GPU (for Model Flops Utilization calculations).", w.Written/gpus)
}

// unused is what vLLM shows at 0 for a model like ours: no KV connector, no
// images.
func (m *metrics) unused(x *exposition) {
	for _, f := range []struct{ base, help string }{
		{"vllm:external_prefix_cache_queries", "External prefix cache queries from KV connector cross-instance cache sharing, in terms of number of queried tokens."},
		{"vllm:external_prefix_cache_hits", "External prefix cache hits from KV connector cross-instance cache sharing, in terms of number of cached tokens."},
		{"vllm:mm_cache_queries", "Multi-modal cache queries, in terms of number of queried items."},
		{"vllm:mm_cache_hits", "Multi-modal cache hits, in terms of number of cached items."},
	} {
		x.counter(f.base, f.help, 0)
	}
	x.counters("vllm:prompt_tokens_cached_by_source", "Prefix-cache hit tokens by the cache tier that supplied them: device (local HBM), host (offloaded to DRAM), disk, p2p (transferred from another vLLM instance) or external_unspecified. Counted at admission; sums to vllm:prefix_cache_hits + vllm:external_prefix_cache_hits.",
		x.by("source", []string{"device", "host", "p2p", "disk", "external_unspecified"}, map[string]float64{"device": float64(m.engine.PrefixHits)})...)
}

func (m *metrics) histograms(x *exposition) {
	x.histogram("vllm:request_prompt_tokens", "Number of prefill tokens processed.", m.promptLen)
	x.histogram("vllm:request_generation_tokens", "Number of generation tokens processed.", m.outputLen)
	x.histogram("vllm:iteration_tokens_total", "Histogram of number of tokens per engine_step.", m.iteration)
	x.histogram("vllm:request_max_num_generation_tokens", "Histogram of maximum number of requested generation tokens.", m.maxOutput)
	x.histogram("vllm:request_params_n", "Histogram of the n request parameter.", m.paramsN)
	x.histogram("vllm:request_params_max_tokens", "Histogram of the max_tokens request parameter.", m.paramsMax)
	x.histogram("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.", m.ttft)
	x.histogram("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", m.itl)
	x.histogram("vllm:request_time_per_output_token_seconds", "Histogram of time_per_output_token_seconds per request.", m.tpot)
	x.histogram("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", m.e2e)
	x.histogram("vllm:request_queue_time_seconds", "Histogram of time spent in WAITING phase for request.", m.queue)
	x.histogram("vllm:request_inference_time_seconds", "Histogram of time spent in RUNNING phase for request.", m.inference)
	x.histogram("vllm:request_prefill_time_seconds", "Histogram of time spent in PREFILL phase for request.", m.prefill)
	x.histogram("vllm:request_decode_time_seconds", "Histogram of time spent in DECODE phase for request.", m.decode)
	x.histogram("vllm:request_num_preemptions", "Histogram of the number of times a request was preempted.", m.preempted)
	x.histogram("vllm:request_prefill_kv_computed_tokens", "Histogram of new KV tokens computed during prefill (excluding cached tokens).", m.computed)
}

// config is vllm:cache_config_info: the fields of the cache that a simulator has.
func (m *metrics) config(x *exposition, cfg engine.Config) {
	python := func(b bool) string {
		if b {
			return "True"
		}
		return "False"
	}
	kvTokens := (cfg.KVBlocks - 1) * cfg.BlockSize
	labels := fmt.Sprintf(`block_size="%d",cache_dtype="auto",enable_prefix_caching="%s",engine="0",gpu_memory_utilization="%g",kv_cache_max_concurrency="%g",kv_cache_size_tokens="%d",num_gpu_blocks="%d",prefix_caching_hash_algo="builtin"`,
		cfg.BlockSize, python(!cfg.NoPrefixCache), cfg.MemoryUtilization, float64(kvTokens)/float64(cfg.MaxModelLen), kvTokens, cfg.KVBlocks)
	x.gauge("vllm:cache_config_info", "Information of the LLMEngine CacheConfig", labels, 1)
}

// simulator is what vLLM does not say: its limits, and whether the simulator
// itself kept up.
func (m *metrics) simulator(x *exposition, cfg engine.Config, late time.Duration) {
	x.gauge("assay_sim_max_num_seqs", "Most requests in one batch.", x.labels, float64(cfg.MaxNumSeqs))
	x.gauge("assay_sim_max_num_batched_tokens", "Most tokens in one step.", x.labels, float64(cfg.MaxBatchedTokens))
	x.gauge("assay_sim_late_seconds", "How long after its time the latest step's tokens were handed out: the simulator's own delay.", x.labels, late.Seconds())
}

func (m *metrics) requests(x *exposition) {
	keys := make([]httpKey, 0, len(m.http))
	for k := range m.http {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b httpKey) int {
		return cmp.Or(cmp.Compare(a.handler, b.handler), cmp.Compare(a.method, b.method), cmp.Compare(a.status, b.status))
	})
	series := make([]labelled, len(keys))
	for i, k := range keys {
		series[i] = labelled{fmt.Sprintf(`handler="%s",method="%s",status="%s"`, k.handler, k.method, k.status), m.http[k]}
	}
	x.counters("http_requests", "Total number of requests by method, status and handler.", series...)
}
