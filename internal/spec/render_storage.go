package spec

import "go.yaml.in/yaml/v4"

// RenderStorage is the section render.storage.
type RenderStorage struct{}

func (r *reader) renderStorage(n *yaml.Node, _ *RenderStorage) {
	r.mapping(n, "render.storage", fields{})
}
