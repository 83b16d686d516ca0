package prometheus

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/engine/httpd"
	"assay/test/require"
)

// inSeconds are durations as a rule file writes them: a window, an offset, for and
// interval.
var inSeconds = regexp.MustCompile(`(\[|offset |for: |interval: )(\d+)(m|h|d)\b`)

// sixtieth makes a minute of each hour and a second of each minute. Nothing but
// this test knows of it: promtool proves the real durations.
func sixtieth(t *testing.T, rules []byte) []byte {
	t.Helper()
	n := 0
	out := inSeconds.ReplaceAllStringFunc(string(rules), func(s string) string {
		m := inSeconds.FindStringSubmatch(s)
		v, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		n++
		return fmt.Sprintf("%s%ds", m[1], v*map[string]int{"m": 1, "h": 60, "d": 24 * 60}[m[3]])
	})
	if n < 100 {
		t.Fatalf("only %d durations found", n)
	}
	return []byte(out)
}

// firing are the alerts that fire now.
func (s server) firing(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, a := range s.query(t, `ALERTS{alertstate="firing"}`) {
		names[a.labels["alertname"]] = true
	}
	return names
}

// Each fault of the simulated engine and its exporters makes its alerts fire, and
// they clear when it is off.
func TestFaultsMakeAlertsFireAndClear(t *testing.T) {
	if !require.Asked(require.Prometheus) {
		t.Skip("it waits for minutes; " + require.Env + "=prometheus runs it")
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "rules.yml")
	write(t, file, sixtieth(t, rules(t)))
	sim := busyWith(t, httpd.Options{CountWindow: 5 * time.Second})
	where := map[string]string{"namespace": "default", "pod": "assay-sim-0"}
	prom := start(t, []target{
		{job: "vllm", url: sim.URL() + "/metrics", labels: where},
		{job: "dcgm-exporter", url: sim.URL() + "/dcgm/metrics", labels: map[string]string{"namespace": "gpu-operator", "pod": "dcgm-exporter-x"}},
		{job: "node", url: sim.URL() + "/node/metrics", honor: true},
	}, file)
	// More requests than the KV cache holds.
	within(t, "vLLMKVCacheFull", func() bool { return prom.firing(t)["vLLMKVCacheFull"] })
	for _, tc := range []struct {
		faults httpd.Faults
		fire   []string
	}{
		{httpd.Faults{
			ThermalClock: 0.5, XID: 79, RowRemapFailure: true, DoubleBitErrors: 2, NVLinkErrors: 5,
			EFADrops: 500, EFARetransmits: 5000, ENAExceeded: 10, ErrorRate: 0.5, TemperatureC: 95,
		}, []string{
			"GPUThermalThrottling", "GPUXIDCritical", "GPURowRemapFailure", "GPUDoubleBitErrors", "GPUNVLinkRecovery",
			"EFADrops", "EFARetransmits", "ENAAllowanceExceeded", "vLLMErrorRateHigh", "vLLMErrorRate",
		}},
		{httpd.Faults{EngineStall: true}, []string{"vLLMStalled"}},
		{httpd.Faults{NoMetrics: true, NoDCGM: true}, []string{"vLLMDown", "DCGMDown"}},
		{httpd.Faults{BrakeClock: 0.5, Shed: 0.5}, []string{"GPUPowerBrake", "vLLMSheddingLoad"}},
	} {
		if err := sim.SetFaults(tc.faults); err != nil {
			t.Fatal(err)
		}
		within(t, strings.Join(tc.fire, ", "), func() bool {
			now := prom.firing(t)
			return !slices.ContainsFunc(tc.fire, func(name string) bool { return !now[name] })
		})
		// The GPU says itself whether it is throttled, so its temperature is no alert.
		if now := prom.firing(t); now["GPUCriticalTemperature"] || now["GPUHighTemperature"] {
			t.Errorf("a temperature alert fires beside clock-event reasons: %v", now)
		}
		// A GPU keeps its last XID until the driver is loaded again. That of a program
		// which ends takes its place.
		off := httpd.Faults{}
		if tc.faults.XID != 0 {
			off.XID = 45
		}
		if err := sim.SetFaults(off); err != nil {
			t.Fatal(err)
		}
		within(t, "none of "+strings.Join(tc.fire, ", "), func() bool {
			now := prom.firing(t)
			return !slices.ContainsFunc(tc.fire, func(name string) bool { return now[name] })
		})
	}
}
