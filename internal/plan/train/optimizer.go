package train

import (
	"fmt"
	"strings"

	"assay/internal/facts"
)

// Optimizer is the state that an optimizer keeps for each trained parameter, beside
// an FP32 copy of the weights.
type Optimizer struct {
	Name   string
	State  float64 // bytes a parameter
	Source facts.Source
}

const readOn = "2026-11-30"

// optimizers by name. Adafactor keeps a row and a column of each matrix.
var optimizers = []Optimizer{
	{"adamw", 8, facts.Source{Title: "Rajbhandari et al., ZeRO, section 3.1", URL: "https://arxiv.org/abs/1910.02054", Date: readOn}},
	{"adamw8bit", 2 + 8.0/256, facts.Source{Title: "Dettmers et al., 8-bit optimizers (two states, a scale each for 256 values)", URL: "https://arxiv.org/abs/2110.02861", Date: readOn}},
	{"adafactor", 0.01, facts.Source{Title: "Shazeer and Stern, Adafactor, without momentum", URL: "https://arxiv.org/abs/1804.04235", Date: readOn}},
	{"lion", 4, facts.Source{Title: "Chen et al., Lion", URL: "https://arxiv.org/abs/2302.06675", Date: readOn}},
	{"sgd", 4, facts.Source{Title: "SGD with momentum in FP32", URL: "https://docs.pytorch.org/docs/stable/generated/torch.optim.SGD.html", Date: readOn}},
}

// OptimizerNamed finds an optimizer. The error lists the known ones.
func OptimizerNamed(name string) (Optimizer, error) {
	names := make([]string, len(optimizers))
	for i, o := range optimizers {
		if strings.EqualFold(o.Name, name) {
			return o, nil
		}
		names[i] = o.Name
	}
	return Optimizer{}, fmt.Errorf("unknown optimizer %q: known are %s", name, strings.Join(names, ", "))
}
