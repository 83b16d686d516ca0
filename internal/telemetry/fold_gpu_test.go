package telemetry

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

// gpuText is a scrape of fields of one GPU, name and value, in dcgm-exporter's form.
func gpuText(gpu string, fields map[string]string) string {
	var b strings.Builder
	for name, value := range fields {
		metric, labels, _ := strings.Cut(name, ",")
		if labels != "" {
			labels = "," + labels
		}
		fmt.Fprintf(&b, "%s{gpu=%q,UUID=\"GPU-%s\",device=\"nvidia%s\",modelName=\"NVIDIA L4\",Hostname=\"a\"%s} %s\n", metric, gpu, gpu, gpu, labels, value)
	}
	return b.String()
}

func busy(more map[string]string) map[string]string {
	m := map[string]string{
		"DCGM_FI_PROF_GR_ENGINE_ACTIVE": "0.9", "DCGM_FI_PROF_SM_ACTIVE": "0.8", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE": "0.1", "DCGM_FI_PROF_DRAM_ACTIVE": "0.6",
		"DCGM_FI_PROF_PCIE_TX_BYTES": "1e9", "DCGM_FI_PROF_PCIE_RX_BYTES": "2e9",
		"DCGM_FI_DEV_SM_CLOCK": "1700", "DCGM_FI_DEV_MAX_SM_CLOCK": "2040", "DCGM_FI_DEV_POWER_USAGE": "60", "DCGM_FI_DEV_ENFORCED_POWER_LIMIT": "72",
		"DCGM_FI_DEV_GPU_TEMP": "60", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "4", "DCGM_FI_DEV_XID_ERRORS": "0",
		"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "3", "DCGM_FI_DEV_ROW_REMAP_FAILURE": "0", "DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": "7",
	}
	for k, v := range more {
		if v == "" {
			delete(m, k)
		} else {
			m[k] = v
		}
	}
	return m
}

func TestFoldGPU(t *testing.T) {
	snap := func(at float64, first, second map[string]string) Snapshot {
		return parse(t, gpuText("0", busy(first))+gpuText("1", busy(second)), at)
	}
	got := FoldGPU([]Snapshot{
		parse(t, "vllm:num_requests_running 1\n", 0), // of something else
		// Idle: its clock says nothing.
		snap(1, map[string]string{"DCGM_FI_PROF_GR_ENGINE_ACTIVE": "0", "DCGM_FI_DEV_SM_CLOCK": "210", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "1"}, nil),
		snap(2, nil, map[string]string{"DCGM_FI_DEV_SM_CLOCK": "900", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "32", "DCGM_FI_DEV_GPU_TEMP": "91"}),
		snap(3, map[string]string{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": "9"},
			map[string]string{"DCGM_FI_DEV_SM_CLOCK": "1000", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "68", "DCGM_FI_DEV_POWER_USAGE": "30", "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "4", "DCGM_FI_DEV_ROW_REMAP_FAILURE": "1"}),
		snap(5, map[string]string{"DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL": "10"},
			map[string]string{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "4", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "128", "DCGM_FI_DEV_SM_CLOCK": "1100"}),
	})
	want := &record.GPU{
		Source: "dcgm", Model: "NVIDIA L4", Count: 2, Samples: 4,
		EngineActive: p(0.9 * 7 / 8), SMActive: p(0.8), TensorActive: p(0.1), DRAMActive: p(0.6), PCIeBytesPerS: p(3e9),
		SMClockMHz: p((1700 + 900 + 1000 + 1100) / 4.0), SMClockMaxMHz: p(2040), PowerW: p((60 + 60 + 30 + 60) / 4.0), PowerLimitW: p(72), TempMaxC: p(91),
		ThermalShare: p(0.5), BrakeShare: p(0.25), PowerCapShare: p(1),
		DoubleBitErrors: p(1), RemapFailures: p(1), NVLinkErrors: p(3), Worst: "1",
	}
	if d := cmp.Diff(want, got, near); d != "" {
		t.Errorf("FoldGPU: -want +got\n%s", d)
	}
}

func TestFoldGPUWithoutGPUs(t *testing.T) {
	if g := FoldGPU([]Snapshot{parse(t, "vllm:num_requests_running 1\nnode_cpu_seconds_total{cpu=\"0\",mode=\"idle\"} 1\n", 0), {}}); g != nil {
		t.Errorf("FoldGPU = %+v, want nil", g)
	}
	g := FoldGPU([]Snapshot{parse(t, gpuText("0", map[string]string{"DCGM_FI_DEV_GPU_TEMP": "50"}), 0)})
	if d := cmp.Diff(&record.GPU{Source: "dcgm", Model: "NVIDIA L4", Count: 1, Samples: 1, TempMaxC: p(50)}, g); d != "" {
		t.Errorf("what an exporter does not say is not known: -want +got\n%s", d)
	}
}

// The clock of an idle GPU says nothing of how it is held back.
func TestClockWhileBusy(t *testing.T) {
	at := func(active, util, clock string, s float64) Snapshot {
		return parse(t, gpuText("0", map[string]string{"DCGM_FI_PROF_GR_ENGINE_ACTIVE": active, "DCGM_FI_DEV_GPU_UTIL": util, "DCGM_FI_DEV_SM_CLOCK": clock}), s)
	}
	if got := FoldGPU([]Snapshot{at("0", "100", "210", 0), at("0.5", "100", "1700", 1), at("0.5", "100", "1600", 2)}).SMClockMHz; got == nil || *got != 1650 {
		t.Errorf("clock %v, want 1650", got)
	}
	util := func(util, clock string) Snapshot {
		return parse(t, gpuText("0", map[string]string{"DCGM_FI_DEV_GPU_UTIL": util, "DCGM_FI_DEV_SM_CLOCK": clock}), 0)
	}
	if got := FoldGPU([]Snapshot{util("0", "210"), util("80", "1700")}).SMClockMHz; got == nil || *got != 1700 {
		t.Errorf("without profiling counters: clock %v, want 1700", got)
	}
	if got := FoldGPU([]Snapshot{util("0", "210")}).SMClockMHz; got != nil {
		t.Errorf("of an idle GPU: clock %v, want none", *got)
	}
}

func TestWorstGPU(t *testing.T) {
	slow := map[string]string{"DCGM_FI_DEV_SM_CLOCK": "1000"}
	for _, c := range []struct {
		name          string
		first, second map[string]string
		want          string
	}{
		{"the slowest", nil, slow, "1"},
		{"one that heat holds back before a slower one", map[string]string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "64"}, slow, "0"},
		{"one that the power cap holds back does not count", nil, map[string]string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "4"}, "0"},
		{"a faulty one before a hot one", map[string]string{"DCGM_FI_DEV_ROW_REMAP_FAILURE": "1"}, map[string]string{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS": "64"}, "0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, gpuText("0", busy(c.first))+gpuText("1", busy(c.second)), 0)
			if got := FoldGPU([]Snapshot{s}).Worst; got != c.want {
				t.Errorf("Worst = %q, want %q", got, c.want)
			}
		})
	}
}

func TestExporterRestarts(t *testing.T) {
	at := func(start int, s float64) Snapshot {
		return parse(t, fmt.Sprintf("process_start_time_seconds %d\n", start)+gpuText("0", busy(nil)), s)
	}
	if g := FoldGPU([]Snapshot{at(5, 0), at(7, 1)}); !strings.Contains(g.Changed, "restarted") || g.DoubleBitErrors != nil {
		t.Errorf("Changed = %q, double-bit errors %v; want a restart, and none", g.Changed, g.DoubleBitErrors)
	}
	if g := FoldGPU([]Snapshot{at(5, 0), at(5, 1)}); g.Changed != "" {
		t.Errorf("Changed = %q, want nothing", g.Changed)
	}
}

func TestXIDs(t *testing.T) {
	type fields = map[string]string
	const counted = `DCGM_EXP_XID_ERRORS_COUNT,window_size_in_ms="300000"`
	code := func(xid string) string { return counted + `,xid="` + xid + `"` }
	for _, c := range []struct {
		name string
		at   []fields
		want []record.XID
	}{
		{"none", []fields{{"DCGM_FI_DEV_XID_ERRORS": "0"}, {"DCGM_FI_DEV_XID_ERRORS": "0"}}, nil},
		{"one comes", []fields{{"DCGM_FI_DEV_XID_ERRORS": "0"}, {"DCGM_FI_DEV_XID_ERRORS": "79"}}, []record.XID{{GPU: "0", Code: 79}}},
		{"one of before", []fields{{"DCGM_FI_DEV_XID_ERRORS": "31"}, {"DCGM_FI_DEV_XID_ERRORS": "31"}}, []record.XID{{GPU: "0", Code: 31, Sticky: true}}},
		{"one scrape cannot tell", []fields{{"DCGM_FI_DEV_XID_ERRORS": "31"}}, []record.XID{{GPU: "0", Code: 31, Sticky: true}}},
		{"another one comes", []fields{{"DCGM_FI_DEV_XID_ERRORS": "31"}, {"DCGM_FI_DEV_XID_ERRORS": "79"}}, []record.XID{{GPU: "0", Code: 31, Sticky: true}, {GPU: "0", Code: 79}}},
		{"blank", []fields{{"DCGM_FI_DEV_XID_ERRORS": "9223372036854775794"}, {"DCGM_FI_DEV_XID_ERRORS": "0"}}, nil},
		{"counted: nothing in the window", []fields{{counted: "0", "DCGM_FI_DEV_XID_ERRORS": "31"}, {counted: "0", "DCGM_FI_DEV_XID_ERRORS": "31"}}, nil},
		{"counted: it comes", []fields{{counted: "0"}, {code("48"): "2"}}, []record.XID{{GPU: "0", Code: 48}}},
		{"counted: of before", []fields{{code("48"): "2"}, {code("48"): "2"}}, []record.XID{{GPU: "0", Code: 48, Sticky: true}}},
		{"counted: the window is within the span", []fields{{code("48"): "2"}, {}, {}, {}, {}, {}, {}, {code("48"): "1"}}, []record.XID{{GPU: "0", Code: 48}}},
		{"counted: the window reaches back before the span", []fields{{code("48"): "2"}, {}, {}, {code("48"): "1"}}, []record.XID{{GPU: "0", Code: 48, Sticky: true}}},
		{"a code that is no number", []fields{{counted: "0"}, {code("x"): "2"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var snapshots []Snapshot
			for i, f := range c.at {
				snapshots = append(snapshots, parse(t, gpuText("0", f)+gpuText("0", map[string]string{"DCGM_FI_DEV_GPU_TEMP": "50"}), float64(60*i)))
			}
			if d := cmp.Diff(c.want, FoldGPU(snapshots).XIDs); d != "" {
				t.Errorf("XIDs: -want +got\n%s", d)
			}
		})
	}
}

// The exporter's counts of clock events are of a sliding window, and no counters.
func TestClockEvents(t *testing.T) {
	const window = `DCGM_EXP_CLOCK_EVENTS_COUNT,window_size_in_ms="300000"`
	event := func(name, n string) map[string]string {
		return map[string]string{window + `,clock_event="` + name + `"`: n}
	}
	nothing := map[string]string{window: "0"}
	for _, c := range []struct {
		name string
		at   []map[string]string
		want *float64
	}{
		{"nothing", []map[string]string{nothing, nothing, nothing}, p(0)},
		{"heat in one stretch of two", []map[string]string{nothing, event("hw_thermal", "3"), event("hw_thermal", "3")}, p(0.5)},
		{"heat of before leaves the window", []map[string]string{event("sw_thermal", "9"), event("sw_thermal", "4"), nothing}, p(0)},
		{"the power cap is not heat", []map[string]string{nothing, event("power_cap", "3"), event("power_cap", "9")}, p(0)},
		{"one scrape", []map[string]string{event("hw_thermal", "3")}, nil},
		{"reasons of the moment come first", []map[string]string{{"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS": "64", window: "0"}, nothing}, p(1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			var snapshots []Snapshot
			for i, f := range c.at {
				snapshots = append(snapshots, parse(t, gpuText("0", f), float64(15*i)))
			}
			if d := cmp.Diff(c.want, FoldGPU(snapshots).ThermalShare, near); d != "" {
				t.Errorf("ThermalShare: -want +got\n%s", d)
			}
		})
	}
}

func TestThermalViolation(t *testing.T) {
	at := func(ns string, s float64) Snapshot {
		return parse(t, gpuText("0", map[string]string{"DCGM_FI_DEV_THERMAL_VIOLATION": ns}), s)
	}
	if got := FoldGPU([]Snapshot{at("1e9", 0), at("3.5e9", 10)}).ThermalShare; got == nil || *got != 0.25 {
		t.Errorf("2.5 s of 10: %v, want 0.25", got)
	}
	if got := FoldGPU([]Snapshot{at("1e9", 0), at("3e10", 10)}).ThermalShare; got != nil {
		t.Errorf("29 s of 10: %v, want none: it is another unit", *got)
	}
	if got := FoldGPU([]Snapshot{at("3e9", 0), at("1e9", 10)}); got.ThermalShare != nil || !strings.Contains(got.Changed, "fell") {
		t.Errorf("a count that falls: %v, %q", got.ThermalShare, got.Changed)
	}
}

func TestGPUsThatComeAndGo(t *testing.T) {
	one, two := gpuText("0", busy(nil)), gpuText("0", busy(nil))+gpuText("1", busy(nil))
	for _, c := range []struct {
		name          string
		before, after string
		want          string
		count         int
	}{
		{"the same", two, two, "", 2},
		{"one goes", two, one, "GPU 1 went", 2},
		{"one comes", one, two, "GPU 1 came", 2},
		{"a counter falls", one, gpuText("0", busy(map[string]string{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL": "0"})), "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL of GPU 0 fell from 3 to 0", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := FoldGPU([]Snapshot{parse(t, c.before, 0), parse(t, c.after, 1)})
			if (c.want == "") != (g.Changed == "") || !strings.Contains(g.Changed, c.want) {
				t.Errorf("Changed = %q, want %q in it", g.Changed, c.want)
			}
			if g.Count != c.count {
				t.Errorf("%d GPUs, want %d", g.Count, c.count)
			}
			if known := g.DoubleBitErrors != nil && g.NVLinkErrors != nil; known != (c.want == "") {
				t.Errorf("growth is given: %t; Changed: %q", known, g.Changed)
			}
		})
	}
}

// A GPU that pods share has a series for each pod; one that is partitioned has
// series of the whole and of its instances.
func TestSharedGPUs(t *testing.T) {
	shared := FoldGPU([]Snapshot{parse(t, `DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-0",pod="a"} 60
DCGM_FI_DEV_POWER_USAGE{gpu="0",UUID="GPU-0",pod="b"} 59
DCGM_FI_DEV_GPU_UTIL{gpu="0",UUID="GPU-0",pod="b"} 50
`, 0)})
	if shared.Count != 1 || shared.PowerW == nil || *shared.PowerW != 60 {
		t.Errorf("shared: %d GPUs, %v W; want 1 and 60", shared.Count, shared.PowerW)
	}
	parts := FoldGPU([]Snapshot{parse(t, `DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-0"} 60
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="5"} 0.2
DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu="0",UUID="GPU-0",GPU_I_PROFILE="1g.10gb",GPU_I_ID="6"} 0.4
`, 0)})
	if parts.Count != 2 || parts.EngineActive == nil || math.Abs(*parts.EngineActive-0.3) > 1e-12 {
		t.Errorf("partitioned: %d, %v; want 2 instances at 0.3", parts.Count, parts.EngineActive)
	}
	if parts.TempMaxC == nil || *parts.TempMaxC != 60 {
		t.Errorf("partitioned: at %v °C, want the 60 of the whole", parts.TempMaxC)
	}
	hosts := FoldGPU([]Snapshot{parse(t, `DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-0",hostname="a"} 0
DCGM_FI_DEV_XID_ERRORS{gpu="0",UUID="GPU-1",Hostname="b"} 79
`, 0)})
	if d := cmp.Diff([]record.XID{{GPU: "0 on b", Code: 79, Sticky: true}}, hosts.XIDs); hosts.Count != 2 || d != "" {
		t.Errorf("two hosts: %d GPUs, -want +got\n%s", hosts.Count, d)
	}
}
