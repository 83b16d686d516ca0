package diagnose

import "assay/internal/record"

var queueClasses = []Class{
	{
		Verdict: record.BoundKVCache, Title: "KV cache",
		Meaning: "The memory that holds the keys and values of running sequences is full. New requests wait for blocks although the batch has room, or running ones are preempted and computed again.",
		Signs: []string{
			"KV cache usage near 1 together with waiting requests or preemptions",
			"running requests stay below max-num-seqs while others wait for capacity",
			"a larger batch would still raise throughput",
		},
		Traps: []string{
			"usage of 95 % alone is healthy packing: it is a shortage where requests wait for room or are preempted",
			"a full cache does not reject requests; it queues and preempts. Rejection is opt-in (--max-num-queued-reqs)",
			"preemptions are few when prompts are long: a request is admitted only when its whole prompt fits, so it waits instead",
		},
		Remedies: []Remedy{
			{Text: "give the engine more of the GPU's memory", Flag: "--gpu-memory-utilization 0.95", Helps: Helps, Cost: "less margin for activations and other processes on the GPU; too high fails at start or under load (vLLM's default is 0.92)"},
			{Text: "store keys and values in 8 bits", Flag: "--kv-cache-dtype fp8", Helps: Helps, Cost: "about half the bytes of each token, so twice the sequences; some accuracy, and attention kernels that support it (Ada, Hopper and later)"},
			{Text: "a smaller maximal length", Flag: "--max-model-len", Helps: DoesNot, Cost: "blocks are taken as a sequence grows, not by its limit: the same requests take the same blocks. It only turns longer requests away, and lets the engine start where one maximal request would not fit"},
			{Text: "chunked prefill", Flag: "--enable-chunked-prefill", Helps: NoLonger, Cost: "it is the default of vLLM's V1 engine, so setting it changes nothing"},
			{Text: "more GPUs for a replica: weights are shared out, and what they leave is KV cache", Flag: "--tensor-parallel-size", Helps: Helps, Cost: "twice the GPUs, and collectives in each step; without NVLink these may come to bind"},
			{Text: "more replicas", Helps: Helps, Cost: "GPUs in proportion; prefix caches are split unless requests are routed by prefix"},
			{Text: "fewer sequences at once", Flag: "--max-num-seqs", Helps: Trades, Cost: "ends preemptions and the work they repeat, and lets requests queue instead: throughput does not rise beyond that"},
			{Text: "shorter outputs or prompts, where the application can", Flag: "max_tokens", Helps: Helps, Cost: "of the application"},
			{Text: "weights in 8 or 4 bits: what they leave is KV cache", Flag: "--quantization", Helps: Helps, Cost: "some accuracy; a quantised checkpoint"},
		},
	},
	{
		Verdict: record.BoundAdmission, Title: "Admission (max-num-seqs)",
		Meaning: "The engine runs as many sequences as its limit allows, and others wait although the KV cache has room and a larger batch would cost little.",
		Signs: []string{
			"running requests stay at max-num-seqs, flat whatever the load, while requests wait",
			"KV cache usage well below 1, no preemptions",
			"a step hardly takes longer with more requests in it",
		},
		Traps: []string{
			"vLLM does not publish max-num-seqs: the plateau of running requests shows it",
			"--max-num-active-seqs, where it is set, is the lower limit (vLLM 0.32)",
			"a full batch is no limit where a step grows in proportion to the batch: then compute or reading the KV cache binds, and a larger batch only adds latency",
			"waiting_by_reason=deferred is another wait: a LoRA slot, a grammar, KV from elsewhere",
		},
		Remedies: []Remedy{
			{Text: "let more sequences run", Flag: "--max-num-seqs", Helps: Helps, Cost: "ITL grows somewhat with the batch; the KV cache fills further; CUDA graphs are captured for larger batches"},
			{Text: "more replicas", Helps: Helps, Cost: "GPUs in proportion, which a larger batch would not take"},
		},
	},
	{
		Verdict: record.BoundTokenBudget, Title: "Token budget (max-num-batched-tokens)",
		Meaning: "Each step takes as many tokens as the budget allows, so prompts are read in pieces and wait their turn, while the GPU could read more in a step.",
		Signs: []string{
			"the mean step holds nearly max-num-batched-tokens",
			"prefill, and the wait for it, is most of TTFT",
			"a step of more tokens would take less than in proportion longer: the budget lies below the GPU's ridge",
		},
		Traps: []string{
			"a full budget of thousands of tokens is compute-bound prefill: a larger one raises neither throughput nor helps anyone but the longest prompt",
			"vLLM's iteration_tokens_total is a histogram despite its name",
		},
		Remedies: []Remedy{
			{Text: "let a step take more tokens", Flag: "--max-num-batched-tokens", Helps: Helps, Cost: "ITL: a decode waits for the whole step; vLLM's guide names 2048 for ITL and more than 8192 for throughput"},
			{Text: "reuse prefixes, where prompts share any", Flag: "--enable-prefix-caching", Helps: Helps, Cost: "none where it is on, as it is by default"},
			{Text: "prefill and decode on engines of their own", Flag: "--kv-transfer-config", Helps: Trades, Cost: "more parts, and a fast network between them; the sum of GPUs works no less"},
		},
	},
}
