package spec

import "go.yaml.in/yaml/v4"

// RenderNodePool is the section render.nodepool.
type RenderNodePool struct{}

func (r *reader) renderNodePool(n *yaml.Node, _ *RenderNodePool) {
	r.mapping(n, "render.nodepool", fields{})
}
