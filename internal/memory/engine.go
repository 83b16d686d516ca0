package memory

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/facts"
)

// Engine is a serving engine in a version: how it divides a GPU's memory, and
// its defaults. The zero Engine is the newest vLLM known.
type Engine struct {
	Name         string // vllm, sglang, trtllm
	Major, Minor int    // of its version
}

// newest are the versions whose source was read.
var newest = map[string]Engine{
	"vllm":   {"vllm", 0, 32},
	"sglang": {"sglang", 0, 5},
	"trtllm": {"trtllm", 1, 0},
}

// Newer says whether an engine is of a version later than any whose source was read,
// and which that is: its defaults are taken to be the same.
func (e Engine) Newer() (Engine, bool) {
	known, ok := newest[e.Name]
	return known, ok && (e.Major > known.Major || e.Major == known.Major && e.Minor > known.Minor)
}

// engineAliases are other names of the same engines.
var engineAliases = map[string]string{"tensorrt-llm": "trtllm", "tensorrt_llm": "trtllm", "trt-llm": "trtllm"}

// oldestVLLM is the first version with the V1 engine alone: what came before
// divided memory in another way.
const oldestVLLM = 8

// EngineNamed reads a name and a version: vllm, vllm@0.32, vllm@0.32.1, sglang@0.5.
// Without a version it is the newest known.
func EngineNamed(ref string) (Engine, error) {
	name, version, at := strings.Cut(strings.ToLower(strings.TrimSpace(ref)), "@")
	if at && (name == "" || version == "") {
		return Engine{}, fmt.Errorf("engine %q says no name or no version: write it as in vllm@0.32", ref)
	}
	if alias, ok := engineAliases[name]; ok {
		name = alias
	}
	if name == "" {
		name = "vllm"
	}
	e, ok := newest[name]
	if !ok {
		return Engine{}, fmt.Errorf("unknown engine %q: known are vllm, sglang and trtllm, each with a version such as vllm@0.32", ref)
	}
	if version == "" {
		return e, nil
	}
	parts := strings.Split(strings.TrimPrefix(version, "v"), ".")
	var err error
	if e.Major, err = strconv.Atoi(parts[0]); err == nil && len(parts) > 1 {
		e.Minor, err = strconv.Atoi(parts[1])
	}
	if err != nil || len(parts) < 2 || e.Major < 0 || e.Minor < 0 {
		return Engine{}, fmt.Errorf("version %q of %s is none: write it as in %s@%d.%d", version, name, name, newest[name].Major, newest[name].Minor)
	}
	if name == "vllm" && e.Major == 0 && e.Minor < oldestVLLM {
		return Engine{}, fmt.Errorf("vllm@%d.%d is older than 0.%d, with which the V1 engine came: its memory is not known here", e.Major, e.Minor, oldestVLLM)
	}
	return e, nil
}

func (e Engine) String() string { return fmt.Sprintf("%s@%d.%d", e.Name, e.Major, e.Minor) }

// since says whether a vLLM is of that version of 0.x or newer.
func (e Engine) since(minor int) bool { return e.Major > 0 || e.Minor >= minor }

// Utilization is the share of a GPU's usable memory that the engine takes:
// vLLM's gpu_memory_utilization, SGLang's mem_fraction_static, TensorRT-LLM's
// free_gpu_memory_fraction, each by default.
func (e Engine) Utilization() float64 {
	switch e.Name {
	case "sglang":
		return 0.88
	case "trtllm":
		return 0.90
	}
	if e.since(firstHigherUtilization) {
		return 0.92
	}
	return 0.90
}

// Versions of vLLM in which its account of memory changed, each read in the
// sources of the packages that were released.
const (
	firstTritonMXFP4       = 11 // experts in MXFP4 by Triton's kernels on Hopper, Marlin's before
	firstHigherUtilization = 20 // 0.92 rather than 0.90: config/cache.py
	firstGraphEstimate     = 20 // CUDA graphs are estimated and set aside: envs.py
	firstGroupAwareTokens  = 21 // the log's tokens are concurrency × length, for hybrids too: v1/core/kv_cache_utils.py
	firstLeanDense         = 25 // the V2 model runner, which samples without sorted copies of the logits, runs dense models
	firstStateAligned      = 26 // hybrids have a prefix cache by default, and with it two blocks of state: config/model.py
	firstInFlight          = 26 // windows are reserved for all batches in flight, not one: v1/kv_cache_interface.py
	firstLeanAll           = 29 // the V2 model runner runs all models: config/vllm.py
	firstCheckpoint        = 32 // Mamba-2 keeps one more state within a prefill: layers/mamba/mamba_mixer2.py
	firstNullBlockKept     = 29 // one request must fit beside the null block
)

// Limits are the defaults of an API server on that chip: max_num_seqs and
// max_num_batched_tokens (vllm/engine/arg_utils.py, get_batch_defaults). An A100
// counts as small.
func (e Engine) Limits(c facts.Chip) (maxNumSeqs, maxBatchedTokens int) {
	switch e.Name {
	case "sglang": // max_running_requests by memory, at most 4,096; chunked_prefill_size
		if c.Usable >= 60*facts.GiB {
			return 2048, 8192
		}
		return 1024, 2048
	case "trtllm":
		return 2048, 8192
	}
	switch {
	case c.Usable >= 160*facts.GiB:
		return 1024, 16384
	case c.Usable >= 70*facts.GiB && !strings.HasPrefix(c.Name, "A100"):
		return 1024, 8192
	}
	return 256, 2048
}

// alignsState says whether a recurrent state has blocks as long as attention's,
// so that a prefix cache can hold it; a request then holds two of them.
func (e Engine) alignsState() bool { return e.Name == "vllm" && e.since(firstStateAligned) }

// blockSize is the default of tokens in a block.
func (e Engine) blockSize(latent bool) int {
	switch {
	case e.Name == "sglang":
		return 1
	case e.Name == "trtllm":
		return 32
	case latent:
		return 64 // of FlashMLA's kernels
	}
	return 16
}
