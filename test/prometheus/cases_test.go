package prometheus

import (
	"slices"
	"strings"
)

// A case is a situation and whether an alert fires in it.
type ruleCase struct {
	alert  string
	what   string   // the situation in words
	series []string // in promtool's notation, one value a minute
	at     string   // when to look
	// fires are the labels of what fires, without the severity; empty: nothing fires.
	fires string
	value float64
}

// Labels as a scrape leaves them. A dcgm-exporter scraped without honorLabels has
// the pod's name renamed, and the newer of the two spellings of the host; with
// honorLabels it has neither.
const (
	serverLabels = `namespace="llm",pod="v-0",instance="10.0.0.1:8000",model_name="m"`
	engineLabels = serverLabels + `,engine="0"`
	healthLabels = `namespace="llm",pod="v-0",instance="10.0.0.1:8000",engine="0"` // vLLM's health of an engine names no model
	gpuLabels    = `gpu="0",UUID="GPU-1",modelName="NVIDIA H100 80GB HBM3",hostname="n1",instance="10.0.0.9:9400",namespace="gpu-operator",pod="dcgm-x",exported_namespace="llm",exported_pod="v-0",exported_container="vllm"`
	honorLabels  = `gpu="0",UUID="GPU-1",modelName="NVIDIA H100 80GB HBM3",Hostname="n1",instance="10.0.0.9:9400",namespace="llm",pod="v-0",container="vllm"`
	honorBoard   = `gpu="0",UUID="GPU-1",modelName="NVIDIA H100 80GB HBM3",Hostname="n1"`
	noPodLabels  = `gpu="0",UUID="GPU-1",modelName="NVIDIA H100 80GB HBM3",hostname="n1",instance="10.0.0.9:9400",namespace="gpu-operator",pod="dcgm-x"`
	boardLabels  = `gpu="0",UUID="GPU-1",modelName="NVIDIA H100 80GB HBM3",hostname="n1"`
	blank        = "9223372036854775794x300"
)

// of writes a series: its name with labels, and its values.
func of(metric, labels, values string) string { return metric + "{" + labels + "} " + values }

// ruleCases are by the group that they test.
var ruleCases = map[string][]ruleCase{
	"slo": slices.Concat(
		latencyCases("TTFT", "vllm:time_to_first_token_seconds", "0.5", "0.25"),
		latencyCases("ITL", "vllm:inter_token_latency_seconds", "0.05", "0.025"),
		latencyCases("ITL", "vllm:time_per_output_token_seconds", "0.05", "0.025")[:1], // the old name
		[]ruleCase{
			{"ITLBudgetBurnFast", "old servers are slow, and new ones not: a roll-out", slices.Concat(
				observed("vllm:time_per_output_token_seconds", "0.05", serverLabels, "0+60x80", "0x80", "0+60x80"),
				observed("vllm:inter_token_latency_seconds", "0.05", engineLabels, "0+60x80", "0+60x80", "0+60x80")), "70m", `namespace="llm",model_name="m"`, 0.5},
			{"ITLBudgetBurnFast", "a slow answer of many tokens, at night", observed("vllm:inter_token_latency_seconds", "0.05", engineLabels, "0+60x80", "0x80", "0+0.1x80"), "70m", "", 0},
		}),
	"serving":    servingCases,
	"gpu":        gpuCases,
	"gpu-faults": faultCases,
	"network":    networkCases,
	"neuron":     neuronCases,
	"scrape":     scrapeCases,
}

// observed is a histogram with the bucket le, and the number of requests behind it.
func observed(metric, le, labels, count, within, requests string) []string {
	s := []string{
		of(metric+"_count", labels, count), of(metric+"_bucket", labels+`,le="`+le+`"`, within),
		of(metric+"_bucket", labels+`,le="+Inf"`, count),
	}
	if ttft := "vllm:time_to_first_token_seconds"; metric != ttft {
		s = append(s, of(ttft+"_count", labels, requests))
	}
	return s
}

// latencyCases are those of one histogram: le its boundary at the limit, other one
// that is not. Sixty observations a minute.
func latencyCases(name, metric, le, other string) []ruleCase {
	histogram := func(count, within string) []string { return observed(metric, le, engineLabels, count, within, count) }
	const service = `namespace="llm",model_name="m"`
	return []ruleCase{
		{name + "BudgetBurnFast", "a fifth is slow", histogram("0+60x80", "0+48x80"), "70m", service, 0.2},
		{name + "BudgetBurnFast", "it was, and is not any more", histogram("0+60x80", "0+48x60 2940+60x20"), "75m", "", 0},
		{name + "BudgetBurnFast", "all is slow, but hardly anybody asks", histogram("0+1x80", "0x80"), "70m", "", 0},
		{name + "BudgetBurnFast", "nobody asks", histogram("600x80", "0x80"), "70m", "", 0},
		{name + "BudgetBurn", "a tenth is slow", histogram("0+60x130", "0+54x130"), "120m", service, 0.1},
		{name + "BudgetBurn", "it was, and is not for 40 minutes", histogram("0+60x130", "0+54x90 4920+60x40"), "130m", "", 0},
		{name + "BudgetBurnSlow", "4 % are slow", histogram("0+60x190", "0+57.6x190"), "180m", service, 0.04},
		{name + "BudgetBurnSlow", "2 % are slow", histogram("0+60x190", "0+58.8x190"), "180m", "", 0},
		{name + "BudgetBurnSteady", "2 % are slow", histogram("0+60x190", "0+58.8x190"), "180m", service, 0.02},
		{name + "BudgetBurnSteady", "half a percent is slow", histogram("0+60x190", "0+59.7x190"), "180m", "", 0},
		{name + "BucketMissing", "no such boundary", []string{
			of(metric+"_count", engineLabels, "0+90x60"), of(metric+"_bucket", engineLabels+`,le="`+other+`"`, "0+48x60"),
		}, "45m", service, 1.5},
		{name + "BucketMissing", "there is one", histogram("0+60x60", "0+48x60"), "45m", "", 0},
	}
}

var servingCases = []ruleCase{
	{"vLLMStalled", "requests run and no token comes", []string{of("vllm:num_requests_running", engineLabels, "3x20"), of("vllm:generation_tokens_total", engineLabels, "1000x20")}, "12m", engineLabels, 3},
	{"vLLMStalled", "for seven minutes", []string{of("vllm:num_requests_running", engineLabels, "3x20"), of("vllm:generation_tokens_total", engineLabels, "1000x20")}, "7m", engineLabels, 3},
	{"vLLMStalled", "a new server warms up", []string{of("vllm:num_requests_running", engineLabels, "3x20"), of("vllm:generation_tokens_total", engineLabels, "0x20")}, "4m", "", 0},
	{"vLLMStalled", "one engine of two", []string{of("vllm:num_requests_running", engineLabels, "3x20"), of("vllm:generation_tokens_total", engineLabels, "1000x20"), of("vllm:num_requests_running", serverLabels+`,engine="1"`, "3x20"), of("vllm:generation_tokens_total", serverLabels+`,engine="1"`, "1000+60x20")}, "12m", engineLabels, 3},
	{"vLLMStalled", "a model that embeds", []string{of("vllm:num_requests_running", engineLabels, "3x20"), of("vllm:generation_tokens_total", engineLabels, "0x20"), of("vllm:prompt_tokens_total", engineLabels, "0+600x20")}, "12m", "", 0},
	{"vLLMStalled", "tokens come", []string{of("vllm:num_requests_running", engineLabels, "3x20"), of("vllm:generation_tokens_total", engineLabels, "1000+60x20")}, "12m", "", 0},
	{"vLLMStalled", "nothing runs", []string{of("vllm:num_requests_running", engineLabels, "0x20"), of("vllm:generation_tokens_total", engineLabels, "1000x20")}, "12m", "", 0},

	{"vLLMKVCacheFull", "full, and requests are preempted", []string{of("vllm:kv_cache_usage_perc", engineLabels, "0.98x20"), of("vllm:num_preemptions_total", engineLabels, "0+6x20"), of("vllm:request_success_total", engineLabels+`,finished_reason="length"`, "0+60x20")}, "15m", engineLabels, 0.98},
	{"vLLMKVCacheFull", "one request in two hundred is preempted", []string{of("vllm:kv_cache_usage_perc", engineLabels, "0.98x20"), of("vllm:num_preemptions_total", engineLabels, "0+0.3x20"), of("vllm:request_success_total", engineLabels+`,finished_reason="length"`, "0+60x20")}, "15m", "", 0},
	{"vLLMKVCacheFull", "its mean is far below, and its peak is not", []string{of("vllm:kv_cache_usage_perc", engineLabels, "0.97 0.6 0.7 0.97 0.6 0.7 0.97 0.6 0.7 0.97 0.6 0.7 0.97 0.6 0.7 0.97 0.6 0.7"), of("vllm:num_preemptions_total", engineLabels, "0+6x20"), of("vllm:request_success_total", engineLabels+`,finished_reason="length"`, "0+60x20")}, "15m", engineLabels, 0.97},
	{"vLLMKVCacheFull", "full, and requests wait for room", []string{of("vllm:kv_cache_usage_perc", engineLabels, "0.98x20"), of("vllm:num_requests_waiting_by_reason", engineLabels+`,reason="capacity"`, "4x20")}, "15m", engineLabels, 0.98},
	{"vLLMKVCacheFull", "the same of an old server", []string{of("vllm:gpu_cache_usage_perc", serverLabels, "0.98x20"), of("vllm:num_requests_waiting", serverLabels, "4x20")}, "15m", serverLabels, 0.98},
	{"vLLMKVCacheFull", "full is a cache well used", []string{of("vllm:kv_cache_usage_perc", engineLabels, "1x20"), of("vllm:num_preemptions_total", engineLabels, "7x20"), of("vllm:num_requests_waiting", engineLabels, "0x20")}, "15m", "", 0},
	{"vLLMKVCacheFull", "what waits needs something else", []string{of("vllm:kv_cache_usage_perc", engineLabels, "0.98x20"), of("vllm:num_requests_waiting", engineLabels, "4x20"), of("vllm:num_requests_waiting_by_reason", engineLabels+`,reason="deferred"`, "4x20"), of("vllm:num_requests_waiting_by_reason", engineLabels+`,reason="capacity"`, "0x20")}, "15m", "", 0},
	{"vLLMKVCacheFull", "there is room", []string{of("vllm:kv_cache_usage_perc", engineLabels, "0.5x20"), of("vllm:num_preemptions_total", engineLabels, "0+6x20")}, "15m", "", 0},

	{"vLLMQueueGrowing", "longer than the batch, and growing", []string{of("vllm:num_requests_waiting", engineLabels, "0+2x40"), of("vllm:num_requests_running", engineLabels, "10x40")}, "35m", `namespace="llm",model_name="m"`, 61},
	{"vLLMQueueGrowing", "long, and hardly growing", []string{of("vllm:num_requests_waiting", engineLabels, "100+0.5x40"), of("vllm:num_requests_running", engineLabels, "10x40")}, "35m", "", 0},
	{"vLLMQueueGrowing", "long, and steady", []string{of("vllm:num_requests_waiting", engineLabels, "100x40"), of("vllm:num_requests_running", engineLabels, "10x40")}, "35m", "", 0},

	{"vLLMErrorRateHigh", "a tenth fails", requests("0+90x20", "0+10x20", true), "12m", `namespace="llm",pod="v-0",instance="10.0.0.1:8000",job="vllm"`, 0.1},
	{"vLLMErrorRateHigh", "of another program", requests("0+90x20", "0+10x20", false), "12m", "", 0},
	{"vLLMErrorRateHigh", "one in a hundred fails", requests("0+99x20", "0+1x20", true), "12m", "", 0},
	{"vLLMErrorRate", "2 % fail", requests("0+98x40", "0+2x40", true), "25m", `namespace="llm",pod="v-0",instance="10.0.0.1:8000",job="vllm"`, 0.02},
	{"vLLMErrorRate", "half a percent fails", requests("0+199x40", "0+1x40", true), "25m", "", 0},

	{"vLLMEngineErrors", "2 % end in an error", []string{of("vllm:request_success_total", engineLabels+`,finished_reason="stop"`, "0+98x40"), of("vllm:request_success_total", engineLabels+`,finished_reason="error"`, "0+2x40")}, "25m", serverLabels, 0.02},
	{"vLLMEngineErrors", "clients leave", []string{of("vllm:request_success_total", engineLabels+`,finished_reason="stop"`, "0+98x40"), of("vllm:request_success_total", engineLabels+`,finished_reason="abort"`, "0+50x40")}, "25m", "", 0},

	{"vLLMSheddingLoad", "requests are turned away", []string{of("vllm:admission_rejections_total", serverLabels+`,reason="max_num_queued_reqs"`, "0+6x20")}, "12m", `namespace="llm",pod="v-0",instance="10.0.0.1:8000",reason="max_num_queued_reqs"`, 0.1},
	{"vLLMSheddingLoad", "a server that does not count them answers 429", []string{of("http_requests_total", `namespace="llm",pod="v-0",instance="10.0.0.1:8000",handler="/v1/chat/completions",method="POST",status="429"`, "0+60x20")}, "12m", `namespace="llm",pod="v-0",instance="10.0.0.1:8000",reason="HTTP 429"`, 1},
	{"vLLMSheddingLoad", "one in five minutes", []string{of("vllm:admission_rejections_total", serverLabels+`,reason="max_num_queued_reqs"`, "0+0.2x20")}, "12m", "", 0},
	{"vLLMSheddingLoad", "they were, long ago", []string{of("vllm:admission_rejections_total", serverLabels+`,reason="max_num_queued_reqs"`, "50x20")}, "12m", "", 0},

	{"vLLMOverloaded", "past the knee of 48", []string{of("vllm:num_requests_running", engineLabels, "40x40"), of("vllm:num_requests_waiting", engineLabels, "20x40")}, "25m", serverLabels, 60},
	{"vLLMOverloaded", "below it, and two Services lead a scrape to it", slices.Concat(held(engineLabels+`,service="a"`), held(engineLabels+`,service="b"`)), "25m", "", 0},
	{"vLLMOverloaded", "two engines of one server", slices.Concat(held(engineLabels), held(serverLabels+`,engine="1"`)), "25m", serverLabels, 70},
	{"vLLMOverloaded", "below it", []string{of("vllm:num_requests_running", engineLabels, "40x40"), of("vllm:num_requests_waiting", engineLabels, "5x40")}, "25m", "", 0},

	{"vLLMAboveOperatingPoint", "past the operating point of 30", []string{of("vllm:num_requests_running", engineLabels, "35x70"), of("vllm:num_requests_waiting", engineLabels, "0x70")}, "65m", serverLabels, 35},
	{"vLLMAboveOperatingPoint", "below it", []string{of("vllm:num_requests_running", engineLabels, "25x70"), of("vllm:num_requests_waiting", engineLabels, "0x70")}, "65m", "", 0},

	{"vLLMEngineUnhealthy", "an engine is dead", []string{of("vllm:engine_healthy", healthLabels, "0x5"), of("vllm:num_requests_running", engineLabels, "0x5")}, "2m", healthLabels, 0},
	{"vLLMEngineUnhealthy", "it is well", []string{of("vllm:engine_healthy", healthLabels, "1x5"), of("vllm:num_requests_running", engineLabels, "0x5")}, "2m", "", 0},
	{"vLLMEngineSleeping", "it sleeps", []string{of("vllm:engine_sleep_state", engineLabels+`,sleep_state="awake"`, "0x20")}, "16m", engineLabels + `,sleep_state="awake"`, 0},
	{"vLLMEngineSleeping", "it is awake", []string{of("vllm:engine_sleep_state", engineLabels+`,sleep_state="awake"`, "1x20"), of("vllm:engine_sleep_state", engineLabels+`,sleep_state="discard_all"`, "0x20")}, "16m", "", 0},
}

// held is a server with 35 requests.
func held(labels string) []string {
	return []string{of("vllm:num_requests_running", labels, "30x40"), of("vllm:num_requests_waiting", labels, "5x40")}
}

// requests are the HTTP requests of a server, answered and failed, and of one that
// is a vLLM its gauge.
func requests(answered, failed string, vllm bool) []string {
	const labels = `namespace="llm",pod="v-0",instance="10.0.0.1:8000",job="vllm",handler="/v1/chat/completions",method="POST",status=`
	s := []string{
		of("http_requests_total", labels+`"2xx"`, answered), of("http_requests_total", labels+`"5xx"`, failed),
		of("http_requests_total", strings.Replace(labels, "/v1/chat/completions", "/v1/models", 1)+`"2xx"`, "0+6000x40"),
	}
	if vllm {
		s = append(s, of("vllm:num_requests_running", engineLabels, "1x40"))
	}
	return s
}

var gpuCases = []ruleCase{
	{"GPUThermalThrottling", "the software's bit", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "32x20")}, "14m", gpuLabels, 1},
	{"GPUThermalThrottling", "the hardware's bits, under the old name", []string{of("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", honorLabels, "72x20")}, "14m", honorLabels, 1},
	{"GPUThermalThrottling", "both, one minute in four", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "4 4 4 100 4 4 4 100 4 4 4 100 4 4 4 100 4 4 4 100")}, "16m", gpuLabels, 0.3},
	{"GPUThermalThrottling", "power cap, idle, a set clock, a slowdown that is not heat", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "4 1 2 8 136 4 1 2 8 136 4 1 2 8 136 4 1 2 8 136")}, "14m", "", 0},
	{"GPUThermalThrottling", "a GPU that does not say", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, blank)}, "14m", "", 0},

	{"GPUPowerBrake", "the brake's bit", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "136x20")}, "14m", gpuLabels, 1},
	{"GPUPowerBrake", "heat and power cap", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "108x20")}, "14m", "", 0},

	{"GPUHighTemperature", "hot, and nothing says whether it slows down", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "85x10")}, "6m", gpuLabels, 85},
	{"GPUHighTemperature", "hot, and it says that it does not", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "85x10"), of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "0x10")}, "6m", "", 0},
	{"GPUHighTemperature", "the same under the old name", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "85x10"), of("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", gpuLabels, "0x10")}, "6m", "", 0},
	{"GPUHighTemperature", "for four minutes", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "70 70 85 85 85 85 70 70 70 70")}, "8m", "", 0},
	{"GPUHighTemperature", "80 is not over 80", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "80x10")}, "6m", "", 0},
	{"GPUHighTemperature", "no sensor", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, blank)}, "6m", "", 0},
	{"GPUCriticalTemperature", "very hot", []string{of("DCGM_FI_DEV_GPU_TEMP", honorLabels, "95x10")}, "2m", honorLabels, 95},
	{"GPUCriticalTemperature", "hot", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "90x10")}, "6m", "", 0},

	{"GPUClockBelowBaseline", "busy, and slower than before", []string{of("DCGM_FI_DEV_SM_CLOCK", gpuLabels, "1980x180 1200x60"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gpuLabels, "0.9x240")}, "205m", boardLabels, 1200.0 / (370380.0 / 191)},
	{"GPUClockBelowBaseline", "the same of a GPU in MIG mode", []string{of("DCGM_FI_DEV_SM_CLOCK", gpuLabels, "1980x180 1200x60"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gpuLabels+`,GPU_I_ID="1",GPU_I_PROFILE="1g.10gb"`, "0.9x240")}, "205m", boardLabels, 1200.0 / (370380.0 / 191)},
	{"GPUClockBelowBaseline", "heavier work, at the power limit", []string{of("DCGM_FI_DEV_SM_CLOCK", gpuLabels, "1980x180 1200x60"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gpuLabels, "0.9x240"), of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "0x180 4x60")}, "205m", "", 0},
	{"GPUClockBelowBaseline", "idle", []string{of("DCGM_FI_DEV_SM_CLOCK", gpuLabels, "1980x180 300x60"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gpuLabels, "0.9x180 0.1x60")}, "205m", "", 0},
	{"GPUClockBelowBaseline", "always like that", []string{of("DCGM_FI_DEV_SM_CLOCK", gpuLabels, "1200x240"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gpuLabels, "0.9x240")}, "205m", "", 0},
	{"GPUClockBelowBaseline", "nothing to compare with", []string{of("DCGM_FI_DEV_SM_CLOCK", gpuLabels, "1980x30 1200x60"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gpuLabels, "0.9x90")}, "62m", "", 0},

	{"GPUPowerCapped", "at its limit", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "4x90")}, "65m", gpuLabels, 1},
	{"GPUPowerCapped", "half of the time", []string{of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "4x44 0x45")}, "65m", "", 0},
}

var faultCases = []ruleCase{
	{"GPUXIDCritical", "the last code is fatal", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "79x5"), of("DCGM_EXP_XID_ERRORS_COUNT", gpuLabels+`,window_size_in_ms="300000"`, "0x5")}, "1m", boardLabels + `,xid="79"`, 1},
	{"GPUXIDCritical", "it keeps the code after its pod ended", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x10 79x5 stale"), of("DCGM_FI_DEV_XID_ERRORS", noPodLabels, "_x16 79x100")}, "110m", boardLabels + `,xid="79"`, 1},
	{"GPUXIDCritical", "a program's end took its place", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x10 79x1 45x100")}, "30m", boardLabels + `,xid="79"`, 1},
	{"GPUXIDCritical", "the same, more than an hour ago", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x10 79x1 45x100")}, "90m", "", 0},
	{"GPUXIDCritical", "a fatal one came, and another after it", []string{of("DCGM_FI_DEV_XID_ERRORS", honorLabels, "45x5"), of("DCGM_EXP_XID_ERRORS_COUNT", honorLabels+`,window_size_in_ms="300000",xid="48"`, "2x5")}, "1m", honorBoard + `,xid="48"`, 2},
	{"GPUXIDCritical", "a program's fault", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "31x5"), of("DCGM_EXP_XID_ERRORS_COUNT", gpuLabels+`,window_size_in_ms="300000",xid="31"`, "1x5")}, "1m", "", 0},

	{"GPUXIDWarning", "a program's fault", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "31x5"), of("DCGM_EXP_XID_ERRORS_COUNT", gpuLabels+`,window_size_in_ms="300000",xid="31"`, "1x5")}, "1m", boardLabels + `,xid="31"`, 1},
	{"GPUXIDWarning", "the gauge alone, and the exporter started after it", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "31x100")}, "10m", "", 0},
	{"GPUXIDWarning", "the gauge alone, when Prometheus was away an hour ago", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "31x200 _x20 31x100")}, "275m", "", 0},
	{"GPUXIDWarning", "the gauge alone, within an hour", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x60 31x100")}, "70m", boardLabels + `,xid="31"`, 1},
	{"GPUXIDWarning", "the gauge alone, later: it keeps the last code", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x60 31x100")}, "150m", "", 0},
	{"GPUXIDWarning", "a code that nobody knows", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x60 999x100")}, "70m", boardLabels + `,xid="999"`, 1},
	{"GPUXIDWarning", "the window is over, and the gauge keeps the code", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x60 31x100"), of("DCGM_EXP_XID_ERRORS_COUNT", gpuLabels+`,window_size_in_ms="300000"`, "0x160")}, "70m", "", 0},
	{"GPUXIDWarning", "the end of a program", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x60 45x100")}, "70m", "", 0},
	{"GPUXIDWarning", "a fatal one is critical already", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x60 79x100")}, "70m", "", 0},
	{"GPUXIDWarning", "none", []string{of("DCGM_FI_DEV_XID_ERRORS", gpuLabels, "0x160")}, "70m", "", 0},

	{"GPUDoubleBitErrors", "one", []string{of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", gpuLabels, "0x30 1x30")}, "40m", boardLabels, 1},
	{"GPUDoubleBitErrors", "one, which ended its pod", []string{of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", gpuLabels, "0x30 stale"), of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", noPodLabels, "_x31 1x30")}, "40m", boardLabels, 1},
	{"GPUDoubleBitErrors", "a GPU that does not say any more", []string{of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", gpuLabels, "0x30 "+blank)}, "40m", "", 0},
	{"GPUDoubleBitErrors", "one, before the hour", []string{of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", gpuLabels, "0x10 1x90")}, "80m", "", 0},
	{"GPURowRemapFailure", "no row left", []string{of("DCGM_FI_DEV_ROW_REMAP_FAILURE", gpuLabels, "1x5")}, "1m", gpuLabels, 1},
	{"GPURowRemapFailure", "none needed", []string{of("DCGM_FI_DEV_ROW_REMAP_FAILURE", gpuLabels, "0x5")}, "1m", "", 0},
	{"GPURowRemapFailure", "a GPU without", []string{of("DCGM_FI_DEV_ROW_REMAP_FAILURE", gpuLabels, blank)}, "1m", "", 0},
	{"GPURowRemapPending", "a reset is due", []string{of("DCGM_FI_DEV_ROW_REMAP_PENDING", gpuLabels, "1x10")}, "6m", gpuLabels, 1},
	{"GPURowRemapPending", "none is", []string{of("DCGM_FI_DEV_ROW_REMAP_PENDING", gpuLabels, "0x10")}, "6m", "", 0},
	{"GPURowsRemapped", "one", []string{of("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", gpuLabels, "0x30 1x30")}, "40m", boardLabels, 1},
	{"GPURowsRemapped", "as many as ever", []string{of("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", gpuLabels, "3x60")}, "40m", "", 0},

	{"GPUNVLinkRecovery", "twice", []string{of("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", gpuLabels, "0x10 2x10")}, "15m", boardLabels, 2},
	{"GPUNVLinkRecovery", "not now", []string{of("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", gpuLabels, "2x20")}, "15m", "", 0},
	{"GPUNVLinkErrors", "an hour of replays", nvlink("0+1x100"), "80m", boardLabels, 15},
	{"GPUNVLinkErrors", "the same of a GPU that counts replays alone", nvlink("0+1x100")[:1], "80m", boardLabels, 15},
	{"GPUNVLinkErrors", "ten minutes of them", nvlink("0+1x10 10x90"), "80m", "", 0},

	{"NodeAcceleratorUnhealthy", "false", []string{of("kube_node_status_condition", `node="n1",condition="AcceleratedHardwareReady",status="false"`, "1x5")}, "2m", `node="n1",condition="AcceleratedHardwareReady",status="false"`, 1},
	{"NodeAcceleratorUnhealthy", "true", []string{of("kube_node_status_condition", `node="n1",condition="AcceleratedHardwareReady",status="false"`, "0x5"), of("kube_node_status_condition", `node="n1",condition="AcceleratedHardwareReady",status="true"`, "1x5")}, "2m", "", 0},
}

func nvlink(replays string) []string {
	return []string{
		of("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", gpuLabels, replays), of("DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", gpuLabels, "0x100"),
		of("DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", gpuLabels, "0x100"),
	}
}

const nicLabels = `device="rdmap0s6",port="1",instance="n1:9100"`

var networkCases = []ruleCase{
	{"EFADrops", "200 a second", []string{of("node_amazonefa_rx_drops", nicLabels, "0+12000x20")}, "12m", nicLabels, 200},
	{"EFADrops", "10 a second", []string{of("node_amazonefa_rx_drops", nicLabels, "0+600x20")}, "12m", "", 0},
	{"EFARetransmits", "2000 a second", []string{of("node_amazonefa_retrans_pkts", nicLabels, "0+120000x20")}, "12m", nicLabels, 2000},
	{"EFARetransmits", "500 a second", []string{of("node_amazonefa_retrans_pkts", nicLabels, "0+30000x20")}, "12m", "", 0},
	{"EFAWriteErrors", "200 a second", []string{of("node_amazonefa_rdma_write_wr_err", nicLabels, "0+12000x20"), of("node_amazonefa_rdma_read_wr_err", nicLabels, "0x20")}, "12m", nicLabels, 200},
	{"EFAWriteErrors", "an exporter that shows writes alone", []string{of("node_amazonefa_rdma_write_wr_err", nicLabels, "0+12000x20")}, "12m", nicLabels, 200},
	{"EFAWriteErrors", "none", []string{of("node_amazonefa_rdma_write_wr_err", nicLabels, "9x20"), of("node_amazonefa_rdma_read_wr_err", nicLabels, "9x20")}, "12m", "", 0},
	{"ENAAllowanceExceeded", "one of the allowances", ena("0+120x40"), "30m", eth0 + `,allowance="bw_out"`, 2},
	{"ENAAllowanceExceeded", "an exporter that shows one alone", ena("0+120x40")[1:2], "30m", eth0 + `,allowance="bw_out"`, 2},
	{"ENAAllowanceExceeded", "one packet a minute", ena("0+1x40"), "30m", "", 0},
	{"ENAAllowanceExceeded", "none", ena("7x40"), "30m", "", 0},
}

const eth0 = `device="eth0",instance="n1:9100"`

func ena(out string) []string {
	return []string{
		of("node_ethtool_bw_in_allowance_exceeded", eth0, "0x40"), of("node_ethtool_bw_out_allowance_exceeded", eth0, out),
		of("node_ethtool_pps_allowance_exceeded", eth0, "0x40"), of("node_ethtool_conntrack_allowance_exceeded", eth0, "0x40"),
	}
}

const neuronLabels = `instance_id="i-1",instance="n2:8000"`

var neuronCases = []ruleCase{
	{"NeuronUncorrectableErrors", "one", []string{of("hardware_ecc_events_total", neuronLabels+`,event_type="mem_ecc_uncorrected",neuron_device_index="3"`, "0x10 1x10")}, "15m", neuronLabels + `,event_type="mem_ecc_uncorrected",neuron_device_index="3"`, 1},
	{"NeuronUncorrectableErrors", "one that was corrected", []string{of("hardware_ecc_events_total", neuronLabels+`,event_type="mem_ecc_corrected",neuron_device_index="3"`, "0x10 1x10")}, "15m", "", 0},
	{"NeuronExecutionErrors", "the hardware's", []string{of("execution_errors_total", neuronLabels+`,error_type="hardware",runtime_tag="1"`, "0+2x40")}, "25m", neuronLabels + `,error_type="hardware"`, 20},
	{"NeuronExecutionErrors", "one", []string{of("execution_errors_total", neuronLabels+`,error_type="transient",runtime_tag="1"`, "0x10 1x30")}, "26m", "", 0},
	{"NeuronExecutionErrors", "NaN of a model", []string{of("execution_errors_total", neuronLabels+`,error_type="numerical",runtime_tag="1"`, "0+2x40")}, "25m", "", 0},
	{"NeuronHostBound", "busy host, idle cores", cores("0.3x40"), "35m", `instance="n2:8000"`, 0.9},
	{"NeuronHostBound", "both are busy", cores("0.95x40"), "35m", "", 0},
}

func cores(busy string) []string {
	return []string{
		of("neuron_runtime_vcpu_usage_ratio", neuronLabels+`,usage_type="user"`, "0.7x40"), of("neuron_runtime_vcpu_usage_ratio", neuronLabels+`,usage_type="system"`, "0.2x40"),
		of("neuroncore_utilization_ratio", neuronLabels+`,neuroncore="0"`, busy),
	}
}

const (
	targetLabels   = `job="vllm",namespace="llm",pod="v-0",instance="10.0.0.1:8000"`
	exporterLabels = `job="dcgm-exporter",namespace="gpu-operator",pod="dcgm-x",instance="10.0.0.9:9400"`
)

var scrapeCases = []ruleCase{
	{"vLLMDown", "it does not answer", []string{of("up", targetLabels, "1 1 0x10")}, "5m", targetLabels, 0},
	{"vLLMDown", "it loads its model", []string{of("up", targetLabels, "0x20 1x10")}, "15m", "", 0},
	{"vLLMDown", "it has loaded for more than half an hour", []string{of("up", targetLabels, "0x60")}, "40m", targetLabels, 0},
	{"vLLMDown", "it has been down for long", []string{of("up", targetLabels, "1x60 0x100")}, "150m", targetLabels, 0},
	{"vLLMDown", "it does", []string{of("up", targetLabels, "1x10"), of("up", `job="other",instance="x"`, "0x10")}, "5m", "", 0},
	{"vLLMAbsent", "it has vanished", []string{of("up", targetLabels, "1 1 1 stale")}, "20m", `job="vllm"`, 1},
	{"vLLMAbsent", "down is not gone", []string{of("up", targetLabels, "0x30")}, "20m", "", 0},
	{"vLLMMetricsMissing", "another program's port", []string{of("up", targetLabels, "1x20")}, "12m", targetLabels, 1},
	{"vLLMMetricsMissing", "the engine's", []string{of("up", targetLabels, "1x20"), of("vllm:num_requests_running", engineLabels+`,job="vllm"`, "0x20")}, "12m", "", 0},
	{"vLLMMetricsMissing", "another job's at the same address", []string{of("up", targetLabels, "1x20"), of("vllm:num_requests_running", engineLabels+`,job="other"`, "0x20")}, "12m", targetLabels, 1},
	{"DCGMDown", "a node is new", []string{of("up", exporterLabels, "0x20 1x10")}, "18m", "", 0},
	{"DCGMDown", "it does not answer", []string{of("up", exporterLabels, "1 0x10")}, "6m", exporterLabels, 0},
	{"DCGMDown", "it does", []string{of("up", exporterLabels, "1x10")}, "6m", "", 0},
	{"DCGMAbsent", "no engine runs", []string{of("up", targetLabels, "1x20")}, "18m", "", 0},
	{"DCGMAbsent", "an engine runs on Neuron", []string{of("vllm:num_requests_running", engineLabels, "0x20"), of("neuroncore_utilization_ratio", neuronLabels+`,neuroncore="0"`, "0x20")}, "18m", "", 0},
	{"DCGMAbsent", "nothing is scraped, and an engine runs", []string{of("vllm:num_requests_running", engineLabels, "0x20")}, "16m", `job="dcgm-exporter"`, 1},
	{"DCGMAbsent", "something is", []string{of("up", exporterLabels, "1x20")}, "16m", "", 0},
	{"DCGMCountersMissing", "the default list", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels+`,job="dcgm-exporter"`, "60x20"), of("DCGM_FI_DEV_GPU_TEMP", `gpu="1",UUID="GPU-2",instance="10.0.0.8:9400",job="dcgm-exporter"`, "60x20")}, "16m", `job="dcgm-exporter"`, 2},
	{"DCGMCountersMissing", "the list of Assay", []string{of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "60x20"), of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "0x20")}, "16m", "", 0},
}
