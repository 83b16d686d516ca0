package engine

import (
	"fmt"

	"assay/internal/model"
)

// Check says whether an engine can start with this configuration, in vLLM's
// terms: the weights fit, and the KV cache holds one request of MaxModelLen.
func (c Config) Check() error {
	c = c.resolved()
	if err := c.checkFactors(); err != nil {
		return err
	}
	switch {
	case len(c.Model.Layers) == 0:
		return fmt.Errorf("the engine has no model: give a model.Arch with layers")
	case c.Chip.Bandwidth <= 0 || c.Chip.BF16 <= 0:
		return fmt.Errorf("the engine has no chip: give a facts.Chip with bandwidth and FLOP/s")
	case c.DP < 0 || c.EP < 0:
		return fmt.Errorf("data parallel %d and expert parallel %d must be at least 1", c.DP, c.EP)
	case c.TP < 0 || c.MaxNumSeqs < 0 || c.MaxBatchedTokens < 0 || c.BlockSize < 0:
		return fmt.Errorf("tensor parallel %d, max_num_seqs %d, max_num_batched_tokens %d and block_size %d must be at least 1", c.TP, c.MaxNumSeqs, c.MaxBatchedTokens, c.BlockSize)
	}
	if err := c.checkMemory(); err != nil {
		return err
	}
	switch {
	case c.NoChunkedPrefill && c.MaxBatchedTokens < c.MaxModelLen:
		return fmt.Errorf("without chunked prefill max_num_batched_tokens (%d) must be at least max_model_len (%d)", c.MaxBatchedTokens, c.MaxModelLen)
	case c.LongPrefillThreshold < 0 || c.MaxQueuedRequests < 0 || c.MaxQueuedTokens < 0:
		return fmt.Errorf("long_prefill_token_threshold %d, max_num_queued_reqs %d and max_num_queued_tokens %d must not be negative", c.LongPrefillThreshold, c.MaxQueuedRequests, c.MaxQueuedTokens)
	case !(c.EOSProbability >= 0 && c.EOSProbability <= 1):
		return fmt.Errorf("EOS probability %g is not between 0 and 1", c.EOSProbability)
	case !(c.Jitter >= 0 && c.Jitter <= 2):
		return fmt.Errorf("jitter %g is not between 0 and 2", c.Jitter)
	}
	return nil
}

// checkFactors refuses what would make the memory or the time of a step
// meaningless.
func (c Config) checkFactors() error {
	for _, f := range []struct {
		name  string
		value float64
		most  float64
	}{
		{"weight width (bytes)", c.Format.Width(model.Dense), 8},
		{"KV width (bytes)", c.KVWidth, 8},
		{"gpu_memory_utilization", c.MemoryUtilization, 1},
		{"share of bandwidth for weights", c.Coefficients.Read, 1},
		{"share of bandwidth for experts", c.Coefficients.ExpertRead, 1},
		{"share of bandwidth for keys and values", c.Coefficients.KVRead, 1},
		{"share of compute in decode", c.Coefficients.Decode, 1},
		{"share of compute for prompts", c.Coefficients.Prefill, 1},
		{"share of the link", c.Coefficients.Link, 1},
		{"bandwidth scale", c.BandwidthScale, maxScale},
		{"compute scale", c.ComputeScale, maxScale},
		{"link scale", c.LinkScale, maxScale},
	} {
		if !(f.value > 0 && f.value <= f.most) {
			return fmt.Errorf("%s %g is not above 0 and at most %g", f.name, f.value, f.most)
		}
	}
	o := c.Overheads
	if o.Step < 0 || o.Layer < 0 || o.Sequence < 0 || o.Request < 0 {
		return fmt.Errorf("overheads %+v must not be negative", o)
	}
	if err := c.Throttle.check(); err != nil {
		return err
	}
	return c.Frontend.check()
}

// maxScale bounds how far a chip may be sped up.
const maxScale = 1e6
