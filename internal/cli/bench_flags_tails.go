package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"assay/internal/spec"
)

// tailFlags say how far a level and a knee are to be trusted.
type tailFlags struct {
	repeat            int
	confirmKnee       string
	confirm           bool
	resetCache        bool
	stopOversaturated string
}

func (f *tailFlags) add(p *pflag.FlagSet) {
	p.IntVar(&f.repeat, "repeat", 1, "hold each load so often, pass by pass: says whether the runs agree, and takes their median")
	p.StringVar(&f.confirmKnee, "confirm-knee", spec.Auto, "after a closed loop's knee, open loops at 0.8 and 0.95 of its rate: auto (as long as the longest level, where that tells), always or never")
	p.BoolVar(&f.confirm, "confirm", false, "hold one more level that would refute the verdict on what limits, where load alone can: half the output, one token, shared or unique prompts, or double the load")
	p.BoolVar(&f.resetCache, "reset-cache", false, "empty the engine's prefix cache before each level, where it offers that (vLLM in development mode, SGLang)")
	p.StringVar(&f.stopOversaturated, "stop-oversaturated", spec.Auto, "open loop: end a level that the server does not keep up with: auto (unless --num-requests or --duration say how long), always or never")
}

// over puts what the flags say into a scenario.
func (f *tailFlags) over(s *spec.Scenario) error {
	if f.repeat < 1 || f.repeat > spec.MostRepeats {
		return fmt.Errorf("--repeat %d: it must be between 1 and %d", f.repeat, spec.MostRepeats)
	}
	if f.repeat > 1 {
		s.Repeat = f.repeat
	}
	s.Confirm = f.confirm
	for _, c := range []struct {
		flag, value string
		to          *string
	}{{"--confirm-knee", f.confirmKnee, &s.ConfirmKnee}, {"--stop-oversaturated", f.stopOversaturated, &s.StopOversaturated}} {
		if !slices.Contains(spec.Choices, c.value) {
			return fmt.Errorf("%s %q: it is one of %s", c.flag, c.value, strings.Join(spec.Choices, ", "))
		}
		if c.value != spec.Auto {
			*c.to = c.value
		}
	}
	return nil
}
