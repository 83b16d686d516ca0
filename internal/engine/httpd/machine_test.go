package httpd

import (
	"strings"
	"testing"
	"time"

	"assay/internal/engine"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func families(t testing.TB, text []byte) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	got, err := parser.TextToMetricFamilies(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return got
}

func machineOf(t testing.TB, gpu string, f Faults) *machine {
	t.Helper()
	cfg, err := engine.Preset(gpu, "llama-3.2-1b")
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return newMachine(e.Config(), 5*time.Second, f)
}

// busy is a second of half compute and half memory on two GPUs, and what the API server used.
func busy(n int) engine.Counters {
	s := time.Duration(n) * time.Second
	return engine.Counters{
		Work:        engine.Work{Compute: s / 2, Memory: s / 2, FLOPs: 1e14 * float64(n), Read: 2e12 * float64(n), Linked: 1e9 * float64(n)},
		FrontendCPU: s / 4,
	}
}

func TestGPUFaultsShowAndClear(t *testing.T) {
	m := machineOf(t, "2xH100", Faults{})
	at := 0
	look := func(f Faults, n int) map[string]*dto.MetricFamily {
		m.setFaults(f)
		for range n {
			at++
			m.look(time.Duration(at)*time.Second, busy(at))
		}
		return families(t, m.dcgm())
	}
	type want struct {
		name   string
		labels []string
		value  float64
	}
	for _, tc := range []struct {
		what   string
		faults Faults
		looks  int
		want   []want
	}{
		{"sound", Faults{}, 3, []want{
			{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", nil, 0}, {"DCGM_FI_DEV_SM_CLOCK", []string{"gpu=1"}, 1980}, {"DCGM_FI_DEV_GPU_UTIL", []string{"gpu=0"}, 100},
			{"DCGM_FI_DEV_XID_ERRORS", nil, 0}, {"DCGM_EXP_XID_ERRORS_COUNT", []string{"window_size_in_ms=5000"}, 0},
			{"DCGM_FI_PROF_GR_ENGINE_ACTIVE", []string{"gpu=1"}, 1}, {"DCGM_FI_PROF_NVLINK_TX_BYTES", []string{"gpu=1"}, 1e9}, {"DCGM_FI_PROF_PCIE_TX_BYTES", []string{"gpu=1"}, 5e6},
		}},
		{"heat on the second", Faults{GPU: 1, ThermalClock: 0.5}, 3, []want{
			{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", []string{"gpu=1"}, 0x48}, {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", []string{"gpu=0"}, 0},
			{"DCGM_FI_DEV_SM_CLOCK", []string{"gpu=1"}, 990}, {"DCGM_EXP_CLOCK_EVENTS_COUNT", []string{"gpu=1", "clock_event=hw_thermal"}, 3},
			{"DCGM_EXP_CLOCK_EVENTS_COUNT", []string{"gpu=0"}, 0}, {"DCGM_FI_DEV_THERMAL_VIOLATION", []string{"gpu=1"}, 3e9}, {"DCGM_FI_DEV_GPU_TEMP", []string{"gpu=1"}, 88},
		}},
		{"heat is over, the window still holds it", Faults{}, 3, []want{
			{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", nil, 0}, {"DCGM_EXP_CLOCK_EVENTS_COUNT", []string{"gpu=1", "clock_event=hw_thermal"}, 2}, {"DCGM_FI_DEV_THERMAL_VIOLATION", nil, 3e9},
		}},
		{"the window has passed", Faults{}, 3, []want{{"DCGM_EXP_CLOCK_EVENTS_COUNT", nil, 0}}},
		{"power brake", Faults{BrakeClock: 0.6}, 1, []want{{"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", []string{"gpu=0"}, 0x88}, {"DCGM_EXP_CLOCK_EVENTS_COUNT", []string{"clock_event=hw_power_brake"}, 1}}},
		{"a temperature", Faults{GPU: 1, TemperatureC: 93}, 1, []want{{"DCGM_FI_DEV_GPU_TEMP", []string{"gpu=1"}, 93}}},
		{"XID 79", Faults{GPU: 1, XID: 79}, 2, []want{{"DCGM_FI_DEV_XID_ERRORS", []string{"gpu=1"}, 79}, {"DCGM_EXP_XID_ERRORS_COUNT", []string{"gpu=1", "xid=79"}, 2}, {"DCGM_FI_DEV_XID_ERRORS", []string{"gpu=0"}, 0}}},
		{"the last code stays, the count does not", Faults{}, 6, []want{{"DCGM_FI_DEV_XID_ERRORS", []string{"gpu=1"}, 79}, {"DCGM_EXP_XID_ERRORS_COUNT", nil, 0}}},
		{"memory", Faults{DoubleBitErrors: 2, RowRemapFailure: true}, 2, []want{{"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", []string{"gpu=0"}, 2}, {"DCGM_FI_DEV_ROW_REMAP_FAILURE", nil, 1}, {"DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", nil, 1}}},
		{"links", Faults{NVLinkErrors: 3}, 2, []want{{"DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL", nil, 6}, {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", nil, 2}, {"DCGM_FI_DEV_ROW_REMAP_FAILURE", nil, 0}}},
		{"a GPU that is not there", Faults{GPU: 9, XID: 31}, 1, []want{{"DCGM_FI_DEV_XID_ERRORS", []string{"gpu=1"}, 31}}},
	} {
		got := look(tc.faults, tc.looks)
		for _, w := range tc.want {
			if g := value(got, w.name, w.labels...); g != w.value {
				t.Errorf("%s: %s%v = %g, want %g", tc.what, w.name, w.labels, g, w.value)
			}
		}
	}
}

func TestGPUsOverPCIeHaveNoNVLink(t *testing.T) {
	m := machineOf(t, "2xL40S", Faults{NVLinkErrors: 5})
	m.look(time.Second, busy(1))
	text := string(m.dcgm())
	got := families(t, []byte(text))
	for name := range got {
		if strings.Contains(name, "NVLINK") && len(got[name].GetMetric()) > 0 {
			t.Errorf("%s on a GPU without NVLink", name)
		}
	}
	if g := value(got, "DCGM_FI_PROF_PCIE_TX_BYTES", "gpu=0"); g < 1e9 {
		t.Errorf("%g bytes/s over PCIe, want the all-reduces' 1e9", g)
	}
	if !strings.Contains(text, `pod="assay-sim-0"} 9223372036854775794`) {
		t.Error("a memory temperature without a sensor is not DCGM's blank")
	}
	if used, free := value(got, "DCGM_FI_DEV_FB_USED", "gpu=0"), value(got, "DCGM_FI_DEV_FB_FREE", "gpu=0"); used/(used+free) < 0.9 {
		t.Errorf("%g of %g MiB held, want what the engine allocates from its start", used, used+free)
	}
}

// What follows from a clock and a power limit that nobody read is left out, not 0.
func TestGPUsOfUnknownClockShowNone(t *testing.T) {
	m := machineOf(t, "2xB300", Faults{})
	m.look(time.Second, busy(1))
	got := families(t, m.dcgm())
	for _, name := range []string{"DCGM_FI_DEV_SM_CLOCK", "DCGM_FI_DEV_MAX_SM_CLOCK", "DCGM_FI_DEV_POWER_USAGE", "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION"} {
		if n := len(got[name].GetMetric()); n > 0 {
			t.Errorf("%s has %d values", name, n)
		}
	}
	if v := value(got, "DCGM_FI_DEV_GPU_UTIL", "gpu=0"); v <= 0 {
		t.Errorf("utilization %g", v)
	}
}

func TestNodeMetrics(t *testing.T) {
	m := machineOf(t, "2xH100", Faults{EFARetransmits: 10, EFADrops: 20, ENAExceeded: 30, CFSThrottled: 0.5})
	for i := 1; i <= 4; i++ {
		m.look(time.Duration(i)*time.Second, busy(i))
	}
	got := families(t, m.nodeText())
	for name, want := range map[string]float64{
		"node_amazonefa_retrans_pkts": 40, "node_amazonefa_rx_drops": 80, "node_ethtool_bw_out_allowance_exceeded": 120, "node_ethtool_pps_allowance_exceeded": 0,
		"container_cpu_cfs_periods_total": 40, "container_cpu_cfs_throttled_periods_total": 20,
		// Two workers and a quarter of a core for the API server, for four seconds.
		"container_cpu_usage_seconds_total": 9,
	} {
		if g := value(got, name); g != want {
			t.Errorf("%s = %g, want %g", name, g, want)
		}
	}
	if idle, all := value(got, "node_cpu_seconds_total", "mode=idle"), value(got, "node_cpu_seconds_total"); all < 63.99 || all > 64.01 || idle < 53 || idle > 54 {
		t.Errorf("%g of %g CPU seconds idle, want 53.8 of 64", idle, all)
	}
}
