package facts

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestChipsAreSaneAndSourced(t *testing.T) {
	names := map[string]string{}
	for _, c := range Chips() {
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if other, ok := names[strings.ToLower(n)]; ok {
				t.Errorf("%s names both %s and %s", n, other, c.Name)
			}
			names[strings.ToLower(n)] = c.Name
		}
		if c.FP8 != 0 && (c.FP8 < 1.9*c.BF16 || c.FP8 > 2.1*c.BF16) {
			t.Errorf("%s: FP8 %g is not twice BF16 %g: one of them may be a sparse figure", c.Name, c.FP8, c.BF16)
		}
		if share := float64(c.Usable) / float64(c.Nominal); share < 0.95 || share > 1.08 {
			t.Errorf("%s: usable %d bytes are %.2f of nominal %d", c.Name, c.Usable, share, c.Nominal)
		}
		// The ridge of data-center GPUs lies between 100 and 450 FLOP a byte; a
		// wrong power of ten or a sparse figure falls outside.
		if ridge := c.BF16 / c.Bandwidth; ridge < 100 || ridge > 450 {
			t.Errorf("%s: ridge %.0f FLOP/byte", c.Name, ridge)
		}
		if c.NVLink != (c.Link > 100e9) {
			t.Errorf("%s: NVLink %v with a link of %g B/s", c.Name, c.NVLink, c.Link)
		}
		// The source of the usable memory names the figure that was read there.
		if said := fmt.Sprintf("%.2f GiB", float64(c.Usable)/GiB); !strings.Contains(c.Memory.Title, said) {
			t.Errorf("%s: usable memory is %s, its source says %q", c.Name, said, c.Memory.Title)
		}
		// So does that of the clock and the power.
		if said := fmt.Sprintf("%.0f MHz, power limit %.0f W", c.SMClock, c.Power); !strings.Contains(c.Clock.Title, said) {
			t.Errorf("%s: it has %s, the source says %q", c.Name, said, c.Clock.Title)
		}
		// From the smallest inference card to the largest module; clocks in MHz.
		if c.SMClock < 1200 || c.SMClock > 3000 || c.Power < 50 || c.Power > 1500 {
			t.Errorf("%s: SM clock %g MHz, power %g W", c.Name, c.SMClock, c.Power)
		}
		for _, s := range []Source{c.Datasheet, c.Memory, c.Clock} {
			if _, err := time.Parse(time.DateOnly, s.Date); err != nil || s.Title == "" || !strings.HasPrefix(s.URL, "https://") {
				t.Errorf("%s: source %+v", c.Name, s)
			}
		}
	}
}

func TestChipNamed(t *testing.T) {
	for name, want := range map[string]string{"h100": "H100", "A100": "A100-80", "a100-sxm4-40gb": "A100-40", "l40s": "L40S"} {
		if got, err := ChipNamed(name); err != nil || got.Name != want {
			t.Errorf("ChipNamed(%q) = %s, %v; want %s", name, got.Name, err, want)
		}
	}
	if _, err := ChipNamed("V100"); err == nil || !strings.Contains(err.Error(), "A10G") || !strings.Contains(err.Error(), "V100") {
		t.Errorf("error of an unknown chip: %v", err)
	}
}
