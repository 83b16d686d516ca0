package spec

import "go.yaml.in/yaml/v4"

// RenderMonitoring is the monitoring of the service that is rendered.
type RenderMonitoring struct {
	ReleaseLabel  string // of kube-prometheus-stack; empty: none
	RunbookURL    string
	DCGMNamespace string
}

func (r *reader) renderMonitoring(n *yaml.Node, m *RenderMonitoring) {
	const at = "render.monitoring."
	r.mapping(n, "render.monitoring", fields{
		"release_label":  func(v *yaml.Node) { m.ReleaseLabel = r.matching(v, at+"release_label", labelValue) },
		"runbook_url":    func(v *yaml.Node) { m.RunbookURL = r.str(v, at+"runbook_url") },
		"dcgm_namespace": func(v *yaml.Node) { m.DCGMNamespace = r.label(v, at+"dcgm_namespace", mostLabel) },
	})
}
