package spec

import "go.yaml.in/yaml/v4"

// RenderSecrets is the section render.secrets.
type RenderSecrets struct{}

func (r *reader) renderSecrets(n *yaml.Node, _ *RenderSecrets) {
	r.mapping(n, "render.secrets", fields{})
}
