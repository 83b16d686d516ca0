// Package manifest writes what is applied to a cluster. Today that is monitoring:
// rules and alerts, monitors, the counter list of dcgm-exporter and dashboards.
//
// Alerts are data: what to look for, how grave it is, what it means and what to
// do. The rule files, docs/alerts.md and the explanations of the command line
// are all made from it. Levels that nobody can know beforehand come from the user
// or from a measured run, and the files say which. Times are seconds, shares 0..1.
//
//	files, err := manifest.Monitoring(manifest.Options{Selector: "app=vllm", Objective: 0.99})
package manifest
