package spec

import "go.yaml.in/yaml/v4"

// RenderTrain is the section render.train.
type RenderTrain struct{}

func (r *reader) renderTrain(n *yaml.Node, _ *RenderTrain) {
	r.mapping(n, "render.train", fields{})
}
