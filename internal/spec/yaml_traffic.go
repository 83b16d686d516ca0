package spec

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// traffic are the keys of a scenario's traffic.
func (r *reader) traffic(t *Traffic) fields {
	turn := func(v *yaml.Node) { t.TurnPrompt = r.lengths(v, "turn_isl") }
	return fields{
		"replay": func(v *yaml.Node) { t.Replay = r.oneOf(v, "replay", Replays) },
		"speed": func(v *yaml.Node) {
			each(v, func(item *yaml.Node) { t.Speed = append(t.Speed, r.number(item, "speed", 1e-6)) })
		},
		"replay_spread":      func(v *yaml.Node) { t.ReplaySpread = r.boolean(v, "replay_spread") },
		"sessions":           func(v *yaml.Node) { t.Sessions = r.boolean(v, "sessions") },
		"turns":              func(v *yaml.Node) { t.Turns = r.lengths(v, "turns") },
		"turn_prompt_length": turn,
		"turn_isl":           turn,
		"think_time":         func(v *yaml.Node) { t.ThinkTime = r.duration(v, "think_time") },
		"think_spread":       func(v *yaml.Node) { t.ThinkSpread = r.oneOf(v, "think_spread", ThinkSpreads) },
		"history":            func(v *yaml.Node) { t.History = r.oneOf(v, "history", Histories) },
		"prefix_groups":      func(v *yaml.Node) { t.PrefixGroups = r.integer(v, "prefix_groups", 1) },
		"prefix_skew":        func(v *yaml.Node) { t.PrefixSkew = r.number(v, "prefix_skew", 0) },
		"models":             func(v *yaml.Node) { t.Models = r.models(v) },
		"images":             func(v *yaml.Node) { t.Images = r.integer(v, "images", 1) },
		"image_size":         func(v *yaml.Node) { t.ImageSize = r.size(v) },
		"image_format":       func(v *yaml.Node) { t.ImageFormat = r.oneOf(v, "image_format", ImageFormats) },
	}
}

func (r *reader) boolean(n *yaml.Node, what string) bool {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" {
		return strings.EqualFold(n.Value, "true")
	}
	r.errorf(n, "%s must be true or false, not %s", what, shown(n))
	return false
}

// models reads a mapping of models to weights, a list of models, or the flag's
// form.
func (r *reader) models(n *yaml.Node) []ModelShare {
	var out []ModelShare
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			out = append(out, ModelShare{
				Model: n.Content[i].Value, Weight: r.number(deref(n.Content[i+1]), "models."+n.Content[i].Value, 1e-9),
			})
		}
		return out
	}
	each(n, func(v *yaml.Node) {
		models, err := ParseModels(r.str(v, "models"))
		if err != nil {
			r.errorf(v, "models: %v", err)
		}
		out = append(out, models...)
	})
	return out
}

func (r *reader) size(n *yaml.Node) Size {
	size, err := ParseSize(r.str(n, "image_size"))
	if err != nil {
		r.errorf(n, "image_size: %v", err)
	}
	return size
}
