package memory

import (
	"fmt"

	"assay/internal/facts"
	"assay/internal/model"
)

// Config is an engine that serves a model over GPUs. Zero values take the
// engine's defaults.
type Config struct {
	Model  model.Arch
	Format model.Format  // of the weights; the zero Format is BF16
	Stored *model.Counts // bytes by part, as the checkpoint's headers say; nil: by Format
	KV     KVFormat
	Chip   facts.Chip

	TP int // tensor parallel, of attention; 0: 1
	PP int // pipeline stages; 0: 1
	DP int // attention's data parallel; each rank has a KV cache of its own; 0: 1
	EP int // ranks over which whole experts are spread, of TP × DP; 0: 1, each expert is divided

	Engine Engine

	MaxModelLen      int  // 0: the model's context
	AutoModelLen     bool // the longest up to MaxModelLen of which one request fits
	MaxNumSeqs       int
	MaxBatchedTokens int
	BlockSize        int // tokens; a hybrid's is raised until a block holds a state
	NoChunkedPrefill bool
	NoPrefixCache    bool
	NoAsync          bool // --no-async-scheduling: one batch in flight, not two

	Utilization float64 // share of the usable memory; 0: the engine's
	KVBytes     int64   // --kv-cache-memory-bytes; 0: what is left
}

// Resolved fills what was left at zero.
func (c Config) Resolved() Config {
	if c.Engine.Name == "" {
		c.Engine = newest["vllm"]
	}
	if c.KV.Name == "" {
		c.KV = kvFormats[0]
	}
	c.TP, c.PP, c.DP, c.EP = max(c.TP, 1), max(c.PP, 1), max(c.DP, 1), max(c.EP, 1)
	if c.MaxModelLen == 0 {
		c.MaxModelLen = c.Model.Context
	}
	if c.BlockSize == 0 {
		c.BlockSize = c.Engine.blockSize(c.latent())
	}
	if c.Utilization == 0 {
		c.Utilization = c.Engine.Utilization()
	}
	seqs, budget := c.Engine.Limits(c.Chip)
	if c.NoChunkedPrefill {
		budget = max(budget, c.MaxModelLen) // a prompt must fit into one step
	}
	if c.MaxNumSeqs > 0 {
		seqs = c.MaxNumSeqs
	}
	if most := int64(seqs) * int64(c.MaxModelLen); most > 0 {
		budget = int(min(int64(budget), most)) // all that can run together
	}
	if c.MaxBatchedTokens == 0 {
		c.MaxBatchedTokens = budget
	}
	if c.MaxNumSeqs == 0 {
		c.MaxNumSeqs = min(seqs, c.MaxBatchedTokens)
	}
	return c
}

func (c Config) latent() bool {
	for _, l := range c.Model.Layers {
		if l.Attention.Kind == model.Latent {
			return true
		}
	}
	return false
}

// check refuses what no engine starts with. It takes a resolved Config.
func (c Config) check() error {
	for _, f := range []struct {
		name  string
		value int
		least int
	}{
		{"tensor parallel", c.TP, 1}, {"pipeline parallel", c.PP, 1}, {"data parallel", c.DP, 1}, {"expert parallel", c.EP, 1},
		{"max_model_len", c.MaxModelLen, 2}, {"max_num_seqs", c.MaxNumSeqs, 1},
		{"max_num_batched_tokens", c.MaxBatchedTokens, 1}, {"block_size", c.BlockSize, 1},
	} {
		if f.value < f.least || f.value > 1<<30 {
			return fmt.Errorf("%s %d is not between %d and %d", f.name, f.value, f.least, 1<<30)
		}
	}
	switch {
	case len(c.Model.Layers) == 0:
		return fmt.Errorf("there is no model: give a model.Arch with layers")
	case !(c.Utilization > 0 && c.Utilization <= 1):
		return fmt.Errorf("gpu_memory_utilization %g is not above 0 and at most 1", c.Utilization)
	case c.KVBytes < 0:
		return fmt.Errorf("kv_cache_memory_bytes %d is negative", c.KVBytes)
	case c.PP > len(c.Model.Layers):
		return fmt.Errorf("%d pipeline stages are more than the %d layers of %s", c.PP, len(c.Model.Layers), c.Model.Name)
	case c.TP*c.DP%c.EP != 0:
		return fmt.Errorf("expert parallel %d does not divide the %d ranks of tensor and data parallel", c.EP, c.TP*c.DP)
	case c.Model.Context > 0 && c.MaxModelLen > c.Model.Context:
		return fmt.Errorf("max_model_len %d is more than the %d tokens that %s can attend to: lower it", c.MaxModelLen, c.Model.Context, c.Model.Name)
	}
	if err := c.checkHeads(); err != nil {
		return err
	}
	return c.KV.Fits(c.Model)
}

func (c Config) checkHeads() error {
	for _, l := range c.Model.Layers {
		t := l.Attention
		switch {
		case t.Kind == model.NoAttention:
		case t.Kind == model.Compressed:
			return &model.UnknownError{What: "KV cache for the attention", Name: "compressed"} // DeepSeek-V4: entries for several tokens
		case t.Heads%c.TP != 0:
			return fmt.Errorf("tensor parallel %d does not divide the %d attention heads of %s", c.TP, t.Heads, c.Model.Name)
		case t.KVHeads < 1:
			return fmt.Errorf("%s has attention with %d KV heads", c.Model.Name, t.KVHeads)
		case t.Kind != model.Latent && t.KVHeads%c.TP != 0 && c.TP%t.KVHeads != 0:
			return fmt.Errorf("tensor parallel %d and the %d KV heads of %s do not divide one another", c.TP, t.KVHeads, c.Model.Name)
		}
	}
	return nil
}
