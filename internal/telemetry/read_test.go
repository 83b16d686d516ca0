package telemetry

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestBlankValuesAreAbsent(t *testing.T) {
	for _, v := range []string{
		"9223372036854775792", "9223372036854775793", "9223372036854775794", "9223372036854775807", "9.223372036854776e+18", "1.7e+308",
		"2147483632", "2147483635", "140737488355328", "140737488355331",
	} {
		s := parse(t, "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} "+v+"\nDCGM_FI_DEV_GPU_TEMP{gpu=\"1\"} 60\n", 0)
		if got, ok := s.Value(GPUTemperature); !ok || got != 60 {
			t.Errorf("beside %s: %v, %t; want 60", v, got, ok)
		}
	}
	// An H100 passes the largest integer within three hours.
	s := parse(t, "vllm:estimated_flops_per_gpu_total 1e19\n", 0)
	if got, ok := s.Value(FLOPs); !ok || got != 1e19 {
		t.Errorf("a counter of operations: %v, %t; want 1e19", got, ok)
	}
}

// Nothing is less than nothing, temperatures apart.
func TestNegativeAmountsAreAbsent(t *testing.T) {
	s := parse(t, "vllm:num_requests_running -3\nvllm:kv_cache_usage_perc -1\nDCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} -4\n", 0)
	for _, q := range []Quantity{Running, KVUsage} {
		if v, ok := s.Value(q); ok {
			t.Errorf("%s: %v, want none", q, v)
		}
	}
	if v, ok := s.Value(GPUTemperature); !ok || v != -4 {
		t.Errorf("temperature %v, %t; want -4", v, ok)
	}
}

func TestRenamedLabels(t *testing.T) {
	s := parse(t, `DCGM_FI_DEV_GPU_TEMP{gpu="0",pod="dcgm-exporter-x",namespace="monitoring",container="exporter",exported_pod="vllm-0",exported_namespace="serving",exported_container="vllm"} 60
DCGM_FI_DEV_GPU_TEMP{gpu="1",pod="vllm-1",namespace="serving"} 70
`, 0)
	for pod, want := range map[string]float64{"vllm-0": 60, "vllm-1": 70} {
		if got, ok := s.Where("pod", pod).Where("namespace", "serving").Value(GPUTemperature); !ok || got != want {
			t.Errorf("of %s: %v, %t; want %v", pod, got, ok, want)
		}
	}
	if got, ok := s.Where("pod", "dcgm-exporter-x").Value(GPUTemperature); ok {
		t.Errorf("of the exporter's own pod: %v, want none", got)
	}
	if got, ok := s.Where("container", "vllm").Value(GPUTemperature); !ok || got != 60 {
		t.Errorf("of the container: %v, %t; want 60", got, ok)
	}
}

// A counter is the same with _total and without it, and counts once where a
// server gives both.
func TestTotalOrNot(t *testing.T) {
	for name, text := range map[string]string{
		"with":    "vllm:num_preemptions_total{engine=\"0\"} 3\n",
		"without": "vllm:num_preemptions{engine=\"0\"} 3\n",
		"both":    "vllm:num_preemptions_total{engine=\"0\"} 3\nvllm:num_preemptions{engine=\"0\"} 3\n",
	} {
		if got, ok := parse(t, text, 0).Value(Preemptions); !ok || got != 3 {
			t.Errorf("%s: %v, %t; want 3", name, got, ok)
		}
	}
	from, to := parse(t, "vllm:num_preemptions 3\n", 0), parse(t, "vllm:num_preemptions_total 5\n", 1)
	if got, ok := Delta(from, to).Counter(Preemptions); !ok || got != 2 {
		t.Errorf("from the one to the other: %v, %t; want 2", got, ok)
	}
	if got, ok := parse(t, "tgi_request_success_total 7\n", 0).Value(Finished); !ok || got != 7 {
		t.Errorf("TGI's success with _total: %v, %t; want 7", got, ok)
	}
}

func ttft(engine string, below, at, all int, bounds ...string) string {
	text := ""
	if engine == "0" {
		text = "# TYPE vllm:time_to_first_token_seconds histogram\n"
	}
	for i, n := range []int{below, at, all} {
		text += fmt.Sprintf("vllm:time_to_first_token_seconds_bucket{engine=%q,le=%q} %d\n", engine, bounds[i], n)
	}
	return text + fmt.Sprintf("vllm:time_to_first_token_seconds_bucket{engine=%q,le=\"+Inf\"} %d\nvllm:time_to_first_token_seconds_sum{engine=%q} %d\nvllm:time_to_first_token_seconds_count{engine=%q} %d\n",
		engine, all, engine, all, engine, all)
}

func TestShare(t *testing.T) {
	from := parse(t, ttft("0", 10, 20, 30, "0.25", "0.5", "1.0"), 0)
	to := parse(t, ttft("0", 14, 26, 40, "0.25", "0.5", "1.0"), 1)
	d := Delta(from, to)
	for le, want := range map[float64]float64{0.25: 0.4, 0.5: 0.6, 1: 1, math.Inf(1): 1} {
		if got, ok := d.Share(TTFT, le); !ok || math.Abs(got-want) > 1e-12 {
			t.Errorf("at or below %g: %v, %t; want %v", le, got, ok, want)
		}
	}
	if got, ok := d.Share(TTFT, 0.3); ok {
		t.Errorf("0.3 is no boundary, got %v", got)
	}
	if got, ok := d.Share(E2E, 0.5); ok {
		t.Errorf("no buckets are kept of it, got %v", got)
	}
	if got, ok := Delta(from, from).Share(TTFT, 0.5); ok {
		t.Errorf("nothing was observed, got %v", got)
	}
	if got := d.Boundaries(TTFT); fmt.Sprint(got) != "[0.25 0.5 1]" {
		t.Errorf("Boundaries = %v", got)
	}
}

// Two engines whose buckets differ have a share at those that both have.
func TestShareOverEngines(t *testing.T) {
	both := func(n int) Snapshot {
		return parse(t, ttft("0", 0, n, 4*n, "0.25", "0.5", "1.0")+ttft("1", 0, 2*n, 4*n, "0.1", "0.5", "2"), float64(n))
	}
	d := Delta(both(1), both(2))
	if got, ok := d.Share(TTFT, 0.5); !ok || got != 3.0/8 {
		t.Errorf("at 0.5: %v, %t; want 3 of 8", got, ok)
	}
	if got, ok := d.Share(TTFT, 1); ok {
		t.Errorf("1 is a boundary of one of them only, got %v", got)
	}
	if got := d.Boundaries(TTFT); fmt.Sprint(got) != "[0.5]" {
		t.Errorf("Boundaries = %v", got)
	}
}

// 1, 1.0 and 1e0 are one boundary: clients and servers write it differently.
func TestBoundariesInAnySpelling(t *testing.T) {
	from := parse(t, ttft("0", 1, 2, 4, "0.5", "1.0", "2.5"), 0)
	to := parse(t, ttft("0", 2, 5, 8, "5e-1", "1", "2.50"), 1)
	if got, ok := Delta(from, to).Share(TTFT, 1); !ok || got != 0.75 {
		t.Errorf("%v, %t; want 3 of 4", got, ok)
	}
	values := map[string]float64{}
	for key, v := range to.Values() {
		values[strings.Replace(key, `le="1"`, `le="1.0"`, 1)] = v
	}
	again, err := FromValues(to.At, values)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := Delta(from, again).Share(TTFT, 1); !ok || got != 0.75 {
		t.Errorf("of a record: %v, %t; want 3 of 4", got, ok)
	}
}

// Several models behind one server: counts add up, shares are means, and a mean is
// of all requests.
func TestSeveralModels(t *testing.T) {
	at := func(n int) Snapshot {
		return parse(t, fmt.Sprintf(`vllm:num_requests_running{engine="0",model_name="a"} 3
vllm:num_requests_running{engine="0",model_name="b"} 5
vllm:kv_cache_usage_perc{engine="0",model_name="a"} 0.2
vllm:kv_cache_usage_perc{engine="0",model_name="b"} 0.8
vllm:time_to_first_token_seconds_sum{engine="0",model_name="a"} %d
vllm:time_to_first_token_seconds_count{engine="0",model_name="a"} %d
vllm:time_to_first_token_seconds_sum{engine="0",model_name="b"} %d
vllm:time_to_first_token_seconds_count{engine="0",model_name="b"} %d
`, n, n, 6*n, 2*n), float64(n))
	}
	a := Fold([]Snapshot{at(1), at(2)})
	for _, c := range []struct {
		what string
		got  *float64
		want float64
	}{{"running", a.RunningMean, 8}, {"KV usage", a.KVUsageMean, 0.5}, {"fullest", a.KVUsageMax, 0.8}, {"TTFT", a.TTFTMean, 1000 * 7.0 / 3}} {
		if c.got == nil || math.Abs(*c.got-c.want) > 1e-9 {
			t.Errorf("%s = %v, want %v", c.what, c.got, c.want)
		}
	}
	if a.Engines != 1 {
		t.Errorf("%d engines, want 1", a.Engines)
	}
}

// A snapshot may hold exporters' series too: their resets are not the engine's.
func TestExportersResetsAreNotTheEngines(t *testing.T) {
	at := func(tokens, seconds int) Snapshot {
		return parse(t, fmt.Sprintf("vllm:generation_tokens_total %d\nnode_cpu_seconds_total{cpu=\"0\",mode=\"user\"} %d\n", tokens, seconds), float64(tokens))
	}
	a := Fold([]Snapshot{at(1, 9), at(3, 2)})
	if a.Changed != "" || a.OutputTokens == nil || *a.OutputTokens != 2 {
		t.Errorf("Changed = %q, %v tokens; want nothing and 2", a.Changed, a.OutputTokens)
	}
}

// Triton's backend has one metric for several quantities.
func TestQuantitiesTellApartByALabel(t *testing.T) {
	s := parse(t, `nv_trt_llm_request_metrics{model="m",request_type="scheduled",version="1"} 3
nv_trt_llm_request_metrics{model="m",request_type="waiting",version="1"} 2
nv_trt_llm_request_metrics{model="m",request_type="max",version="1"} 512
nv_trt_llm_kv_cache_block_metrics{model="m",kv_cache_block_type="fraction",version="1"} 0.4
nv_trt_llm_kv_cache_block_metrics{model="m",kv_cache_block_type="used",version="1"} 900
`, 0)
	for q, want := range map[Quantity]float64{Running: 3, Waiting: 2, MaxNumSeqs: 512, KVUsage: 0.4} {
		if got, ok := s.Value(q); !ok || got != want {
			t.Errorf("%s = %v, %t; want %v", q, got, ok, want)
		}
	}
	if s.Engine != "triton" {
		t.Errorf("Engine = %q", s.Engine)
	}
}

func TestWaitingByReason(t *testing.T) {
	at := func(capacity, deferred int, s float64) Snapshot {
		return parse(t, fmt.Sprintf("vllm:num_requests_waiting_by_reason{engine=\"0\",reason=\"capacity\"} %d\nvllm:num_requests_waiting_by_reason{engine=\"0\",reason=\"deferred\"} %d\n", capacity, deferred), s)
	}
	a := Fold([]Snapshot{at(3, 0, 0), at(1, 2, 1), at(1, 0, 2), at(0, 0, 3)})
	if a.WaitingCapacity == nil || *a.WaitingCapacity != 0.75 || a.WaitingDeferred == nil || *a.WaitingDeferred != 0.25 {
		t.Errorf("shares %v and %v, want 0.75 and 0.25", a.WaitingCapacity, a.WaitingDeferred)
	}
}

func TestEstimates(t *testing.T) {
	at := func(n float64, s float64) Snapshot {
		return parse(t, fmt.Sprintf(`vllm:estimated_flops_per_gpu_total{engine="0"} %[1]g
vllm:estimated_flops_per_gpu_total{engine="1"} %[2]g
vllm:estimated_read_bytes_per_gpu_total{engine="0"} %[1]g
vllm:estimated_read_bytes_per_gpu_total{engine="1"} %[1]g
vllm:estimated_write_bytes_per_gpu_total{engine="0"} %[1]g
vllm:estimated_write_bytes_per_gpu_total{engine="1"} %[1]g
`, n, 3*n), s)
	}
	a := Fold([]Snapshot{at(0, 0), at(1e19, 10)})
	if a.FLOPs == nil || math.Abs(*a.FLOPs-2e18) > 1 {
		t.Errorf("FLOP/s of one GPU = %v, want the mean of the engines' 1e18 and 3e18", a.FLOPs)
	}
	if a.MemoryBytes == nil || math.Abs(*a.MemoryBytes-2e18) > 1 {
		t.Errorf("bytes/s of one GPU = %v, want 2e18, read and written", a.MemoryBytes)
	}
	if a := Fold([]Snapshot{at(0, 0), at(0, 10)}); a.FLOPs != nil || a.MemoryBytes != nil {
		t.Errorf("counters that stand still are not asked for: %v, %v", a.FLOPs, a.MemoryBytes)
	}
}
