package spec

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// RenderBench is the Job that measures the service from within the cluster.
type RenderBench struct {
	Image     string   // of Assay itself: built by the user
	Scenarios []string // empty: saturation
	Target    string   // empty: the service that is rendered
	Claim     string   // a claim for the results; empty: one is written
	Size      int      // GiB of that claim; 0: 10
	KeySecret string   // the Secret with the API key of the target; empty: none
}

func (r *reader) renderBench(n *yaml.Node, b *RenderBench) {
	const at = "render.bench."
	r.mapping(n, "render.bench", fields{
		"image":      func(v *yaml.Node) { b.Image = r.matching(v, at+"image", imageName) },
		"scenarios":  func(v *yaml.Node) { b.Scenarios = r.scenarioNames(v, at+"scenarios") },
		"target":     func(v *yaml.Node) { b.Target = r.str(v, at+"target") },
		"claim":      func(v *yaml.Node) { b.Claim = r.label(v, at+"claim", mostLabel) },
		"size_gib":   func(v *yaml.Node) { b.Size = r.integer(v, at+"size_gib", 1) },
		"key_secret": func(v *yaml.Node) { b.KeySecret = r.label(v, at+"key_secret", mostLabel) },
	})
}

// scenarioNames reads names of built-in scenarios.
func (r *reader) scenarioNames(n *yaml.Node, what string) (out []string) {
	each(n, func(item *yaml.Node) {
		name := BuiltinName(r.str(item, what))
		switch {
		case name == "":
			r.errorf(item, "%s %q is no built-in scenario: %s", what, item.Value, strings.Join([]string{Baseline, Saturation, Production, Dataset, LongContext}, ", "))
		case !slices.Contains(out, name):
			out = append(out, name)
		}
	})
	return out
}
