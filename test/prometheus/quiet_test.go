package prometheus

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"assay/internal/manifest"
)

// quietAt are the minutes at which nothing may fire.
var quietAt = []string{"15m", "50m", "68m", "100m", "119m"}

// No alert fires on a service that is well: idle, busy, rolled out, scaled to zero.
func TestAHealthyServiceIsSilent(t *testing.T) {
	promtool := tool(t, "promtool")
	for what, series := range map[string][]string{
		"idle, in two namespaces": slices.Concat(aPod("a", "m-0", "0x120", 1), aPod("b", "m-0", "0x120", 2), aGPU("GPU-1", "m-0", "210", "0.01", "1"), aGPU("GPU-2", "", "210", "0", "1")),
		"busy, two engines a pod": slices.Concat(aPod("a", "m-0", "20x120", 2), aGPU("GPU-1", "m-0", "1950", "0.95", "4 0 4 0 4 0 4 0 4 0")),
		"rolled out":              slices.Concat(anOldPod("a", "m-old"), aPod("a", "m-new", "_x70 20x50", 1), []string{up("a", "m-old", "1x60 stale"), up("a", "m-new", "_x58 0x12 1x50")}, aGPU("GPU-1", "m-old", "1950", "0.95", "0")),
		"scaled to zero": slices.Concat(anOldPod("a", "m-old"), []string{up("a", "m-old", "1x60 stale"), `up{job="dcgm-exporter",instance="10.0.0.9:9400"} 1x60 stale`,
			of("DCGM_FI_DEV_GPU_TEMP", gpuLabels, "60x60 stale"), of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", gpuLabels, "0x60 stale")}),
	} {
		t.Run(what, func(t *testing.T) {
			b, err := manifest.Rules(manifest.Options{Knee: 48, OperatingPoint: 42, ScaleToZero: what == "scaled to zero"})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "rules.yml"), b)
			write(t, filepath.Join(dir, "test.yml"), silent(t, series))
			cmd := exec.Command(promtool, "test", "rules", "test.yml")
			cmd.Dir = dir
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("promtool test rules: %v\n%s", err, out)
			}
		})
	}
}

// silent is a test file that expects none of the alerts.
func silent(t *testing.T, series []string) []byte {
	t.Helper()
	var expect []map[string]any
	for _, a := range manifest.Alerts {
		for _, at := range quietAt {
			expect = append(expect, map[string]any{"eval_time": at, "alertname": a.Name, "exp_alerts": []any{}})
		}
	}
	return marshal(t, map[string]any{
		"rule_files": []string{"rules.yml"}, "evaluation_interval": "1m",
		"tests": []map[string]any{{"interval": "1m", "input_series": inputs(t, series), "alert_rule_test": expect}},
	})
}

func podLabels(namespace, pod string) string {
	return fmt.Sprintf(`job="vllm",namespace=%q,pod=%q,instance="10.0.0.%d:8000",container="vllm",endpoint="http",service="m"`, namespace, pod, 1+len(namespace+pod))
}

func up(namespace, pod, values string) string { return of("up", podLabels(namespace, pod), values) }

// aPod is a server with so many engines, each with these requests in its batch:
// its cache is well used, nobody waits for long, and all is fast. What it counts
// begins when its batch does.
func aPod(namespace, pod, running string, engines int) []string {
	labels := podLabels(namespace, pod)
	counts := "0+600x120"
	switch running {
	case "0x120":
		counts = "7000x120"
	case "_x70 20x50":
		counts = "_x70 0+600x50"
	}
	var s []string
	for i := range engines {
		l := fmt.Sprintf(`%s,model_name="m",engine="%d"`, labels, i)
		s = append(s,
			of("vllm:num_requests_running", l, running), of("vllm:num_requests_waiting", l, "1 0 0 2 0 0 1 0 0 0 0x110"),
			of("vllm:num_requests_waiting_by_reason", l+`,reason="capacity"`, "1 0 0 2 0 0 1 0 0 0 0x110"),
			of("vllm:kv_cache_usage_perc", l, "0.97 0.9 0.99 0.96 0.97x116"), of("vllm:num_preemptions_total", l, "3x60 4x60"),
			of("vllm:generation_tokens_total", l, counts), of("vllm:prompt_tokens_total", l, counts),
			of("vllm:request_success_total", l+`,finished_reason="length"`, counts), of("vllm:request_success_total", l+`,finished_reason="error"`, "0x120"),
			of("vllm:engine_sleep_state", l+`,sleep_state="awake"`, "1x120"))
		s = append(s, observed("vllm:time_to_first_token_seconds", "0.5", l, counts, counts, "")...)
		s = append(s, observed("vllm:inter_token_latency_seconds", "0.05", l, counts, counts, counts)[:3]...)
	}
	http := labels + `,handler="/v1/chat/completions",method="POST",status=`
	s = append(s, of("http_requests_total", http+`"2xx"`, counts), of("http_requests_total", http+`"4xx"`, "0+1x120"), of("http_requests_total", http+`"5xx"`, "2x60 3x60"))
	if pod == "m-0" {
		s = append(s, up(namespace, pod, "1x120"))
	}
	return s
}

// anOldPod is a server of an older version, which ends after an hour.
func anOldPod(namespace, pod string) []string {
	const counts = "0+600x60 stale"
	l := podLabels(namespace, pod) + `,model_name="m"`
	return slices.Concat([]string{
		of("vllm:num_requests_running", l, "20x60 stale"), of("vllm:num_requests_waiting", l, "0x60 stale"), of("vllm:gpu_cache_usage_perc", l, "0.97x60 stale"),
		of("vllm:num_preemptions_total", l, "3x60 stale"), of("vllm:generation_tokens_total", l, counts), of("vllm:prompt_tokens_total", l, counts),
		of("vllm:request_success_total", l+`,finished_reason="length"`, counts),
	}, observed("vllm:time_to_first_token_seconds", "0.5", l, counts, counts, ""), observed("vllm:time_per_output_token_seconds", "0.05", l, counts, counts, counts)[:3])
}

// aGPU is one of a node of a cluster, with the pod that uses it.
func aGPU(uuid, pod, clock, busy, reasons string) []string {
	l := fmt.Sprintf(`job="dcgm-exporter",gpu="0",UUID=%q,modelName="NVIDIA H100 80GB HBM3",hostname="n1",instance="10.0.0.9:9400",namespace="gpu-operator",pod="dcgm-x",exported_pod=%q`, uuid, pod)
	s := []string{
		of("DCGM_FI_DEV_SM_CLOCK", l, clock+"x120"), of("DCGM_FI_PROF_GR_ENGINE_ACTIVE", l, busy+"x120"), of("DCGM_FI_DEV_GPU_TEMP", l, "84x120"),
		of("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", l, reasons+" 0x115"), of("DCGM_FI_DEV_XID_ERRORS", l, "31x120"), of("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", l, blank),
		of("DCGM_FI_DEV_ROW_REMAP_FAILURE", l, "0x120"), of("DCGM_FI_DEV_ROW_REMAP_PENDING", l, "0x120"), of("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", l, "2x120"),
		of("DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", l, "0x60 1x60"), of("DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", l, "0x120"),
	}
	if uuid == "GPU-1" {
		s = append(s, `up{job="dcgm-exporter",instance="10.0.0.9:9400"} 1x120`)
	}
	return s
}
