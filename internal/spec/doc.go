// Package spec is what a user declares, in assay.yaml or by flags: model,
// workload, SLO, scenarios, platform. It parses, names the place of each
// mistake, and fills in defaults. It starts nothing and measures nothing.
package spec
