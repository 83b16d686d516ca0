package facts

import (
	"fmt"
	"slices"
	"strings"
)

// Binary units: drivers report memory in GiB, AWS states the limits of EBS and EFS in MiB.
const (
	MiB = 1 << 20 // bytes
	GiB = 1 << 30
)

// Source says where a number was read, and when.
type Source struct {
	Title string `json:"title"`
	URL   string `json:"url,omitempty"`
	Date  string `json:"date,omitempty"` // YYYY-MM-DD
}

// Chip is one accelerator. A rate of 0 is one that it does not have.
type Chip struct {
	Name    string
	Aliases []string

	Vendor       string // NVIDIA, AMD, AWS, Intel, Qualcomm
	Architecture string // volta, turing, ampere, ada, hopper, blackwell, cdna3, neuron-v2…
	Capability   int    // CUDA compute capability, ten times the major and the minor: 89; 0 where not CUDA

	BF16 float64 // peak dense BF16 FLOP/s
	FP16 float64 // peak dense FP16 FLOP/s, where there is no BF16; else 0
	FP8  float64 // peak dense FP8 FLOP/s; 0 where the tensor cores have none
	FP4  float64 // peak dense FP4 FLOP/s
	INT8 float64 // peak dense INT8 operations per second

	Bandwidth float64 // bytes per second, device memory
	Nominal   int64   // bytes, as sold
	Usable    int64   // bytes, as CUDA reports them to an engine: less ECC and driver
	Estimated bool    // Usable was not read anywhere: Nominal less a margin, which Memory states

	Link   float64 // bytes per second, one direction, to its peers in the same host
	NVLink bool    // whether Link is NVLink or another fabric of the chips' own; else PCIe
	Domain int     // chips that one such fabric joins; 0 with PCIe

	SMClock float64 // MHz, the highest that the driver lists (nvidia-smi -q: Max Clocks, SM); 0: not known
	Power   float64 // watts, the default power limit; 0: not known

	Datasheet Source // of all but SMClock, Power and Usable
	Clock     Source // of SMClock and Power
	Memory    Source // of Usable
	Remark    string // what is not settled about it
}

// Half is the peak of products in 16 bits: BF16, or FP16 where there is no BF16.
func (c Chip) Half() float64 {
	if c.BF16 > 0 {
		return c.BF16
	}
	return c.FP16
}

// Chips returns all known chips, smallest first.
func Chips() []Chip { return slices.Clone(chips) }

// ChipNamed finds a chip by name or alias, whatever the case and however the
// words are joined: "H100", "h100_sxm", "RTX PRO 6000". The error lists the known
// names.
func ChipNamed(name string) (Chip, error) {
	want := joined(name)
	for _, c := range chips {
		if joined(c.Name) == want || slices.ContainsFunc(c.Aliases, func(a string) bool { return joined(a) == want }) {
			return c, nil
		}
	}
	names := make([]string, len(chips))
	for i, c := range chips {
		names[i] = c.Name
	}
	return Chip{}, fmt.Errorf("unknown GPU %q: known are %s", name, strings.Join(names, ", "))
}

var joiner = strings.NewReplacer("_", "-", " ", "-")

func joined(name string) string { return joiner.Replace(strings.ToLower(strings.TrimSpace(name))) }
