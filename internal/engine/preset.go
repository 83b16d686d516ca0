package engine

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/facts"
	"assay/internal/model"
)

// Preset is a model on a GPU ("H100", "4xH100") with vLLM's defaults and the
// fitted overheads. The error of an unknown name lists the known ones. Whether
// the model fits is for Check and New to say, when all else is set.
func Preset(gpu, modelName string) (Config, error) {
	count, name := 1, gpu
	if n, rest, ok := strings.Cut(strings.ToLower(gpu), "x"); ok {
		if k, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
			count, name = k, strings.TrimSpace(rest)
		}
	}
	if count < 1 {
		return Config{}, fmt.Errorf("%q is no number of GPUs: give at least one, such as 2x%s", gpu, name)
	}
	chip, err := facts.ChipNamed(name)
	if err != nil {
		return Config{}, err
	}
	if chip.BF16 <= 0 {
		return Config{}, fmt.Errorf("%s has no bf16, in which the engine multiplies: take a later GPU, such as L4", chip.Name)
	}
	arch, err := model.Named(modelName)
	if err != nil {
		return Config{}, err
	}
	k := Fitted().Of("vllm", chip)
	cfg := Config{Model: arch, Format: arch.Format, Chip: chip, TP: count, EOSProbability: defaultEOSProbability, Coefficients: k, Overheads: OverheadsOf(k), Frontend: DefaultFrontend, Jitter: defaultJitter}
	return cfg, nil
}

// Demo is what `assay bench` measures when it is given no target: small and
// quick, with its knee near 30 concurrent requests, where max_num_seqs binds.
func Demo() Config {
	cfg, err := Preset("H100", "llama-3.2-1b")
	if err != nil {
		panic(err) // both names are in the tables
	}
	cfg.MaxNumSeqs = 32
	cfg.MaxModelLen = 8192
	return cfg
}
