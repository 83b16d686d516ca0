package engine

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"assay/internal/facts"
	"assay/internal/model"
)

// Policy is the order in which waiting requests are admitted.
type Policy int

// Policies, as vLLM's --scheduling-policy.
const (
	FCFS     Policy = iota
	Priority        // smaller Request.Priority first, then by arrival
)

// Defaults of vLLM 0.32, and where they come from.
const (
	DefaultBlockSize         = 16   // vllm/config/cache.py
	DefaultMemoryUtilization = 0.92 // --gpu-memory-utilization

	// vllm/engine/arg_utils.py: of an API server, by GPU memory; A100 counts as small.
	largeGPU                   = 70 * facts.GiB
	defaultBatchedTokensLarge  = 8192
	defaultBatchedTokensSmall  = 2048
	defaultMaxNumSeqsLarge     = 1024
	defaultMaxNumSeqsSmall     = 256
	activationReserve          = 1.5 * facts.GiB // of one GPU: activations, CUDA graphs, NCCL; an estimate
	defaultJitter              = 0.03            // σ; an assumption
	DefaultEOSProbability      = 1.0 / 400       // of each token, where a request does not ignore EOS; an assumption
	defaultWeightWidth         = 2.0             // BF16
	defaultKVWidth             = 2.0             // --kv-cache-dtype auto: the model's
	DefaultBandwidthEfficiency = 0.80            // of datasheet bandwidth, decode GEMMs and attention; an estimate
	DefaultComputeEfficiency   = 0.55            // of datasheet FLOP/s, prefill of thousands of tokens; an estimate
)

// Config is an engine: a model on hardware under limits. Zero values take
// vLLM's defaults unless said otherwise.
type Config struct {
	Model model.Arch
	Chip  facts.Chip
	TP    int // tensor parallel; 0: 1

	WeightWidth float64 // bytes of one weight; 0: 2 (BF16)
	KVWidth     float64 // bytes of one KV element; 0: 2

	MaxNumSeqs       int
	MaxBatchedTokens int // the token budget of one step
	MaxModelLen      int // 0: the model's context, cut to what the KV cache holds

	BlockSize         int
	KVBlocks          int // 0: what memory leaves; one of them is the null block
	MemoryUtilization float64

	LongPrefillThreshold int // most tokens of one prefill in a step, unless it is alone; 0: no limit
	NoChunkedPrefill     bool
	NoPrefixCache        bool
	Policy               Policy

	MaxQueuedRequests int // waiting and running, --max-num-queued-reqs; 0: no limit
	MaxQueuedTokens   int // nothing is taken while as many prompt tokens wait for their first output, --max-num-queued-tokens; 0: no limit

	EOSProbability float64 // of each token; 0: never

	BandwidthEfficiency float64
	ComputeEfficiency   float64
	BandwidthScale      float64 // of a slowed or sped-up chip; 0: 1
	ComputeScale        float64 // such as a throttled clock; 0: 1
	Overheads           Overheads
	Jitter              float64 // σ of a step's lognormal noise; 0: none
	Seed                uint64
}

// Overheads is time that neither bandwidth nor compute explains: the host's
// work, kernel launches, the API server.
type Overheads struct {
	Step     time.Duration // of each step: scheduling, sampling
	Layer    time.Duration // of each layer in each step: launches, synchronisation
	Sequence time.Duration // of each request in a step
	Request  time.Duration // of each request before the scheduler sees it: HTTP, tokenizer, IPC
}

// DefaultOverheads are those that BLIS fitted to H100 runs of vLLM
// (github.com/inference-sim/inference-sim, trained-physics coefficients b7, b5,
// b6 and a0; read 2026-08).
var DefaultOverheads = Overheads{
	Step:     126 * time.Microsecond,
	Layer:    32 * time.Microsecond,
	Sequence: 4 * time.Microsecond,
	Request:  15600 * time.Microsecond,
}

// Preset is a model on a GPU ("H100", "4xH100") with vLLM's defaults and the
// default overheads. The error of an unknown name lists the known ones. Whether
// the model fits is for Check and New to say, when all else is set.
func Preset(gpu, modelName string) (Config, error) {
	count, name := 1, gpu
	if n, rest, ok := strings.Cut(strings.ToLower(gpu), "x"); ok {
		if k, err := strconv.Atoi(strings.TrimSpace(n)); err == nil {
			count, name = k, strings.TrimSpace(rest)
		}
	}
	chip, err := facts.ChipNamed(name)
	if err != nil {
		return Config{}, err
	}
	arch, err := model.Named(modelName)
	if err != nil {
		return Config{}, err
	}
	cfg := Config{Model: arch, Chip: chip, TP: count, EOSProbability: DefaultEOSProbability, Overheads: DefaultOverheads, Jitter: defaultJitter}
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

func or[T comparable](v, fallback T) T {
	var zero T
	if v == zero {
		return fallback
	}
	return v
}

// resolved fills what was left at zero.
func (c Config) resolved() Config {
	c.TP = or(c.TP, 1)
	c.WeightWidth = or(c.WeightWidth, defaultWeightWidth)
	c.KVWidth = or(c.KVWidth, defaultKVWidth)
	seqs, budget := defaultMaxNumSeqsSmall, defaultBatchedTokensSmall
	if c.Chip.Usable >= largeGPU && !strings.HasPrefix(c.Chip.Name, "A100") {
		seqs, budget = defaultMaxNumSeqsLarge, defaultBatchedTokensLarge
	}
	c.MaxNumSeqs = or(c.MaxNumSeqs, seqs)
	c.MaxBatchedTokens = or(c.MaxBatchedTokens, budget)
	c.BlockSize = or(c.BlockSize, DefaultBlockSize)
	c.MemoryUtilization = or(c.MemoryUtilization, DefaultMemoryUtilization)
	c.BandwidthEfficiency = or(c.BandwidthEfficiency, DefaultBandwidthEfficiency)
	c.ComputeEfficiency = or(c.ComputeEfficiency, DefaultComputeEfficiency)
	c.BandwidthScale = or(c.BandwidthScale, 1)
	c.ComputeScale = or(c.ComputeScale, 1)
	if c.KVBlocks == 0 {
		c.KVBlocks = c.blocksThatFit()
	}
	if c.MaxModelLen == 0 {
		c.MaxModelLen = min(c.Model.Context, max(c.KVBlocks-1, 0)*c.BlockSize)
	}
	return c
}

// blocksThatFit is the number of KV blocks in the memory that weights and
// activations leave; it can be negative.
func (c Config) blocksThatFit() int {
	gpus := float64(c.TP)
	free := gpus*(float64(c.Chip.Usable)*c.MemoryUtilization-activationReserve) - float64(c.Model.WeightBytes(c.WeightWidth))
	block := c.kvBytesPerToken() * float64(c.BlockSize)
	return int(free / block)
}

// kvBytesPerToken is over all GPUs: where there are more of them than KV heads
// each head is kept on several.
func (c Config) kvBytesPerToken() float64 {
	copies := max(1, float64(c.TP)/float64(c.Model.KVHeads))
	return float64(c.Model.KVBytesPerToken(c.KVWidth)) * copies
}

// Resolved is the configuration with every default filled in.
func (c Config) Resolved() Config { return c.resolved() }

// Check says whether an engine can start with this configuration, in vLLM's
// terms: the weights fit, and the KV cache holds one request of MaxModelLen.
func (c Config) Check() error {
	c = c.resolved()
	switch {
	case c.Model.Layers <= 0 || c.Model.KVHeads <= 0:
		return fmt.Errorf("the engine has no model: give a model.Arch with layers and heads")
	case c.Chip.Bandwidth <= 0 || c.Chip.BF16 <= 0:
		return fmt.Errorf("the engine has no chip: give a facts.Chip with bandwidth and FLOP/s")
	case c.TP < 1 || c.Model.Heads%c.TP != 0:
		return fmt.Errorf("tensor parallel %d does not divide the %d attention heads of %s", c.TP, c.Model.Heads, c.Model.Name)
	case c.MaxNumSeqs < 1 || c.MaxBatchedTokens < 1 || c.BlockSize < 1:
		return fmt.Errorf("max_num_seqs %d, max_num_batched_tokens %d and block_size %d must be at least 1", c.MaxNumSeqs, c.MaxBatchedTokens, c.BlockSize)
	case c.KVBlocks < 2:
		return fmt.Errorf("%s needs %.1f GiB for its weights, and %d x %s leave no room for a KV cache at a utilization of %.2f: use more or larger GPUs, or smaller weights",
			c.Model.Name, float64(c.Model.WeightBytes(c.WeightWidth))/facts.GiB, c.TP, c.Chip.Name, c.MemoryUtilization)
	case c.MaxModelLen < 2:
		return fmt.Errorf("max_model_len %d leaves no room for a prompt and an output: give at least 2", c.MaxModelLen)
	case blocksFor(c.MaxModelLen, c.BlockSize) > c.KVBlocks-1:
		return fmt.Errorf("to serve at least one request with the model's max seq len (%d), %d KV blocks are needed, and there are %d usable: lower max_model_len to %d, or give more KV cache",
			c.MaxModelLen, blocksFor(c.MaxModelLen, c.BlockSize), c.KVBlocks-1, (c.KVBlocks-1)*c.BlockSize)
	case c.NoChunkedPrefill && c.MaxBatchedTokens < c.MaxModelLen:
		return fmt.Errorf("without chunked prefill max_num_batched_tokens (%d) must be at least max_model_len (%d)", c.MaxBatchedTokens, c.MaxModelLen)
	case c.EOSProbability < 0 || c.EOSProbability > 1:
		return fmt.Errorf("EOS probability %g is not between 0 and 1", c.EOSProbability)
	case c.Jitter < 0 || c.Jitter > 2:
		return fmt.Errorf("jitter %g is not between 0 and 2", c.Jitter)
	}
	return nil
}

func blocksFor(tokens, blockSize int) int { return (tokens + blockSize - 1) / blockSize }

// Describe names the hardware and the limits in one line.
func (c Config) Describe() string {
	c = c.resolved()
	return fmt.Sprintf("%s on %dx %s, simulated: max_num_seqs %d, max_num_batched_tokens %d, max_model_len %d, %d KV blocks of %d",
		c.Model.Name, c.TP, c.Chip.Name, c.MaxNumSeqs, c.MaxBatchedTokens, c.MaxModelLen, c.KVBlocks, c.BlockSize)
}
