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
	stopOversaturated string
}

func (f *tailFlags) add(p *pflag.FlagSet) {
	p.StringVar(&f.stopOversaturated, "stop-oversaturated", spec.Auto, "open loop: end a level that the server does not keep up with: auto (unless --num-requests or --duration say how long), always or never")
}

// over puts what the flags say into a scenario.
func (f *tailFlags) over(s *spec.Scenario) error {
	for _, c := range []struct {
		flag, value string
		to          *string
	}{{"--stop-oversaturated", f.stopOversaturated, &s.StopOversaturated}} {
		if !slices.Contains(spec.Choices, c.value) {
			return fmt.Errorf("%s %q: it is one of %s", c.flag, c.value, strings.Join(spec.Choices, ", "))
		}
		if c.value != spec.Auto {
			*c.to = c.value
		}
	}
	return nil
}
