package dashboard

// cache is KV memory: how full, what it costs when it is too full, what the
// prefix cache saves.
func cache(o Options) board {
	return board{
		name: "assay-kv", title: "Assay / KV and cache",
		about: "KV cache of vLLM: how full it is, what waits for it, what is computed twice, what the prefix cache saves.",
		asks:  []ask{askJob, askNamespace, askModel, askPod},
		rows: []row{
			{"Is there enough?", []panel{
				o.shortOfKV().size(4, 4),
				o.preempted(servers).size(4, 4),
				figure("Fullest KV cache", "percentunit", "Usage of the fullest KV cache; near 100 % alone is a cache well used.",
					"max("+kvUsage(servers)+")").size(4, 4),
				figure("Waiting for capacity", "none", "Requests that wait for room in the batch or the KV cache.",
					sum("", waitingForCapacity)).size(4, 4),
				trafficFigure("Prompt from the cache", "percentunit", "Share of prompt tokens that the prefix cache served.",
					prefixHits("", servers)).size(4, 4),
				trafficFigure("Mean prompt", "none", "Mean tokens of a prompt, of the requests that ended.",
					mean("", "vllm:request_prompt_tokens", servers)).size(4, 4),
			}},
			{"How full is it?", o.fullness()},
			{"What does the prefix cache save?", savings()},
			{"What fills it?", fillers()},
			{"Configuration", []panel{cacheTable().size(24, 6)}},
		},
	}
}

func trafficFigure(title, unit, means, expr string) panel {
	p := figure(title, unit, means, expr)
	p.none = ""
	return p
}

// shortOfKV counts engines whose cache is full and which preempt requests, or keep
// them waiting for room: full alone is no trouble.
func (o Options) shortOfKV() panel {
	full := over("max", perEngine, kvUsage(servers)) + " > " + number(o.Levels.KVFull)
	trouble := "(" + sum(perEngine, rate("vllm:num_preemptions_total{"+servers+"}")) + " > 0 or " +
		sum(perEngine, waitingForCapacity) + " > 0)"
	return panel{
		kind: tile, title: "Engines short of KV", unit: "none",
		means:   "Engines whose KV cache is full and that preempt requests or keep them waiting for room; full alone is no trouble.",
		queries: []query{{expr: count(full+" and on ("+perEngine+") "+trouble, "vllm:num_requests_running{"+servers+"}")}},
		judge:   never(), none: "No server",
	}
}

const waitingForCapacity = `vllm:num_requests_waiting_by_reason{` + servers + `,reason="capacity"}`

const (
	perEngine    = "pod, instance, engine"
	engineLegend = "{{pod}} {{instance}} engine {{engine}}"
)

func (o Options) fullness() []panel {
	usage := chart("KV cache in use", "percentunit", "Share of each engine's KV cache that holds tokens of running requests.",
		query{expr: over("max", perEngine, kvUsage(servers)), legend: engineLegend})
	usage.top = 1
	return []panel{
		usage.size(8, 8),
		chart("Preemptions", "ops", "Requests a second of each server that lost their place; each is computed again from its start.",
			query{expr: sum(perServer, rate("vllm:num_preemptions_total{"+servers+"}")), legend: serverLegend}).size(8, 8),
		chart("Running, and waiting for capacity", "none", "Requests that run, and those that wait for room in the batch or the KV cache.",
			query{expr: sum("", "vllm:num_requests_running{"+servers+"}"), legend: "running"},
			query{expr: sum("", waitingForCapacity), legend: "waiting for capacity"}).size(8, 8),
	}
}

func savings() []panel {
	sources := chart("Prompt tokens by source", tokenRate,
		"Prompt tokens a second by where their KV came from: computed here, this engine's cache, or another's by transfer.",
		query{expr: sum("source", rate("vllm:prompt_tokens_by_source_total{"+servers+"}")), legend: "{{source}}"})
	sources.kind = stack
	hits := chart("Prompt from the cache", "percentunit", "Share of prompt tokens that each server's prefix cache served: where servers differ, requests of one session go to several.",
		query{expr: prefixHits(perServer, servers), legend: serverLegend})
	hits.top = 1
	external := chart("Prompt from caches elsewhere", "percentunit",
		"Share of the tokens looked up in a KV connector's store that it had; nothing without one.",
		query{expr: share(sum("", rate("vllm:external_prefix_cache_hits_total{"+servers+"}")),
			sum("", rate("vllm:external_prefix_cache_queries_total{"+servers+"}"))), legend: "found"})
	external.top = 1
	return []panel{hits.size(8, 8), sources.size(8, 8), external.size(8, 8)}
}

func fillers() []panel {
	return []panel{
		heatOf("Prompt lengths", "How many requests that ended had prompts of how many tokens.", "none",
			counted(servers, "vllm:request_prompt_tokens")).size(8, 8),
		heatOf("Output lengths", "How many requests that ended had answers of how many tokens.", "none",
			counted(servers, "vllm:request_generation_tokens")).size(8, 8),
		chart("Mean lengths", "none", "Mean tokens of prompt and answer, of the requests that ended: together they are what one request holds at its end.",
			query{expr: mean("", "vllm:request_prompt_tokens", servers), legend: "prompt"},
			query{expr: mean("", "vllm:request_generation_tokens", servers), legend: "output"}).size(8, 8),
	}
}

func cacheTable() panel {
	fields := "pod, instance, engine, num_gpu_blocks, block_size, cache_dtype, enable_prefix_caching, gpu_memory_utilization"
	return panel{
		kind: table, title: "KV caches", unit: "none",
		means:   "What each engine was started with; blocks times block size is how many tokens fit.",
		queries: []query{{expr: over("max", fields, beside("vllm:cache_config_info{"+targets+"}", servers)), legend: "Info"}},
		cols: map[string]column{
			"Info": {}, "pod": {title: "Pod"}, "instance": {title: "Server"}, "engine": {title: "Engine"},
			"num_gpu_blocks": {title: "Blocks"}, "block_size": {title: "Tokens in a block"},
			"cache_dtype": {title: "Type"}, "enable_prefix_caching": {title: "Prefix cache"},
			"gpu_memory_utilization": {title: "Share of memory asked for"},
			"Value":                  {hide: true},
		},
	}
}
