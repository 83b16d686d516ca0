package engine

import (
	"fmt"
	"time"

	"assay/internal/facts"
	"assay/internal/memory"
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
	defaultJitter         = 0.03      // σ; an assumption
	defaultEOSProbability = 1.0 / 400 // of each token, where a request does not ignore EOS; an assumption
	defaultKVWidth        = 2.0       // --kv-cache-dtype auto: the model's
)

// Config is an engine: a model on hardware under limits. Zero values take
// vLLM's defaults unless said otherwise.
type Config struct {
	Model model.Arch
	Chip  facts.Chip
	TP    int // tensor parallel; 0: 1
	DP    int // attention's data parallel: the engine is one of as many schedulers, whose steps are taken together; 0: 1
	EP    int // ranks over which whole experts are spread; 0: 1

	Format  model.Format // of the weights; the zero Format is BF16
	KVWidth float64      // bytes of one KV element; 0: 2

	MaxNumSeqs       int
	MaxBatchedTokens int // the token budget of one step
	MaxModelLen      int // 0: the model's context, cut to what the KV cache holds

	BlockSize         int // tokens; a hybrid's is raised until a block holds a state
	KVBlocks          int // 0: what memory leaves; one of them is the null block
	MemoryUtilization float64
	cache             memory.Cache // how a request's tokens lie in blocks; of a resolved Config

	LongPrefillThreshold int // most tokens of one prefill in a step, unless it is alone; 0: no limit
	NoChunkedPrefill     bool
	NoPrefixCache        bool
	Policy               Policy

	MaxQueuedRequests int // waiting and running, --max-num-queued-reqs; 0: no limit
	MaxQueuedTokens   int // nothing is taken while as many prompt tokens wait for their first output, --max-num-queued-tokens; 0: no limit

	EOSProbability float64 // of each token; 0: never

	Coefficients   Coefficients // the zero value: those of vLLM on the chip; Overheads stand before their own
	BandwidthScale float64      // of a slowed or sped-up chip; 0: 1
	ComputeScale   float64      // 0: 1
	LinkScale      float64      // of the speed of collectives; 0: 1. A broken NVLink, PCIe without peer access
	Throttle       Throttle
	Frontend       Frontend
	Overheads      Overheads
	Jitter         float64 // σ of a step's lognormal noise; 0: none
	Seed           uint64
}

// Overheads is time that neither bandwidth nor compute explains: the host's
// work, kernel launches, the API server.
type Overheads struct {
	Step     time.Duration // of each step: scheduling, sampling
	Layer    time.Duration // of each layer in each step: launches, synchronisation
	Sequence time.Duration // of each request in a step
	Request  time.Duration // of each request before the scheduler sees it: HTTP, tokenizer, IPC
}

// RequestOverhead is what BLIS fitted to H100 runs of vLLM
// (github.com/inference-sim/inference-sim, trained-physics coefficient a0; read
// 2026-08): of a request before the scheduler sees it.
const RequestOverhead = 15600 * time.Microsecond

// StepOverhead is the host's time in each step of vLLM, as fitted.
func StepOverhead() time.Duration { return OverheadsOf(Fitted().Engines["vllm"]).Step }

// OverheadsOf are the overheads that coefficients hold.
func OverheadsOf(k Coefficients) Overheads {
	of := func(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }
	return Overheads{Step: of(k.Step), Layer: of(k.Layer), Sequence: of(k.Sequence), Request: RequestOverhead}
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
	c.TP, c.DP, c.EP = or(c.TP, 1), or(c.DP, 1), or(c.EP, 1)
	c.KVWidth = or(c.KVWidth, defaultKVWidth)
	if c.Coefficients == (Coefficients{}) {
		c.Coefficients = Fitted().Of("vllm", c.Chip)
	}
	c.BandwidthScale = or(c.BandwidthScale, 1)
	c.ComputeScale = or(c.ComputeScale, 1)
	c.LinkScale = or(c.LinkScale, 1)
	c.fill()
	return c
}

// Resolved fills what was left at zero as New does, and refuses what it refuses.
func (c Config) Resolved() (Config, error) {
	if err := c.Check(); err != nil {
		return c, err
	}
	return c.resolved(), nil
}

// Describe names the hardware and the limits in one line.
func (c Config) Describe() string {
	c = c.resolved()
	return fmt.Sprintf("%s on %dx %s, simulated: max_num_seqs %d, max_num_batched_tokens %d, max_model_len %d, %d KV blocks of %d",
		c.Model.Name, c.TP, c.Chip.Name, c.MaxNumSeqs, c.MaxBatchedTokens, c.MaxModelLen, c.KVBlocks, c.BlockSize)
}
