package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

// gpuLine is what an exporter shows after collecting: one GPU.
func gpuLine(second int64, edge string, sm float64) record.MetricsSample {
	const labels = `{UUID="GPU-1",gpu="0",modelName="NVIDIA L4"}`
	return record.MetricsSample{AtUS: second * 1e6, Source: "http://node:9400/metrics", Of: record.OfGPU, Edge: edge, Values: map[string]float64{
		"DCGM_FI_PROF_SM_ACTIVE" + labels: sm, "DCGM_FI_PROF_GR_ENGINE_ACTIVE" + labels: 1, "DCGM_FI_DEV_GPU_TEMP" + labels: 60,
		"DCGM_FI_DEV_POWER_USAGE" + labels: 50 + 10*sm,
	}}
}

func TestGPUMeansAreOfCollectionsWithinTheLevel(t *testing.T) {
	// 0.1 is of before the level, 0.2 partly so.
	g := accountsOf(time.Now(), []record.MetricsSample{
		gpuLine(0, "start", 0.1), gpuLine(10, "", 0.2), gpuLine(40, "", 0.6), gpuLine(70, "", 0.8), gpuLine(75, "end", 0.8),
	}).gpu
	if g == nil || g.SMActive == nil || *g.SMActive < 0.699 || *g.SMActive > 0.701 || g.Coarse != "" {
		t.Fatalf("GPU account %+v; the mean SM activity is 0.7", g)
	}
	if g.CollectS == nil || *g.CollectS != 30 || g.Samples != 2 || g.Model != "NVIDIA L4" {
		t.Errorf("every %v s, %d samples, model %q; want 30, 2 and an L4", g.CollectS, g.Samples, g.Model)
	}
}

func TestGPUMetricsThatAreTooCoarseGiveNoMeans(t *testing.T) {
	for name, samples := range map[string][]record.MetricsSample{
		"none":           {gpuLine(0, "start", 0.1), gpuLine(5, "end", 0.1)},
		"one collection": {gpuLine(0, "start", 0.1), gpuLine(10, "", 0.9), gpuLine(20, "end", 0.9)},
	} {
		g := accountsOf(time.Now(), samples).gpu
		if g == nil || g.SMActive != nil || g.PowerW != nil || g.Coarse == "" {
			t.Errorf("%s: %+v; want an account without means that says why", name, g)
			continue
		}
		if g.TempMaxC == nil || *g.TempMaxC != 60 {
			t.Errorf("%s: temperature %v; what stands is told all the same", name, g.TempMaxC)
		}
		run := &record.Run{Levels: []record.Level{{ID: "a", GPU: g}}}
		if b := boundOf(run, nil); len(b.Missing) == 0 || b.Missing[len(b.Missing)-1] != g.Coarse {
			t.Errorf("%s: missing %q does not say that the GPU's metrics are too coarse", name, b.Missing)
		}
	}
}

func TestGPUsOfSeveralExportersMakeOneAccount(t *testing.T) {
	a := record.GPU{Source: "dcgm", Model: "NVIDIA L4", Count: 1, Samples: 9, SMActive: ptr(0.2), SMClockMHz: ptr(2000.0), SMClockMaxMHz: ptr(2040.0), ThermalShare: ptr(0.0), DoubleBitErrors: ptr(1.0), Worst: "0"}
	b := record.GPU{Source: "dcgm", Model: "NVIDIA L4", Count: 3, Samples: 7, SMActive: ptr(0.6), SMClockMHz: ptr(900.0), SMClockMaxMHz: ptr(2040.0), ThermalShare: ptr(0.4), DRAMActive: ptr(0.5),
		DoubleBitErrors: ptr(0.0), XIDs: []record.XID{{GPU: "2", Code: 79}}, Worst: "2"}
	want := record.GPU{Source: "dcgm", Model: "NVIDIA L4", Count: 4, Samples: 7, SMActive: ptr(0.5), SMClockMHz: ptr(900.0), SMClockMaxMHz: ptr(2040.0), ThermalShare: ptr(0.4),
		DoubleBitErrors: ptr(1.0), XIDs: []record.XID{{GPU: "2", Code: 79}}, Worst: "2"} // DRAM is not known of all
	near := cmp.Comparer(func(x, y float64) bool { return x-y < 1e-9 && y-x < 1e-9 })
	if d := cmp.Diff(&want, mergeGPUs([]record.GPU{a, b}), near); d != "" {
		t.Errorf("merged, -want +got:\n%s", d)
	}
}

// engineLine is what one replica shows.
func engineLine(source string, second int64, edge string, running, kv, tokens float64) record.MetricsSample {
	return record.MetricsSample{AtUS: second * 1e6, Source: source, Edge: edge, Values: map[string]float64{
		"process_start_time_seconds": 1000, `vllm:num_requests_running{engine="0"}`: running, `vllm:num_requests_waiting{engine="0"}`: 0,
		`vllm:kv_cache_usage_perc{engine="0"}`: kv, `vllm:generation_tokens_total{engine="0"}`: tokens,
	}}
}

func TestReplicasMakeOneAccount(t *testing.T) {
	samples := []record.MetricsSample{
		engineLine("http://a/metrics", 0, "start", 0, 0, 100), engineLine("http://a/metrics", 1, "", 4, 0.5, 200), engineLine("http://a/metrics", 2, "end", 0, 0, 300),
		engineLine("http://b/metrics", 0, "start", 0, 0, 7000), engineLine("http://b/metrics", 1, "", 2, 0.9, 7300), engineLine("http://b/metrics", 2, "end", 0, 0, 7600),
	}
	a := accountsOf(time.Unix(2000, 0), samples)
	s := a.server
	if s == nil || !a.whole || s.Changed != "" || s.Engines != 2 {
		t.Fatalf("account %+v, whole %v; want one of two engines", s, a.whole)
	}
	for _, c := range []struct {
		name string
		got  *float64
		want float64
	}{{"running", s.RunningMean, 6}, {"output tokens", s.OutputTokens, 800}, {"KV usage, mean", s.KVUsageMean, 0.7}, {"KV usage of the fuller", s.KVUsageMax, 0.9}} {
		if c.got == nil || *c.got < c.want-1e-9 || *c.got > c.want+1e-9 {
			t.Errorf("%s: %v, want %g", c.name, c.got, c.want)
		}
	}
	// What one replica does not say is not known of both.
	for i := range samples[3:] {
		delete(samples[3+i].Values, `vllm:generation_tokens_total{engine="0"}`)
	}
	if s := accountsOf(time.Unix(2000, 0), samples).server; s.OutputTokens != nil || s.RunningMean == nil {
		t.Errorf("output tokens %v with a replica that does not count them", s.OutputTokens)
	}
}

func TestProcessesThatAnswerInTurnAreNoAccount(t *testing.T) {
	var samples []record.MetricsSample
	for i := range int64(8) {
		l := engineLine("http://service/metrics", i, map[int64]string{0: "start", 7: "end"}[i], 3, 0.5, float64(100*i))
		l.Values["process_start_time_seconds"] = float64(1000 + 500*(i%2))
		samples = append(samples, l)
	}
	s := accountsOf(time.Unix(2000, 0), samples).server
	if s == nil || s.OutputTokens != nil || len(s.Changed) == 0 {
		t.Fatalf("account %+v; want one that says that it changed", s)
	}
	if want := "--metrics URL once for each pod"; !contains(s.Changed, want) {
		t.Errorf("%q does not name the way out", s.Changed)
	}
}

func TestAPastWithoutEdgesIsNotHeldAgainstTheClientsCounts(t *testing.T) {
	var samples []record.MetricsSample
	for i := range int64(4) {
		samples = append(samples, engineLine(fmt.Sprint("http://prometheus pod-", 0), 15*i, "", 3, 0.5, float64(1000*i)))
	}
	if a := accountsOf(time.Unix(2000, 0), samples); a.server == nil || a.whole || a.server.OutputTokens == nil || *a.server.OutputTokens != 3000 {
		t.Errorf("account %+v, whole %v; want 3000 tokens of a part of the level", a.server, a.whole)
	}
}
