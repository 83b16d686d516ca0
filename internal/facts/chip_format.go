package facts

import (
	"fmt"
	"strings"
)

// How says what a chip does with weights of a format.
type How int

// Ways to multiply by stored weights.
const (
	Refused  How = iota // no kernel of the serving engines takes them there
	Unpacked            // stored small, unpacked to 16 bits for the product: memory is saved, arithmetic is not
	Native              // multiplied as they are
)

// The least CUDA compute capabilities of vLLM's kernels that unpack: GPTQ and AWQ by
// Marlin from Turing on, FP8 and FP4 too, and none on Volta. Source: Quantization.
const (
	turing = 75
	ampere = 80
)

// Quantization is where the support of formats by architecture was read.
var Quantization = Source{"vLLM documentation, Quantization: supported hardware", "https://docs.vllm.ai/en/latest/features/quantization/", readOn}

// Runs says how weights in a format (the names of model.Format: bf16, fp16, fp8,
// int8, int4, awq, gptq, mxfp4, nvfp4) run on the chip, and why not natively.
func (c Chip) Runs(format string) (How, string) {
	format = strings.ToLower(format)
	if c.Half() == 0 {
		return Refused, fmt.Sprintf("%s has no matrix arithmetic that serving engines use", c.Name)
	}
	rate := 0.0
	switch format {
	case "", "bf16":
		if c.BF16 == 0 {
			return Refused, fmt.Sprintf("%s has no bf16: serve in fp16 (--dtype half)", c.Name)
		}
		return Native, ""
	case "fp16":
		return Native, ""
	case "fp8":
		rate = c.FP8
	case "int8":
		rate = c.INT8
	case "mxfp4":
		rate = c.FP4
	case "nvfp4":
		if c.Vendor == "NVIDIA" {
			rate = c.FP4
		}
	case "int4", "awq", "gptq":
	default:
		return Refused, fmt.Sprintf("the format %q is not known", format)
	}
	switch {
	case rate > 0 && rate >= c.Half(): // else 16 bits are faster: INT8 on Blackwell Ultra
		return Native, ""
	case c.unpacks(format):
		return Unpacked, fmt.Sprintf("%s multiplies %s only after unpacking it to 16 bits: it saves memory, not arithmetic", c.Name, format)
	}
	return Refused, fmt.Sprintf("no serving engine runs %s on %s (%s %s)", format, c.Name, c.Vendor, c.Architecture)
}

func (c Chip) unpacks(format string) bool {
	switch format {
	case "int4", "awq", "gptq":
		return c.Capability >= turing || c.Vendor == "AMD"
	case "fp8":
		return c.Capability >= turing
	case "mxfp4", "nvfp4":
		return c.Capability >= ampere
	case "int8":
		return c.Capability >= turing
	}
	return false
}

// Rate is the chip's peak for products with weights of a format, FLOP/s: that of the
// format where it is native, else that of 16 bits.
func (c Chip) Rate(format string) float64 {
	if how, _ := c.Runs(format); how == Native {
		switch strings.ToLower(format) {
		case "fp8":
			return c.FP8
		case "int8":
			return c.INT8
		case "mxfp4", "nvfp4":
			return c.FP4
		}
	}
	return c.Half()
}
