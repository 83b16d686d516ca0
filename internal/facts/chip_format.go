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

// CUDA compute capabilities at which an architecture begins.
const (
	turing    = 75
	ampere    = 80
	blackwell = 100
)

// Served says whether a serving engine of today runs on the chip, and why not. That
// Volta is left out follows PyTorch's RFC "Deprecate sm70 for the CUDA 12.8 build",
// https://github.com/pytorch/pytorch/issues/172352, read 2026-11-30.
func (c Chip) Served() (bool, string) {
	switch {
	case c.Half() == 0:
		return false, fmt.Sprintf("%s has no matrix units", c.Name)
	case c.Vendor == "NVIDIA" && c.Capability < turing:
		return false, fmt.Sprintf("%s (%s) is not in PyTorch's builds since 2.11, and so not in vLLM's", c.Name, c.Architecture)
	case c.Architecture == "neuron-v1":
		return false, fmt.Sprintf("%s runs compiled models of fixed shape alone: vLLM's plugins begin at neuron-v2", c.Name)
	case c.Vendor == "Qualcomm":
		return false, fmt.Sprintf("%s needs Qualcomm's own compiler and fork of vLLM", c.Name)
	}
	return true, ""
}

// Runs says how weights in a format (the names of model.Format: bf16, fp16, fp8,
// int8, int4, awq, gptq, mxfp4, nvfp4, gguf) run on the chip, and why not natively.
func (c Chip) Runs(format string) (How, string) {
	format = strings.ToLower(format)
	if format == "" {
		format = "bf16"
	}
	if ok, why := c.Served(); !ok {
		return Refused, why
	}
	switch how := c.how(format); {
	case how == Unpacked:
		return how, fmt.Sprintf("%s multiplies %s only after unpacking it to 16 bits: it saves memory, not arithmetic", c.Name, format)
	case how == Native:
		return how, ""
	case format == "bf16":
		return how, fmt.Sprintf("%s has no bf16: serve in fp16 (--dtype half)", c.Name)
	case format == "int8" && c.Capability >= blackwell:
		return how, fmt.Sprintf("vLLM has no int8 kernels for %s (%s): take fp8", c.Name, c.Architecture)
	}
	return Refused, fmt.Sprintf("no serving engine runs %s on %s (%s %s)", format, c.Name, c.Vendor, c.Architecture)
}

func (c Chip) how(format string) How {
	native, unpacks := c.kernels(format)
	switch {
	case native:
		return Native
	case unpacks:
		return Unpacked
	}
	return Refused
}

// kernels says whether engines have some for the format on the chip. Source: vLLM's
// documentation, Quantization (supported hardware, INT4 W4A16, INT8 W8A8),
// https://docs.vllm.ai/en/latest/features/quantization/, read 2026-11-30.
func (c Chip) kernels(format string) (native, unpacks bool) {
	cuda, amd := c.Vendor == "NVIDIA", c.Vendor == "AMD"
	switch format {
	case "bf16":
		return c.BF16 > 0, false
	case "fp16":
		return true, false
	case "fp8":
		return c.FP8 > 0, c.Capability >= ampere
	case "int8":
		return c.INT8 > 0 && !amd && c.Capability < blackwell, false
	case "awq", "gptq":
		return false, c.Capability >= turing
	case "gguf": // its kernels stand in vllm-gguf-plugin since vLLM 0.24
		return false, c.Capability >= turing || amd
	case "int4":
		return false, c.Capability >= ampere || amd
	case "mxfp4":
		return c.FP4 > 0, c.Capability >= ampere || amd
	case "nvfp4":
		return cuda && c.FP4 > 0, c.Capability >= ampere
	}
	return false, false
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
