// Package prometheus proves alerts and dashboards of package manifest with the real
// programs: promtool runs each rule with its real durations, firing and not
// firing, and a Prometheus that scrapes the simulated engine sees faults come and
// go. build.sh builds both programs, at the version of tools/go.mod.
package prometheus
