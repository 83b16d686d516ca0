package diagnose

import "assay/internal/record"

var hostClasses = []Class{
	{
		Verdict: record.BoundCPU, Title: "CPU",
		Meaning: "The host cannot feed the GPU. One of three: the API process (HTTP, tokenizer, detokenizer) has no more CPU time to give; the host's work between steps leaves the GPU idle; or the container's CPU limit holds both back (CFS throttling).",
		Signs: []string{
			"API process: about one core busy in it, requests in flight that the engine has neither running nor waiting, server TTFT well above queue and prefill",
			"host gaps: requests run, yet the GPU does nothing for a good part of the time",
			"CFS: the container was throttled in many of its periods",
		},
		Traps: []string{
			"the node's CPU looks idle: one thread of one process is what is full",
			"process_cpu_seconds_total is missing with several API servers",
			"small models on fast GPUs are bound so most often: a step is shorter than its preparation",
		},
		Remedies: []Remedy{
			{Text: "more API processes", Flag: "--api-server-count", Helps: Helps, Cost: "a core each; per-process metrics are gone"},
			{Text: "raise the container's CPU limit, or drop it and keep the request", Flag: "resources.limits.cpu", Helps: Helps, Cost: "cores of the node"},
			{Text: "an instance with faster or more cores for each GPU", Helps: Helps, Cost: "price by the hour"},
			{Text: "run without --enforce-eager, so that CUDA graphs launch the kernels of a step at once", Helps: Helps, Cost: "some memory and a longer start"},
			{Text: "prepare the next step while this one runs", Flag: "--async-scheduling", Helps: NoLonger, Cost: "it is vLLM's default, but with pipeline parallelism on the older model runner and with some kinds of speculative decoding: the log of the start says so"},
			{Text: "send chunks of several tokens", Flag: "--stream-interval", Helps: Trades, Cost: "text arrives less smoothly"},
		},
	},
	{
		Verdict: record.BoundNetwork, Title: "Network",
		Meaning: "Between client and server more time passes than can be explained by the server: distance, a proxy or ingress, or an instance's network allowance.",
		Signs: []string{
			"the client's mean TTFT or end-to-end time lies well above the server's own",
			"connecting takes long; requests in flight at the client are not yet, or no longer, at the server",
			"ENA counts packets over the instance's allowance",
		},
		Traps: []string{
			"only means may be subtracted: the percentiles of two distributions do not differ by those of the difference",
			"an API process without CPU time reads sockets late, which looks like network from outside",
			"a proxy that buffers delivers all chunks at once: ITL looks like 0",
		},
		Remedies: []Remedy{
			{Text: "put client and server into one zone, and measure past the ingress", Helps: Helps, Cost: "none for the measurement; topology constraints in production"},
			{Text: "a larger instance size where an allowance is exceeded", Helps: Helps, Cost: "price by the hour"},
			{Text: "more connections, or a higher limit of them at proxy or ingress", Helps: Helps, Cost: "memory of the proxy"},
		},
	},
}
