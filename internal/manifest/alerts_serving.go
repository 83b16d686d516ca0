package manifest

import (
	"fmt"
	"math"
)

// replica are the labels that name one server: with an operator the pod, without
// one the instance.
const replica = "namespace, pod, job, instance, model_name"

// servingGroup is what an engine says of itself, and what its HTTP server does.
func servingGroup(opt Options) Group {
	return Group{Name: "assay-serving", Alerts: []Alert{
		stalled(opt), kvCacheFull(opt), queueGrowing(),
		errorRate("vLLMErrorRateHigh", 0.05, "5m", Critical), errorRate("vLLMErrorRate", 0.01, "15m", Warning),
		engineErrors(), sheddingLoad(), overloaded(opt), aboveOperatingPoint(opt), unhealthy(), sleeping(),
	}}
}

// stalled looks at each engine of a server by itself: with data parallelism one of
// them hangs while the others go on. A model that embeds generates no token, but
// its prompts are counted. An engine younger than the window may be warming up.
func stalled(opt Options) Alert {
	w := opt.Stall.String()
	return Alert{
		Name: "vLLMStalled",
		Expr: fmt.Sprintf(`sum by (%[1]s) (min_over_time(vllm:num_requests_running{@}[%[2]s])) > 0
and
sum by (%[1]s) (vllm:num_requests_running{@} offset %[2]s) > 0
and
sum by (%[1]s) (rate(vllm:generation_tokens_total{@}[%[2]s])) == 0
unless
sum by (%[1]s) (rate(vllm:prompt_tokens_total{@}[%[2]s])) > 0`, replica+", engine", w),
		For: "1m", Severity: Critical,
		Summary:     "{{ or $labels.pod $labels.instance }}: requests run and no token comes",
		Description: fmt.Sprintf("{{ or $labels.pod $labels.instance }} ({{ $labels.model_name }}{{ with $labels.engine }}, engine {{ . }}{{ end }}) has had at least {{ $value }} requests in its batch for %s and has finished no step of them in that time.", w),
		Meaning: text("The engine hangs: a collective that waits for a lost rank, a GPU that fell off the bus, a dead engine process behind a living API server.",
			"Latency histograms are silent, for they are written when a token exists, and /health may still answer 200."),
		Steps: []string{
			"Look for an XID on its GPUs (GPUXIDCritical) and at the end of the pod's log.",
			"Take a stack of the engine process (py-spy dump) if there is time, then delete the pod: its clients are waiting.",
			"With tensor or pipeline parallelism over nodes: look at the other ranks too, EFA or NVLink errors come from there.",
		},
		Level: opt.StallFrom,
	}
}

// kvCacheFull is the documents' alert in its right form: full alone is a cache
// well used. It is the peak that is looked at: a preemption frees all blocks of a
// request, so that where few long requests fill the cache its mean is near 0.75 in
// the worst shortage.
func kvCacheFull(opt Options) Alert {
	by := replica + ", engine"
	return Alert{
		Name: "vLLMKVCacheFull",
		Expr: fmt.Sprintf(`(
  max by (%[1]s) (max_over_time(vllm:kv_cache_usage_perc{@}[5m]))
  or max by (%[1]s) (max_over_time(vllm:gpu_cache_usage_perc{@}[5m]))
) > 0.95
and
(
  sum by (%[1]s) (rate(vllm:num_preemptions_total{@}[5m]))
    > 0.01 * sum by (%[1]s) (rate(vllm:request_success_total{@}[5m]))
  or sum by (%[1]s) (avg_over_time(vllm:num_requests_waiting_by_reason{@,reason="capacity"}[5m])) >= 1
  or (
    sum by (%[1]s) (avg_over_time(vllm:num_requests_waiting{@}[5m])) >= 1
    unless sum by (%[1]s) (vllm:num_requests_waiting_by_reason{@})
  )
)`, by),
		For: "5m", Severity: Warning,
		Summary:     "{{ or $labels.pod $labels.instance }}: the KV cache limits it",
		Description: "The KV cache of {{ or $labels.pod $labels.instance }} ({{ $labels.model_name }}{{ with $labels.engine }}, engine {{ . }}{{ end }}) filled up to {{ $value | humanizePercentage }} in the last five minutes (the highest scrape, not the mean), and requests were preempted or waited for room.",
		Meaning: text("Requests queue for KV blocks, or are preempted and computed again. They are not rejected:",
			"that takes --max-num-queued-reqs. A full cache without preemption or queue is a cache well used, and this alert does not fire on it.",
			"The gauge is the share of blocks that requests hold when it is scraped: blocks kept for the prefix cache alone count as free, so it goes back to 0 when idle;",
			"a preemption frees a whole request at once, so a graph of it may swing far below 1 while the cache is short.",
			"Few preemptions (one in a hundred requests) are the price of a cache well used."),
		Steps: []string{
			"More KV: --gpu-memory-utilization up, --kv-cache-dtype fp8, tensor parallelism up, a GPU with more memory, or replicas.",
			"Fewer tokens at once: --max-num-seqs down, shorter outputs. A smaller --max-model-len does not help the same requests.",
			"`assay explain kv-cache` says what each remedy costs.",
		},
		Level: "0.95 is the documents'; preemption of more than one in a hundred requests (ours) or a queue is what makes it a shortage" + opt.KVFrom,
	}
}

func queueGrowing() Alert {
	return Alert{
		Name: "vLLMQueueGrowing",
		Expr: `sum by (namespace, model_name) (avg_over_time(vllm:num_requests_waiting{@}[10m]))
  > sum by (namespace, model_name) (avg_over_time(vllm:num_requests_running{@}[10m]))
and
sum by (namespace, model_name) (deriv(vllm:num_requests_waiting{@}[10m])) * 600
  > 0.1 * sum by (namespace, model_name) (avg_over_time(vllm:num_requests_waiting{@}[10m]))`,
		For: "10m", Severity: Warning,
		Summary:     "{{ $labels.model_name }}: the queue grows, and is longer than the batch",
		Description: "{{ $value | humanize }} requests of {{ $labels.model_name }} {{ with $labels.namespace }}in {{ . }} {{ end }}waited over the last ten minutes, more than were running, and their number grows.",
		Meaning: text("More comes in than is served. A queue as long as the batch about doubles the time of a request,",
			"and one that grows has no latency that could be stated."),
		Steps: []string{
			"Add replicas, or shed load at the gateway.",
			"`assay diagnose` says what binds; at admission --max-num-seqs is too low for what the GPU could do.",
		},
		Level: "longer than the batch itself, and a tenth more in ten minutes (ours)",
	}
}

// load is how many requests a server holds, of all its engines. Where two Services
// lead a scrape to it, it counts once.
func load(window string, level float64) string {
	if level <= 0 {
		level = math.Inf(1) // asked for, and not written without
	}
	return fmt.Sprintf(`sum by (%[1]s) (
  max by (%[1]s, engine) (avg_over_time(vllm:num_requests_running{@}[%[2]s]))
  + max by (%[1]s, engine) (avg_over_time(vllm:num_requests_waiting{@}[%[2]s]))
) > %[3]g`, replica, window, level)
}

// from is where a level comes from, or what stands for it while it is not known.
func from(level float64, source, what string) string {
	if level <= 0 {
		return what + " of a measured run, in the place of +Inf"
	}
	return source
}

func overloaded(opt Options) Alert {
	asks := "--from RUN, or --knee"
	if opt.Knee > 0 {
		asks = ""
	}
	return Alert{
		Name: "vLLMOverloaded",
		Expr: load("10m", opt.Knee),
		For:  "10m", Severity: Warning,
		Summary:     "{{ or $labels.pod $labels.instance }}: more load than its measured knee",
		Description: "{{ or $labels.pod $labels.instance }} ({{ $labels.model_name }}) had {{ $value | humanize }} requests running and waiting over ten minutes, past the knee of its throughput: more load makes it slower and not faster.",
		Meaning:     "Past the knee each further request only waits. The knee is that of a measured run of this model on this hardware; no rule of thumb stands for it.",
		Steps: []string{
			"Add replicas, or lower the autoscaler's target to the operating point.",
			"Measure again if model, hardware, engine version or the lengths of prompts have changed: assay bench, then assay render monitoring --from RUN.",
		},
		Level: from(opt.Knee, opt.KneeFrom, "the knee"),
		Asks:  asks,
	}
}

func aboveOperatingPoint(opt Options) Alert {
	asks := "--from RUN whose SLO was met somewhere"
	if opt.OperatingPoint > 0 {
		asks = ""
	}
	return Alert{
		Name: "vLLMAboveOperatingPoint",
		Expr: load("30m", opt.OperatingPoint),
		For:  "30m", Severity: Info,
		Summary:     "{{ or $labels.pod $labels.instance }}: more load than it met its SLO with",
		Description: "{{ or $labels.pod $labels.instance }} ({{ $labels.model_name }}) had {{ $value | humanize }} requests running and waiting over half an hour, more than its measured operating point.",
		Meaning:     "The operating point is the largest load that met the SLO when it was measured, at most 0.8 of the throughput at the knee. Above it the objective is at risk, and nothing need be wrong yet.",
		Steps:       []string{"Add a replica before the knee is reached. Where an autoscaler does it, its target is too high or it is at its limit."},
		Level:       from(opt.OperatingPoint, opt.OperatingFrom, "the operating point"),
		Asks:        asks,
	}
}

// servedPaths are the handlers that serve a model; others are looked at by probes
// and scrapes. A server is a vLLM where it has vLLM's gauges.
const servedPaths = `handler=~"/v1/.*",handler!="/v1/models"`

func errorRate(name string, share float64, window, severity string) Alert {
	by := "namespace, pod, instance, job"
	return Alert{
		Name: name,
		Expr: fmt.Sprintf(`(
  sum by (%[1]s) (rate(http_requests_total{#,status=~"5..",%[2]s}[%[3]s]))
  / sum by (%[1]s) (rate(http_requests_total{#,%[2]s}[%[3]s]))
) > %[4]g
and
sum by (%[1]s) (increase(http_requests_total{#,status=~"5..",%[2]s}[%[3]s])) >= 5
and on (namespace, pod, instance)
vllm:num_requests_running{@}`, by, servedPaths, window, share),
		For: "2m", Severity: severity,
		Summary:     "{{ or $labels.pod $labels.instance }}: requests fail",
		Description: fmt.Sprintf("{{ $value | humanizePercentage }} of the requests to {{ or $labels.pod $labels.instance }} were answered with a 5xx over the last %s.", window),
		Meaning: text("The server says that it failed. It does not count streams that break off after their head: those count as 2xx,",
			"so a client's or a gateway's own count is the whole truth. 503 may be load that was shed on purpose: see vLLMSheddingLoad."),
		Steps: []string{
			"500 on each request: the engine is gone. Read the end of the pod's log, then delete the pod.",
			"503: the queue limits are reached (--max-num-queued-reqs). Add replicas.",
			"Only during a roll-out: the pod got requests while it was stopping. Give it a preStop sleep.",
		},
		Level: "share of failed requests, and at least 5 of them; ours",
	}
}

func engineErrors() Alert {
	return Alert{
		Name: "vLLMEngineErrors",
		Expr: fmt.Sprintf(`(
  sum by (%[1]s) (rate(vllm:request_success_total{@,finished_reason="error"}[15m]))
  / sum by (%[1]s) (rate(vllm:request_success_total{@}[15m]))
) > 0.01
and
sum by (%[1]s) (increase(vllm:request_success_total{@,finished_reason="error"}[15m])) >= 5`, replica),
		For: "2m", Severity: Warning,
		Summary:     "{{ or $labels.pod $labels.instance }}: requests end in an error inside the engine",
		Description: "{{ $value | humanizePercentage }} of the requests that {{ or $labels.pod $labels.instance }} ({{ $labels.model_name }}) finished in 15 minutes ended with reason error.",
		Meaning:     "Accepted requests failed while they ran, such as a KV transfer that broke. Despite its name vllm:request_success_total counts every ending.",
		Steps: []string{
			"Read the pod's log for the reason.",
			"With disaggregated prefill: look at the other side of the KV transfer and at EFA.",
		},
		Level: "1 %, and at least 5 of them; ours",
	}
}

func sheddingLoad() Alert {
	return Alert{
		Name: "vLLMSheddingLoad",
		Expr: `sum by (namespace, pod, instance, reason) (rate(vllm:admission_rejections_total{@}[5m])) > 1 / 60
or
(
  sum by (namespace, pod, instance, reason) (label_replace(
    rate(http_requests_total{#,status=~"429|503",` + servedPaths + `}[5m]),
    "reason", "HTTP $1", "status", "(.+)"
  )) > 1 / 60
  unless on (namespace, pod, instance) vllm:admission_rejections_total{@}
)`,
		For: "5m", Severity: Warning,
		Summary:     "{{ or $labels.pod $labels.instance }}: it turns requests away",
		Description: "{{ or $labels.pod $labels.instance }} has refused {{ $value | humanize }} requests a second for five minutes ({{ $labels.reason }}).",
		Meaning: text("A queue limit is reached and load is shed, which keeps the latency of the rest. No latency histogram holds what was refused.",
			"Servers that do not count rejections show it only where their HTTP metrics keep whole status codes: as 2xx, 4xx and 5xx they do not tell 429 from 400."),
		Steps: []string{
			"Add replicas: the limit was set for this.",
			"Does the load balancer spread by requests in flight? One replica that refuses while others idle says no.",
		},
		Level: "more than one refusal a minute, for five minutes; ours",
	}
}

func unhealthy() Alert {
	return Alert{
		Name: "vLLMEngineUnhealthy",
		Expr: `vllm:engine_healthy{#} == 0
and on (namespace, pod, instance)
vllm:num_requests_running{@}`, // for the model's name, which the first does not have
		For: "1m", Severity: Critical,
		Summary:     "{{ or $labels.pod $labels.instance }}: an engine is unhealthy",
		Description: "Engine {{ $labels.engine }} of {{ or $labels.pod $labels.instance }} says that it is not healthy: {{ $value }}.",
		Meaning:     "vLLM's fault tolerance has found an engine core dead or unhealthy. The metric exists only with --enable-fault-tolerance, and not yet in 0.32.",
		Steps:       []string{"Read the pod's log and look for an XID on its GPUs.", "If it does not recover by itself, delete the pod."},
		Needs:       []string{"vllm:engine_healthy"},
		Level:       "a state",
	}
}

func sleeping() Alert {
	return Alert{
		Name: "vLLMEngineSleeping",
		Expr: `vllm:engine_sleep_state{@,sleep_state="awake"} == 0`,
		For:  "15m", Severity: Info,
		Summary:     "{{ or $labels.pod $labels.instance }}: it sleeps",
		Description: "{{ or $labels.pod $labels.instance }} ({{ $labels.model_name }}) has been asleep for 15 minutes (awake is {{ $value }}): it holds a GPU and serves nothing.",
		Meaning:     "Somebody called /sleep. Its weights are off the GPU; requests to it fail or wait until /wake_up.",
		Steps:       []string{"If it was not meant: POST /wake_up.", "If it was: scale it to zero instead when it sleeps for long."},
		Level:       "a state",
	}
}
