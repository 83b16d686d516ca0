package train

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/model"
)

// Adapters are low-rank matrices beside frozen ones: for a matrix of m by n, rank
// times (m + n) parameters each (Hu et al. 2021).
type Adapters struct {
	Rank    int
	Targets []string // matrices by the names of PEFT, without "_proj"
}

// targets are groups and single matrices that adapters may stand beside.
var targets = map[string][]string{
	"all":       {"q", "k", "v", "o", "gate", "up", "down"},
	"attention": {"q", "k", "v", "o"},
	"mlp":       {"gate", "up", "down"},
}

// TargetNames are what Targets may hold.
var TargetNames = []string{"all", "attention", "mlp", "q", "k", "v", "o", "gate", "up", "down"}

// matrices are the single matrices of the targets.
func (a Adapters) matrices() ([]string, error) {
	var out []string
	for _, t := range a.Targets {
		name := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(t)), "_proj")
		group, ok := targets[name]
		if !ok {
			if !slices.Contains(targets["all"], name) {
				return nil, fmt.Errorf("unknown target of adapters %q: known are %s", t, strings.Join(TargetNames, ", "))
			}
			group = []string{name}
		}
		for _, m := range group {
			if !slices.Contains(out, m) {
				out = append(out, m)
			}
		}
	}
	return out, nil
}

// parameters of all adapters, and an error where a target is unknown or the model
// has none of the targets.
func (a Adapters) parameters(arch model.Arch) (int64, error) {
	names, err := a.matrices()
	if err != nil {
		return 0, err
	}
	n := int64(0)
	for _, l := range arch.Layers {
		for _, name := range names {
			n += sides(arch, l, name)
		}
	}
	if n == 0 {
		return 0, fmt.Errorf("no layer of %s has a matrix among the targets %s", arch.Name, strings.Join(a.Targets, ", "))
	}
	return n * int64(a.Rank), nil
}

// sides is the sum of a target's rows and columns over a layer's matrices of that name.
func sides(arch model.Arch, l model.Layer, name string) int64 {
	h, t, m := arch.Hidden, l.Attention, l.MLP
	value := t.ValueDim
	if value == 0 {
		value = t.HeadDim
	}
	if t.Kind != model.NoAttention {
		switch name {
		case "q":
			if t.QueryRank > 0 {
				return int64(h + t.QueryRank + t.QueryRank + t.Heads*t.HeadDim)
			}
			return int64(h + t.Heads*t.HeadDim)
		case "k":
			if t.Kind == model.Latent {
				return int64(h + t.LatentRank + t.RopeDim)
			}
			if t.Shared {
				return 0
			}
			return int64(h + t.KVHeads*t.HeadDim)
		case "v":
			if t.Kind == model.Latent {
				return int64(t.LatentRank + t.Heads*(t.HeadDim-t.RopeDim+value))
			}
			if t.Shared {
				return 0
			}
			return int64(h + t.KVHeads*value)
		case "o":
			return int64(t.Heads*value + h)
		}
	}
	if name == "gate" && m.Matrices < 3 || name != "gate" && name != "up" && name != "down" {
		return 0
	}
	n := int64(0)
	if m.Intermediate > 0 {
		n += int64(h + m.Intermediate)
	}
	if m.SharedIntermediate > 0 {
		n += int64(h + m.SharedIntermediate)
	}
	return n + int64(m.Experts)*int64(h+m.ExpertIntermediate)
}
