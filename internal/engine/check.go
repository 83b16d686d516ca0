package engine

import (
	"fmt"

	"assay/internal/facts"
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
	case len(c.Model.Layers) == 0 || c.Model.KVHeads() <= 0:
		return fmt.Errorf("the engine has no model: give a model.Arch with layers and heads")
	case c.Chip.Bandwidth <= 0 || c.Chip.BF16 <= 0:
		return fmt.Errorf("the engine has no chip: give a facts.Chip with bandwidth and FLOP/s")
	case c.TP < 1 || c.Model.Heads()%c.TP != 0:
		return fmt.Errorf("tensor parallel %d does not divide the %d attention heads of %s", c.TP, c.Model.Heads(), c.Model.Name)
	case c.MaxNumSeqs < 1 || c.MaxBatchedTokens < 1 || c.BlockSize < 1:
		return fmt.Errorf("max_num_seqs %d, max_num_batched_tokens %d and block_size %d must be at least 1", c.MaxNumSeqs, c.MaxBatchedTokens, c.BlockSize)
	case c.KVBlocks < 2:
		return fmt.Errorf("%s needs %.1f GiB for its weights, and %d x %s leave no room for a KV cache at a utilization of %.2f: use more or larger GPUs, or smaller weights",
			c.Model.Name, float64(c.Model.WeightBytes(c.Format))/facts.GiB, c.TP, c.Chip.Name, c.MemoryUtilization)
	case c.MaxModelLen < 2:
		return fmt.Errorf("max_model_len %d leaves no room for a prompt and an output: give at least 2", c.MaxModelLen)
	case blocksFor(c.MaxModelLen, c.BlockSize) > c.KVBlocks-1:
		return fmt.Errorf("to serve at least one request with the model's max seq len (%d), %d KV blocks are needed, and there are %d usable: lower max_model_len to %d, or give more KV cache",
			c.MaxModelLen, blocksFor(c.MaxModelLen, c.BlockSize), c.KVBlocks-1, (c.KVBlocks-1)*c.BlockSize)
	case c.NoChunkedPrefill && c.MaxBatchedTokens < c.MaxModelLen:
		return fmt.Errorf("without chunked prefill max_num_batched_tokens (%d) must be at least max_model_len (%d)", c.MaxBatchedTokens, c.MaxModelLen)
	case c.MaxModelLen > c.Model.Context && c.Model.Context > 0:
		return fmt.Errorf("max_model_len %d is more than the %d tokens that %s can attend to: lower it", c.MaxModelLen, c.Model.Context, c.Model.Name)
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
		{"bandwidth efficiency", c.BandwidthEfficiency, 1},
		{"compute efficiency", c.ComputeEfficiency, 1},
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

func blocksFor(tokens, blockSize int) int { return (tokens + blockSize - 1) / blockSize }

// blocksThatFit is the number of KV blocks in the memory that weights and
// activations leave; it can be negative.
func (c Config) blocksThatFit() int {
	gpus := float64(c.TP)
	free := gpus*(float64(c.Chip.Usable)*c.MemoryUtilization-activationReserve) - float64(c.Model.WeightBytes(c.Format))
	block := c.kvBytesPerToken() * float64(c.BlockSize)
	return int(free / block)
}

// kvBytesPerToken is over all GPUs: where there are more of them than KV heads
// each head is kept on several.
func (c Config) kvBytesPerToken() float64 {
	copies := max(1, float64(c.TP)/float64(c.Model.KVHeads()))
	return float64(c.Model.KVBytesPerToken(c.KVWidth)) * copies
}
