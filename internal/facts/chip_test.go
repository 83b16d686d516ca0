package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// outliers have a ridge of their own: H20 has Hopper's memory and a seventh of its
// arithmetic, Inferentia and the AI100 keep their memory on a DDR bus.
var outliers = []string{"H20", "Inferentia", "Qualcomm-AI100"}

func TestChipsAreSaneAndSourced(t *testing.T) {
	names := map[string]string{}
	for _, c := range Chips() {
		for _, n := range append([]string{c.Name}, c.Aliases...) {
			if other, ok := names[joined(n)]; ok {
				t.Errorf("%s names both %s and %s", n, other, c.Name)
			}
			names[joined(n)] = c.Name
		}
		if c.Vendor == "" || c.Architecture == "" || (c.Vendor == "NVIDIA") != (c.Capability > 0) {
			t.Errorf("%s: vendor %q, architecture %q, capability %d", c.Name, c.Vendor, c.Architecture, c.Capability)
		}
		if c.BF16 > 0 && c.FP16 > 0 {
			t.Errorf("%s: FP16 is for chips without BF16", c.Name)
		}
		// Each halving of the width doubles the rate of a tensor core; a sparse figure
		// would be four times. Neuron's and Gaudi's do not follow it, nor do FP4 and INT8
		// of Blackwell Ultra.
		if c.Vendor == "NVIDIA" || c.Vendor == "AMD" {
			if c.FP8 != 0 && (c.FP8 < 1.9*c.BF16 || c.FP8 > 2.1*c.BF16) {
				t.Errorf("%s: FP8 %g is not twice BF16 %g: one of them may be a sparse figure", c.Name, c.FP8, c.BF16)
			}
			if c.FP4 != 0 && (c.FP4 < 1.9*c.FP8 || c.FP4 > 3.1*c.FP8) {
				t.Errorf("%s: FP4 %g is not two or three times FP8 %g", c.Name, c.FP4, c.FP8)
			}
			if c.INT8 > 4.1*c.Half() {
				t.Errorf("%s: INT8 %g is more than four times %g", c.Name, c.INT8, c.Half())
			}
		}
		if share := float64(c.Usable) / float64(c.Nominal); share < 0.95 || share > 1.08 {
			t.Errorf("%s: usable %d bytes are %.2f of nominal %d", c.Name, c.Usable, share, c.Nominal)
		}
		// The ridge of data-center GPUs lies between 100 and 450 FLOP a byte; a
		// wrong power of ten or a sparse figure falls outside.
		if ridge := c.Half() / c.Bandwidth; c.Half() > 0 && (ridge < 100 || ridge > 500) != slices.Contains(outliers, c.Name) {
			t.Errorf("%s: ridge %.0f FLOP/byte", c.Name, ridge)
		}
		if c.NVLink != (c.Link > 64e9) || c.NVLink != (c.Domain > 1) {
			t.Errorf("%s: NVLink %v with a link of %g B/s and a domain of %d", c.Name, c.NVLink, c.Link, c.Domain)
		}
		// The source of the usable memory names the figure that was read there.
		if said := fmt.Sprintf("%.2f GiB", float64(c.Usable)/GiB); !strings.Contains(c.Memory.Title, said) {
			t.Errorf("%s: usable memory is %s, its source says %q", c.Name, said, c.Memory.Title)
		}
		if c.Estimated != strings.Contains(c.Memory.Title, "margin") {
			t.Errorf("%s: estimated %v, its source says %q", c.Name, c.Estimated, c.Memory.Title)
		}
		sources := []Source{c.Datasheet}
		if !c.Estimated {
			sources = append(sources, c.Memory)
		}
		if c.SMClock != 0 || c.Power != 0 {
			// So does that of the clock and the power.
			if said := fmt.Sprintf("%.0f MHz, power limit %.0f W", c.SMClock, c.Power); !strings.Contains(c.Clock.Title, said) {
				t.Errorf("%s: it has %s, the source says %q", c.Name, said, c.Clock.Title)
			}
			// From the smallest inference card to the largest module; clocks in MHz.
			if c.SMClock < 1200 || c.SMClock > 3000 || c.Power < 50 || c.Power > 1500 {
				t.Errorf("%s: SM clock %g MHz, power %g W", c.Name, c.SMClock, c.Power)
			}
			sources = append(sources, c.Clock)
		}
		for _, s := range sources {
			if _, err := time.Parse(time.DateOnly, s.Date); err != nil || s.Title == "" || !strings.HasPrefix(s.URL, "https://") {
				t.Errorf("%s: source %+v", c.Name, s)
			}
		}
	}
}

func TestChipNamed(t *testing.T) {
	for name, want := range map[string]string{"h100": "H100", "A100": "A100-80", "a100-sxm4-40gb": "A100-40", "l40s": "L40S",
		"h100_sxm": "H100", "h200_sxm": "H200", "b200_sxm": "B200", "b300_sxm": "B300", "gb200": "GB200", "gb300": "GB300", "a100_sxm": "A100-80",
		"RTX PRO 6000": "RTX-PRO-6000", "mi300x": "MI300X"} {
		if got, err := ChipNamed(name); err != nil || got.Name != want {
			t.Errorf("ChipNamed(%q) = %s, %v; want %s", name, got.Name, err, want)
		}
	}
	if _, err := ChipNamed("P100"); err == nil || !strings.Contains(err.Error(), "A10G") || !strings.Contains(err.Error(), "P100") {
		t.Errorf("error of an unknown chip: %v", err)
	}
}
