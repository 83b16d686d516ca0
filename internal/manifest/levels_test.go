package manifest

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/manifest/dashboard"
)

// TestDashboardsColourWhereAlertsFire: one level, in two places.
func TestDashboardsColourWhereAlertsFire(t *testing.T) {
	l := dashboard.DefaultLevels()
	for alert, level := range map[string]float64{
		"GPUHighTemperature":     l.Warm,
		"GPUCriticalTemperature": l.Hot,
		"vLLMKVCacheFull":        l.KVFull,
		"vLLMErrorRate":          l.Failing,
		"vLLMErrorRateHigh":      l.Failed,
		"TTFTBudgetBurnFast":     l.FastBurn * (1 - defaultObjective),
	} {
		a, ok := AlertOf(alert)
		if want := fmt.Sprintf("> %.6g", level); !ok || !strings.Contains(a.Expr, want) {
			t.Errorf("%s has no %q, where the dashboards turn:\n%s", alert, want, a.Expr)
		}
	}
}

// TestCountersHoldWhatDashboardsRead: a panel whose metric the exporter is not told
// to publish stays empty.
func TestCountersHoldWhatDashboardsRead(t *testing.T) {
	list := Counters()
	for _, m := range dashboard.Metrics() {
		old := m == "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS" || m == "DCGM_FI_DEV_POWER_MGMT_LIMIT" // read where the new name is missing
		if strings.HasPrefix(m, "DCGM_") && !old && !strings.Contains(list, "\n"+m+",") {
			t.Errorf("the counter list has no %s", m)
		}
	}
}
