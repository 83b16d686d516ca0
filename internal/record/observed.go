package record

// Server is the engine's own account of a level: differences of its counters
// over the level and means of its gauges. nil means the engine did not say.
type Server struct {
	Samples          int      `json:"samples"`
	RunningMean      *float64 `json:"running_mean"`
	RunningMax       *float64 `json:"running_max"`
	WaitingMean      *float64 `json:"waiting_mean"`
	WaitingMax       *float64 `json:"waiting_max"`
	WaitingShare     *float64 `json:"waiting_share"`  // share of samples with someone waiting
	KVUsageMean      *float64 `json:"kv_usage_mean"`  // 0..1
	KVUsageMax       *float64 `json:"kv_usage_max"`   // 0..1
	Preemptions      *float64 `json:"preemptions"`    // in the level
	PromptTokens     *float64 `json:"prompt_tokens"`  // in the level
	OutputTokens     *float64 `json:"output_tokens"`  // in the level
	Finished         *float64 `json:"finished"`       // requests, all reasons
	PrefixHits       *float64 `json:"prefix_hits"`    // tokens
	PrefixQueries    *float64 `json:"prefix_queries"` // tokens
	IterationTokens  *float64 `json:"iteration_tokens_mean"`
	StepMS           *float64 `json:"step_ms"` // busy time per engine step, where it can be had
	TTFTMean         *float64 `json:"ttft_mean_ms"`
	QueueMean        *float64 `json:"queue_mean_ms"`
	PrefillMean      *float64 `json:"prefill_mean_ms"`
	DecodeMean       *float64 `json:"decode_mean_ms"`
	E2EMean          *float64 `json:"e2e_mean_ms"`
	ITLMean          *float64 `json:"itl_mean_ms"`
	MaxNumSeqs       *float64 `json:"max_num_seqs"`       // the engine's limit, where known
	MaxBatchedTokens *float64 `json:"max_batched_tokens"` // the engine's token budget, where known
	KVTokens         *float64 `json:"kv_tokens"`          // capacity: blocks x block size
	Engines          int      `json:"engines"`            // replicas or data-parallel ranks seen
	// WaitingCapacity and WaitingDeferred are the shares of samples with a request
	// that waits for room in the batch or the KV cache, and for something else: a
	// LoRA slot, a grammar, KV from elsewhere.
	WaitingCapacity *float64 `json:"waiting_capacity_share,omitempty"`
	WaitingDeferred *float64 `json:"waiting_deferred_share,omitempty"`
	ProcessCPU      *float64 `json:"process_cpu_cores,omitempty"` // of the process that serves /metrics, the API server
	// FLOPs and MemoryBytes are the engine's estimates for one GPU, per second over
	// the level; vLLM counts them with --enable-mfu-metrics.
	FLOPs       *float64 `json:"flops_per_s,omitempty"`
	MemoryBytes *float64 `json:"memory_bytes_per_s,omitempty"`
	Changed     string   `json:"changed,omitempty"` // restart, counter reset or changed engine set; makes the level unstable
	// Reconciled compares the client's counts with the engine's; see Check.
	Reconciled []Check `json:"reconciled,omitempty"`
}

// GPU is what the GPUs behind a target say of a span of time by their exporter:
// means over GPUs and samples unless said otherwise. nil means not said.
type GPU struct {
	Source string `json:"source"` // dcgm
	Model  string `json:"model,omitempty"`
	// CollectS is how often the exporter collected, seconds, as its values changed
	// over the level; nil where that was not seen. Coarse says why there are no
	// means: the exporter collects too seldom for a level so short.
	CollectS *float64 `json:"collect_interval_s,omitempty"`
	Coarse   string   `json:"coarse,omitempty"`
	Count    int      `json:"count"` // GPUs seen
	Samples  int      `json:"samples"`
	// Shares of time, 0..1: any kernel ran, an SM was busy, a tensor core was, the
	// memory was moving data.
	EngineActive *float64 `json:"engine_active"` // PROF_GR_ENGINE_ACTIVE
	SMActive     *float64 `json:"sm_active"`
	TensorActive *float64 `json:"tensor_active"`
	DRAMActive   *float64 `json:"dram_active"`
	// Links, bytes per second of one GPU, both directions.
	PCIeBytesPerS   *float64 `json:"pcie_bytes_per_s"`
	NVLinkBytesPerS *float64 `json:"nvlink_bytes_per_s"`
	// Clocks and power of the GPU whose clock is held back most, means while it was
	// busy.
	SMClockMHz    *float64 `json:"sm_clock_mhz"`
	SMClockMaxMHz *float64 `json:"sm_clock_max_mhz"` // its limit
	PowerW        *float64 `json:"power_w"`
	PowerLimitW   *float64 `json:"power_limit_w"`
	TempMaxC      *float64 `json:"temperature_max_c"`
	// Shares of samples in which a GPU's clock was held back, by reason: heat
	// (bits 0x20 and 0x40), the power brake (0x80), the power cap (0x4, normal under
	// full load).
	ThermalShare  *float64 `json:"thermal_share"`
	BrakeShare    *float64 `json:"brake_share"`
	PowerCapShare *float64 `json:"power_cap_share"`
	// Faults of the span, or present in it where the exporter keeps a state.
	XIDs            []XID    `json:"xids,omitempty"`
	DoubleBitErrors *float64 `json:"double_bit_errors"`
	RemapFailures   *float64 `json:"row_remap_failures"`
	NVLinkErrors    *float64 `json:"nvlink_errors"` // replay, recovery and CRC together
	// Worst is the GPU that fares worst: throttled, faulty, or with the lowest clock.
	Worst   string `json:"worst,omitempty"`
	Changed string `json:"changed,omitempty"` // GPUs came or went, or a counter fell
}

// XID is an error code that a GPU's driver gave.
type XID struct {
	GPU  string `json:"gpu"`
	Code int    `json:"code"`
	// Sticky: the exporter shows the last code only, so it may be of before.
	Sticky bool `json:"sticky,omitempty"`
}

// Node is what the machine of the target says of a span of time. nil means not said.
type Node struct {
	Samples      int      `json:"samples"`
	CPUs         *float64 `json:"cpus"`
	CPUBusy      *float64 `json:"cpu_busy_cores"` // of the whole node
	PodCPU       *float64 `json:"pod_cpu_cores"`  // of the serving container
	CFSThrottled *float64 `json:"cfs_throttled_share"`
	// Of the network interfaces, per second: packets that ENA queued or dropped
	// because an allowance of the instance was exceeded, and EFA's retransmissions.
	AllowanceExceeded *float64 `json:"ena_allowance_exceeded_per_s"`
	EFARetransmits    *float64 `json:"efa_retransmits_per_s"`
	EFADrops          *float64 `json:"efa_rx_drops_per_s"`
	NeuronCore        *float64 `json:"neuroncore_utilization"` // 0..1
	NeuronVCPU        *float64 `json:"neuron_vcpu_usage"`      // 0..1
	Changed           string   `json:"changed,omitempty"`
}

// Check is one comparison of the client's count with the engine's.
type Check struct {
	What   string  `json:"what"`
	Client float64 `json:"client"`
	Server float64 `json:"server"`
	// Tolerance is how far the server's may be off, relative.
	Tolerance float64 `json:"tolerance,omitempty"`
	OK        bool    `json:"ok"`
}
