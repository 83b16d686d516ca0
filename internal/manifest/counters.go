package manifest

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/manifest/dashboard"
	"assay/internal/telemetry"
)

// counterFields are the fields that dcgm-exporter has to collect: those of its own
// list, and those that alerts, diagnosis and dashboards read. Of a field with two
// names the newer one.
func counterFields() []telemetry.Entry {
	needed := dashboard.Metrics()
	for _, a := range Alerts {
		needed = append(needed, a.Needs...)
	}
	var fields []telemetry.Entry
	for _, e := range telemetry.Catalogue {
		i := slices.IndexFunc(e.Names, func(n telemetry.Name) bool { return n.Engine == "dcgm" })
		if i < 0 {
			continue
		}
		n := e.Names[i]
		if n.Default || e.Kept || slices.Contains(needed, n.Metric) {
			e.Names = e.Names[i : i+1]
			fields = append(fields, e)
		}
	}
	return fields
}

// Counters is the counter list of dcgm-exporter: field, kind, help. Fields that
// its own list leaves out are marked.
func Counters() string {
	var b strings.Builder
	b.WriteString("# Counters of dcgm-exporter: its own list (4.5), and below it what alerts, diagnosis\n" +
		"# and dashboards need besides. An exporter older than DCGM 3.3 knows\n" +
		"# DCGM_FI_DEV_CLOCK_THROTTLE_REASONS in place of DCGM_FI_DEV_CLOCKS_EVENT_REASONS.\n")
	b.WriteString("DCGM_FI_DRIVER_VERSION, label, Version of the driver\n")
	for _, own := range []bool{true, false} {
		if !own {
			b.WriteString("\n# Left out by the exporter's own list.\n")
		}
		for _, e := range counterFields() {
			if n := e.Names[0]; n.Default == own {
				fmt.Fprintf(&b, "%s, %s, %s\n", n.Metric, e.Kind, strings.TrimSuffix(strings.ReplaceAll(e.Help, ",", ";"), "."))
			}
		}
	}
	return b.String()
}
