package train

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/checkpoint"
	"assay/internal/facts"
	"assay/internal/model"
	"assay/internal/price"
)

// resolve opens what a request names: the model, instance types, prices. It gives
// what the user should know of the model besides.
func (r Request) resolve() (Request, []string, error) {
	var remarks []string
	var err error
	if len(r.Model.Layers) == 0 {
		if r.Ref == "" {
			return r, nil, fmt.Errorf("no model: --model takes config.json, its folder, a .safetensors or .gguf file, a known model's name, or a count such as 30B")
		}
		if r.Model, remarks, err = open(r.Ref); err != nil {
			return r, nil, err
		}
	}
	r.Region = cmp.Or(r.Region, price.Home)
	if r.Instances == nil {
		if r.Instances, err = instances(r.Types); err != nil {
			return r, nil, err
		}
	}
	if r.Prices == nil {
		if r.Prices, err = price.Open(r.PriceFiles...); err != nil {
			return r, nil, err
		}
	}
	return r, remarks, nil
}

// open finds the architecture of a reference. A bare count is planned as the known
// model nearest to it in size, and said so.
func open(ref string) (model.Arch, []string, error) {
	c, err := checkpoint.Open(ref)
	if err != nil {
		return model.Arch{}, nil, err
	}
	if c.Arch != nil {
		return *c.Arch, c.Remarks, nil
	}
	candidates, err := c.Architectures()
	if err != nil {
		return model.Arch{}, nil, err
	}
	a := slices.MinFunc(candidates, func(a, b model.Arch) int {
		return cmp.Compare(math.Abs(float64(a.Parameters()-c.Parameters)), math.Abs(float64(b.Parameters()-c.Parameters)))
	})
	remark := fmt.Sprintf("%s says only how many parameters: planned as %s, the known model nearest to it (%.1f billion); its config.json makes the plan exact", ref, a.Name, float64(a.Parameters())/1e9)
	a.Context = 0 // of the model that it may be, not of this one
	a.Name = fmt.Sprintf("%s (as %s)", ref, a.Name)
	return a, append(c.Remarks, remark), nil
}

func instances(types []string) ([]facts.Instance, error) {
	if len(types) == 0 || len(types) == 1 && types[0] == "any" {
		return facts.Instances(), nil
	}
	var out []facts.Instance
	for _, name := range types {
		i, err := facts.InstanceNamed(name)
		if err != nil {
			return nil, err
		}
		out = append(out, i)
	}
	return out, nil
}
