package telemetry

// Source is where a publisher's names were read, and when.
type Source struct {
	Title string
	URL   string
	AsOf  string // YYYY-MM
}

// SourceOf is where the names of a publisher (Name.Engine) come from.
func SourceOf(engine string) (Source, bool) {
	s, ok := sources[engine]
	return s, ok
}

const read = "2026-11"

var sources = map[string]Source{
	"vllm":         {"vLLM, v1/metrics/loggers.py, and live scrapes of 0.26 and 0.32", "https://docs.vllm.ai/en/latest/usage/metrics.html", read},
	"sglang":       {"SGLang, its metrics collector", "https://docs.sglang.ai/references/production_metrics.html", read},
	"tgi":          {"Text Generation Inference, metrics reference", "https://huggingface.co/docs/text-generation-inference/reference/metrics", read},
	"tensorrt-llm": {"Gateway API inference extension, the endpoint picker's table of engines", "https://github.com/kubernetes-sigs/gateway-api-inference-extension", read},
	"llama.cpp":    {"llama.cpp, server README, /metrics", "https://github.com/ggml-org/llama.cpp/tree/master/tools/server", read},
	"lmdeploy":     {"LMDeploy, its metrics loggers", "https://github.com/InternLM/lmdeploy", read},
	"triton":       {"Triton Inference Server, metrics", "https://docs.nvidia.com/deeplearning/triton-inference-server/user-guide/docs/user_guide/metrics.html", read},
	"dcgm":         {"NVIDIA dcgm-exporter 4.5, default-counters.csv and its collectors", "https://github.com/NVIDIA/dcgm-exporter", read},
	"neuron":       {"neuron-monitor-prometheus of the AWS Neuron SDK", "https://awsdocs-neuron.readthedocs-hosted.com/", read},
	"efa":          {"the EFA build of node_exporter in awslabs/awsome-distributed-training", "https://github.com/awslabs/awsome-distributed-training", read},
	"node":         {"Prometheus node_exporter; AWS on ENA metrics", "https://github.com/prometheus/node_exporter", read},
	"kubelet":      {"the kubelet's cAdvisor", "https://github.com/google/cadvisor/blob/master/docs/storage/prometheus.md", read},
	"kube-state":   {"kube-state-metrics", "https://github.com/kubernetes/kube-state-metrics/tree/main/docs", read},
	"prometheus":   {"Prometheus, series of a scrape", "https://prometheus.io/docs/concepts/jobs_instances/", read},
	"process":      {"Prometheus client libraries, process metrics", "https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics", read},
}
