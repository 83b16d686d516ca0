package dashboard

import (
	"fmt"
	"strings"
)

// service is one service: where its requests' time goes, and which of its servers
// is unlike the others.
func service(o Options) board {
	return board{
		name: "assay-service", title: "Assay / Service",
		about: "One service of vLLM: how long requests take, where the time goes, what its servers do.",
		asks:  []ask{askJob, askNamespace, askModel, askPod},
		rows: []row{
			{"Is anything wrong?", []panel{
				serversDown().size(4, 4),
				stalledServers(servers).size(4, 4),
				o.firstTokens(servers).size(4, 4),
				o.nextTokens(servers).size(4, 4),
				o.failed(servers).size(4, 4),
				o.preempted(servers).size(4, 4),
			}},
			{"How long do requests take?", latencies()},
			{"Where does the time go?", phases()},
			{"What is the load?", o.load()},
			{"Is one server unlike the others?", compared()},
			{"What do host and GPUs do?", o.underneath()},
		},
	}
}

func latencies() []panel {
	return []panel{
		percentiles("Time to first token", "Percentiles over all requests, interpolated between the histogram's boundaries.",
			ttftBuckets(servers)).size(8, 8),
		percentiles("Time between tokens", "Percentiles over all tokens, interpolated between the histogram's boundaries.",
			itlBuckets(servers)).size(8, 8),
		percentiles("Whole request", "Percentiles of the time from arrival to the last token; vLLM's lowest boundary is 0.3 s.",
			sum("le", rate("vllm:e2e_request_latency_seconds_bucket{"+servers+"}"))).size(8, 8),
		heatOf("Time to first token", "How many first tokens came after how long: two bands are two kinds of request.",
			"s", counted(servers, "vllm:time_to_first_token_seconds")).size(12, 8),
		heatOf("Time between tokens", "How many tokens came how long after the one before: a far band is stalls.",
			"s", counted(servers, "vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds")).size(12, 8),
	}
}

func heatOf(title, means, unit, expr string) panel {
	return panel{kind: heat, title: title, means: means, unit: unit, queries: []query{{expr: expr, legend: "{{le}}"}}}
}

// counted is what fell into each bucket over the interval.
func counted(selection string, histograms ...string) string {
	var grown []string
	for _, h := range histograms {
		grown = append(grown, "increase("+h+"_bucket{"+selection+"}[$__rate_interval])")
	}
	return sum("le", strings.Join(grown, " or "))
}

func phases() []panel {
	time := chart("Mean time in each phase", "s",
		"Mean time that requests spent queued, in prefill and in decode, over those that ended; it is how long they were there, not GPU time of their own.",
		query{expr: mean("", "vllm:request_queue_time_seconds", servers), legend: "queue"},
		query{expr: mean("", "vllm:request_prefill_time_seconds", servers), legend: "prefill"},
		query{expr: mean("", "vllm:request_decode_time_seconds", servers), legend: "decode"})
	time.kind = stack
	return []panel{
		time.size(12, 8),
		chart("First token: all of it, and the queue", "s",
			"Mean time to first token beside the mean time in the queue: what lies between them is prefill and the API server.",
			query{expr: mean("", "vllm:time_to_first_token_seconds", servers), legend: "time to first token"},
			query{expr: mean("", "vllm:request_queue_time_seconds", servers), legend: "queue"},
			query{expr: mean("", "vllm:request_prefill_time_seconds", servers), legend: "prefill"}).size(12, 8),
	}
}

func (o Options) load() []panel {
	batch := chart("Running and waiting", "none", "Requests in the batches, and those accepted that are not yet in one.",
		query{expr: sum("", "vllm:num_requests_running{"+servers+"}"), legend: "running"},
		query{expr: sum("", "vllm:num_requests_waiting{"+servers+"}"), legend: "waiting"})
	if p := o.OperatingPoint; p != nil {
		batch.means += fmt.Sprintf(" The dashed line is %g requests for each server: %s.", p.Running, p.Source)
		batch.queries = append(batch.queries, query{
			expr:   fmt.Sprintf(`%g * count(count by (job, instance) (vllm:num_requests_running{%s}))`, p.Running, servers),
			legend: "operating point", limit: true,
		})
	}
	reasons := chart("Waiting, by reason", "none",
		"What waiting requests wait for: capacity is room in the batch or the KV cache, deferred a LoRA slot, a grammar or KV from elsewhere.",
		query{expr: sum("reason", "vllm:num_requests_waiting_by_reason{"+servers+"}"), legend: "{{reason}}"})
	reasons.kind = stack
	ended := chart("Requests ended, by reason", "reqps", "Requests that ended a second: stop and length are answers, abort and error are not.",
		query{expr: sum("finished_reason", rate("vllm:request_success_total{"+servers+"}")), legend: "{{finished_reason}}"})
	ended.kind = stack
	all := sum("", answers(servers, ""))
	return []panel{
		batch.size(8, 8),
		reasons.size(8, 8),
		chart("Tokens", tokenRate, "Tokens a second of prompts, those from a cache included, and of answers.",
			query{expr: sum("", rate("vllm:prompt_tokens_total{"+servers+"}")), legend: "prompt"},
			query{expr: sum("", rate("vllm:generation_tokens_total{"+servers+"}")), legend: "output"}).size(8, 8),
		ended.size(8, 8),
		chart("HTTP answers", "reqps", "Answers of the API a second by class of status; 429 is in 4xx.",
			query{expr: sum("status", answers(servers, "")), legend: "{{status}}"},
			query{expr: some(sum("", rate("vllm:admission_rejections_total{"+services+"}")), all), legend: "shed by the queue's limit"}).size(8, 8),
		chart("Tokens in a step", "none",
			"Mean tokens of one engine step, prompts and outputs together: at the token budget prefills wait for each other.",
			query{expr: mean("", "vllm:iteration_tokens_total", servers), legend: "tokens"}).size(8, 8),
	}
}

// perServer is one server: a pod's name where there is one, and its address.
const (
	perServer    = "pod, instance"
	serverLegend = "{{pod}} {{instance}}"
)

func compared() []panel {
	return []panel{
		chart("Mean time to first token", "s", "Mean time to first token of each server.",
			query{expr: mean(perServer, "vllm:time_to_first_token_seconds", servers), legend: serverLegend}).size(8, 8),
		chart("Running", "none", "Requests in the batch of each server: where they differ, the balancer does not balance.",
			query{expr: sum(perServer, "vllm:num_requests_running{"+servers+"}"), legend: serverLegend}).size(8, 8),
		chart("Output tokens for each running request", tokenRate,
			"Tokens a second of each server over the requests that it runs: a slow GPU shows here at equal load.",
			query{expr: share(sum(perServer, rate("vllm:generation_tokens_total{"+servers+"}")),
				sum(perServer, "vllm:num_requests_running{"+servers+"}")), legend: serverLegend}).size(8, 8),
	}
}

func (o Options) underneath() []panel {
	frontend := chart("API server's CPU", "none",
		"CPU cores that the process of /metrics uses: one event loop is at its end near 1. vLLM says nothing with several API servers.",
		query{expr: sum(perServer, beside(rate("process_cpu_seconds_total{"+targets+"}"), servers)), legend: serverLegend})
	frontend.judge = []step{{color: green}, {o.Levels.BusyFrontend, amber}}
	throttled := `container_cpu_cfs_throttled_periods_total{namespace=~"$namespace",pod=~"$pod",container!=""}`
	periods := `container_cpu_cfs_periods_total{namespace=~"$namespace",pod=~"$pod",container!=""}`
	return []panel{
		frontend.size(8, 8),
		chart("Stopped at the CPU limit", "percentunit",
			"Share of scheduling periods in which a server's container was stopped at its CPU limit; nothing where it has none.",
			query{expr: share(sum("namespace, pod", ofPods(rate(throttled))), sum("namespace, pod", ofPods(rate(periods)))), legend: "{{pod}}"}).size(8, 8),
		chart("GPUs of its pods", "percentunit",
			"Share of time in which the memory and the tensor cores of the service's GPUs were busy: decode is bound by the first, prefill by the second.",
			query{expr: "avg(" + gpusOf("DCGM_FI_PROF_DRAM_ACTIVE", servers) + ")", legend: "memory"},
			query{expr: "avg(" + gpusOf("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", servers) + ")", legend: "tensor cores"},
			query{expr: "avg(" + gpusOf("DCGM_FI_PROF_SM_ACTIVE", servers) + ")", legend: "multiprocessors"}).size(8, 8),
	}
}

// ofPods keeps the series of containers in the pods of the servers.
func ofPods(series string) string {
	return "(" + series + " and on (namespace, pod) vllm:num_requests_running{" + servers + "})"
}
