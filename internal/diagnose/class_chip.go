package diagnose

import "assay/internal/record"

var chipClasses = []Class{
	{
		Verdict: record.BoundCompute, Title: "Compute",
		Meaning: "The tensor cores are what a step waits for: it takes in proportion longer with more tokens, so more load only adds latency.",
		Signs: []string{
			"tensor cores active half of the time or more, power at its limit",
			"steps of hundreds to thousands of tokens: long prompts, or a batch past the chip's ridge",
			"the time of a step grows in proportion to its tokens",
		},
		Traps: []string{
			"DCGM_FI_DEV_GPU_UTIL says that any kernel ran, and is 100 % for every busy engine",
			"tensor activity is by cycle: 1 is an instruction every other cycle, which only a test of the tensor cores comes near",
		},
		Remedies: []Remedy{
			{Text: "weights and activations in FP8, where the chip has it", Flag: "--quantization fp8", Helps: Helps, Cost: "some accuracy; up to twice the FLOP/s"},
			{Text: "reuse prefixes: what is cached is not computed", Flag: "--enable-prefix-caching", Helps: Helps, Cost: "none where it is on, as it is by default; routing by prefix with several replicas"},
			{Text: "more replicas, or a faster chip", Helps: Helps, Cost: "GPUs in proportion"},
			{Text: "a larger batch", Flag: "--max-num-seqs", Helps: DoesNot, Cost: "a step grows as its tokens do"},
		},
	},
	{
		Verdict: record.BoundMemory, Title: "Memory bandwidth",
		Meaning: "Reading weights and the KV cache from the GPU's memory is what a step waits for, as decode does in most cases.",
		Signs: []string{
			"memory active 60 % of the time or more (about 80 % is the most that is reached in practice), tensor cores hardly",
			"few tokens in a step; a step grows with the context that the batch holds",
		},
		Traps: []string{
			"while a larger batch is nearly free, whatever caps the batch is what binds: admission or the KV cache",
			"DCGM_FI_DEV_MEM_COPY_UTIL is not the share of the bandwidth that is used",
		},
		Remedies: []Remedy{
			{Text: "weights in 8 or 4 bits: fewer bytes to read in each step", Flag: "--quantization", Helps: Helps, Cost: "some accuracy; a quantised checkpoint"},
			{Text: "KV cache in 8 bits, where long contexts are what is read", Flag: "--kv-cache-dtype fp8", Helps: Helps, Cost: "some accuracy"},
			{Text: "speculative decoding: several tokens for one reading of the weights", Flag: "--speculative-config", Helps: Helps, Cost: "gains at small batches, loses at large ones; depends on how well the draft guesses"},
			{Text: "a chip with more bandwidth, or more tensor parallelism over NVLink", Flag: "--tensor-parallel-size", Helps: Helps, Cost: "price; collectives in each step"},
		},
	},
	{
		Verdict: record.BoundCollective, Title: "Collective communication",
		Meaning: "The GPUs of a replica wait for each other: the all-reduces after attention and MLP take more of a step than reading or computing.",
		Signs: []string{
			"tensor parallelism above 1, SMs busy, yet tensor cores and memory both idle most of the time",
			"no NVLink between the GPUs (L4, A10G and L40S instances), PCIe traffic high",
		},
		Traps: []string{
			"waiting in NCCL counts as a busy SM, so GPU_UTIL and SM_ACTIVE look well",
			"one throttled GPU makes the others wait just so: look at clocks first",
		},
		Remedies: []Remedy{
			{Text: "fewer GPUs for a replica, and more replicas", Flag: "--tensor-parallel-size", Helps: Helps, Cost: "each GPU holds more of the weights, so less KV cache; only where the model fits"},
			{Text: "an instance whose GPUs are joined by NVLink (p4d, p5 and later)", Helps: Helps, Cost: "price by the hour"},
			{Text: "pipeline instead of tensor parallelism over slow links", Flag: "--pipeline-parallel-size", Helps: Trades, Cost: "TTFT and ITL at low load; throughput needs several batches in flight"},
		},
	},
}
