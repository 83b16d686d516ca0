package telemetry

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
)

// Paths are where an engine publishes its metrics, the likelier one first, to be
// asked for at the server's own address. None where it publishes nothing; an
// engine that is not known is asked at all of them.
func Paths(engine string) []string {
	switch engine {
	case "ollama":
		return nil
	case "tensorrt-llm":
		return []string{"/prometheus/metrics"} // its /metrics is JSON
	case "vllm", "sglang", "tgi", "llama.cpp", "lmdeploy":
		return []string{"/metrics"}
	}
	return []string{"/metrics", "/prometheus/metrics"}
}

// WhyNoneOf is WhyNone for what Scrape returned; nil stands for a scrape that held
// no engine's metrics.
func WhyNoneOf(engine string, err error) string {
	if status, ok := errors.AsType[StatusError](err); ok {
		return WhyNone(engine, int(status))
	}
	if err == nil || errors.Is(err, errJSON) {
		return WhyNone(engine, http.StatusOK)
	}
	return WhyNone(engine, 0)
}

// WhyNone says why an engine's metrics are not there, and what to do: status is
// that of the answer, 0 where there was none and 200 where it held no metrics.
func WhyNone(engine string, status int) string {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return fmt.Sprintf("its metrics need a key (HTTP %d): scrape the engine itself, behind the gateway, with --metrics", status)
	case engine == "ollama":
		return "Ollama publishes no metrics: the client's own figures are all there is"
	case engine == "sglang":
		return "SGLang publishes metrics only with --enable-metrics: start it with that"
	case engine == "llama.cpp" && status == http.StatusNotImplemented:
		return "llama-server publishes metrics only with --metrics (HTTP 501 says so): start it with that"
	case engine == "llama.cpp":
		return "llama-server publishes metrics only with --metrics: start it with that"
	case engine == "tensorrt-llm":
		return "TensorRT-LLM publishes metrics at /prometheus/metrics only with return_perf_metrics: true in its extra options: start it with that"
	case engine == "lmdeploy":
		return "LMDeploy publishes metrics with --enable-metrics: start it with that"
	case engine == "triton":
		return "Triton publishes metrics on a port of its own, 8002 unless set: --metrics http://HOST:8002/metrics"
	case engine == "vllm" && status == http.StatusOK:
		return "vLLM leaves its own metrics out with --disable-log-stats: start it without"
	case engine == "vllm" && status == http.StatusNotFound:
		return "vLLM publishes metrics at /metrics, and something before it hides them: name the engine's own address with --metrics"
	case status == 0:
		return "its metrics could not be reached: name their address with --metrics"
	case status == http.StatusOK:
		return "what is there is none of the engines' metrics that are known: name their address with --metrics"
	}
	return fmt.Sprintf("there are no metrics (HTTP %d): name their address with --metrics", status)
}

// errJSON is what a text of iteration statistics gives.
var errJSON = errors.New("JSON, not Prometheus text: TensorRT-LLM answers so at /metrics; its metrics for Prometheus are at /prometheus/metrics, with return_perf_metrics: true in its extra options")

// isJSON reports whether a text begins as JSON does: no line of Prometheus text
// begins so but one whose name is quoted, with a quote after the brace.
func isJSON(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	rest := bytes.TrimLeft(text[1:], " \t\r\n")
	switch text[0] {
	case '[':
		return true
	case '{':
		// {"name", …} 1 is Prometheus text, {"key": …} is not.
		end := bytes.IndexByte(rest[min(1, len(rest)):], '"')
		return len(rest) == 0 || rest[0] == '}' || rest[0] == '"' && end >= 0 && bytes.HasPrefix(bytes.TrimLeft(rest[end+2:], " \t\r\n"), []byte(":"))
	}
	return false
}
