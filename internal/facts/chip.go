package facts

import (
	"fmt"
	"slices"
	"strings"
)

// GiB is 2³⁰ bytes, the unit in which drivers report memory.
const GiB = 1 << 30

// Source says where a number was read, and when.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	Date  string `json:"date,omitempty"` // YYYY-MM-DD
}

// Chip is one accelerator.
type Chip struct {
	Name    string
	Aliases []string

	BF16 float64 // peak dense BF16 FLOP/s
	FP8  float64 // peak dense FP8 FLOP/s; 0 where the tensor cores have none

	Bandwidth float64 // bytes per second, device memory
	Nominal   int64   // bytes, as sold
	Usable    int64   // bytes, as CUDA reports them to an engine: less ECC and driver

	Link   float64 // bytes per second, one direction, to its peers in the same host
	NVLink bool    // whether Link is NVLink; else PCIe

	SMClock float64 // MHz, the highest that the driver lists (nvidia-smi -q: Max Clocks, SM)
	Power   float64 // watts, the default power limit

	Datasheet Source // of all but SMClock, Power and Usable
	Clock     Source // of SMClock and Power
	Memory    Source // of Usable
}

// Chips returns all known chips, smallest first.
func Chips() []Chip { return slices.Clone(chips) }

// ChipNamed finds a chip by name or alias, whatever the case. The error lists
// the known names.
func ChipNamed(name string) (Chip, error) {
	for _, c := range chips {
		if strings.EqualFold(c.Name, name) || slices.ContainsFunc(c.Aliases, func(a string) bool { return strings.EqualFold(a, name) }) {
			return c, nil
		}
	}
	names := make([]string, len(chips))
	for i, c := range chips {
		names[i] = c.Name
	}
	return Chip{}, fmt.Errorf("unknown GPU %q: known are %s", name, strings.Join(names, ", "))
}
