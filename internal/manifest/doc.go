// Package manifest writes what is applied to a cluster: serving, node pools, training,
// storage, secrets, monitoring, and the Job that measures. A part is a function from an
// Input, which is assay.yaml, a plan and a run, to objects; a folder is a kustomization
// with one file an object, in the order in which they are applied.
//
// Each line that is a decision has a comment that says why, with the figure and where it
// comes from. What must be known and was not said is marked (mark.go), never invented.
// Levels of alerts come from the user or from a measured run, and the files say which.
// Alerts are data, from which rule files, docs/alerts.md and explanations are made.
// Times are seconds, shares 0..1.
//
//	in, err := manifest.Open(manifest.Sources{Plan: "plan.json", Name: "llama"}, "serve")
//	files, remarks, err := manifest.Render(in, []string{"serve"})
package manifest
