package memory

import (
	"fmt"
	"slices"

	"assay/internal/facts"
	"assay/internal/figure"
	"assay/internal/model"
)

// Account is what lies in the memory of one GPU, in bytes: of the pipeline stage
// whose KV cache is the smallest, which limits the others.
type Account struct {
	Usable     int64 // as CUDA reports it, before the utilisation
	Weights    int64
	Activation int64 // peak, an estimate
	Graphs     int64 // CUDA graphs, an estimate; 0 where the engine sets none aside
	Other      int64 // CUDA's libraries, NCCL; an estimate
	KV         int64 // of whole blocks and the rest

	Blocks         int     // one of them is the null block
	BlockSize      int     // tokens in a block of attention
	KVTokens       int     // of one replica, as the engine's log prints it
	MaxConcurrency float64 // requests of MaxModelLen that the blocks hold

	Config  Config // with its defaults resolved
	Cache   Cache
	Figures []figure.Figure
}

// TooSmallError says that a model does not fit: the weights and what the engine
// needs beside them, or one request of the length asked for.
type TooSmallError struct {
	Model, Chip string
	GPUs        int   // that share the model
	Need, Have  int64 // bytes of one GPU
	Weights     int64 // of one GPU
	Length      int   // tokens of the request that finds no room; 0: not even the model does
	MaxModelLen int   // the longest request that would fit; 0: none
}

func (e *TooSmallError) Error() string {
	gib := func(n int64) float64 { return float64(n) / facts.GiB }
	where := fmt.Sprintf("%s on %d x %s", e.Model, e.GPUs, e.Chip)
	if e.Length == 0 {
		return fmt.Sprintf("%s: %.2f GiB of weights and %.2f GiB beside them are more than the %.2f GiB that the engine may take of each GPU: use more or larger GPUs, or smaller weights",
			where, gib(e.Weights), gib(e.Need-e.Weights), gib(e.Have))
	}
	s := fmt.Sprintf("%s: the KV cache of one request of %d tokens needs %.2f GiB of each GPU, and there are %.2f: ", where, e.Length, gib(e.Need), gib(e.Have))
	if e.MaxModelLen > 0 {
		return s + fmt.Sprintf("lower max_model_len to %d, or give more memory", e.MaxModelLen)
	}
	return s + "use more or larger GPUs, or smaller weights"
}

// CacheOf is the KV cache of a configuration as engines group it, without its
// memory: the chip need not be known.
func CacheOf(c Config) (Cache, error) {
	c = c.Resolved()
	if err := c.check(); err != nil {
		return Cache{}, err
	}
	cache, perStage := c.cache()
	cache.BlockBytes = slices.Max(perStage)
	return cache, nil
}

// Of is the account of one GPU. The error is a *TooSmallError where the
// configuration is sound and the memory too small.
func Of(c Config) (Account, error) {
	c = c.Resolved()
	if err := c.check(); err != nil {
		return Account{}, err
	}
	if c.Chip.Usable <= 0 {
		return Account{}, fmt.Errorf("the memory of chip %q is not known", c.Chip.Name)
	}
	cache, perStage := c.cache()
	least := -1
	var out Account
	for i, s := range stages(len(c.Model.Layers), c.PP) {
		a := c.stage(s, perStage[i])
		if least < 0 || a.Blocks < out.Blocks || a.Blocks == out.Blocks && a.Weights > out.Weights {
			least, out = i, a
		}
	}
	cache.BlockBytes = perStage[least]
	out.Cache, out.BlockSize = cache, cache.BlockSize
	if err := out.settle(c); err != nil {
		return Account{}, err
	}
	out.Figures = out.figures()
	return out, nil
}

// stage is the account of a rank of one stage, with blocks of that many bytes.
func (c Config) stage(s stage, block int64) Account {
	activation, graphs, other := c.activation(s), c.graphs(s), c.other()
	a := Account{
		Usable: c.Chip.Usable, Weights: c.weights(s),
		Activation: int64(activation.Mid), Graphs: int64(graphs.Mid), Other: int64(other.Mid),
	}
	a.KV = c.left(a)
	if c.KVBytes > 0 {
		a.KV = c.KVBytes
	}
	if block > 0 {
		a.Blocks = int(max(a.KV, 0) / block)
	}
	return a
}

// left is what an engine gives its KV cache.
func (c Config) left(a Account) int64 {
	budget := int64(float64(a.Usable) * c.Utilization)
	switch c.Engine.Name {
	case "sglang": // static memory is weights and KV cache; the rest lies beyond it
		return budget - a.Weights - a.Other
	case "trtllm": // a share of what is free after all else
		return int64(float64(a.Usable-a.Weights-a.Activation-a.Other) * c.Utilization)
	}
	return budget - a.Weights - a.Activation - a.Graphs - a.Other
}

// cache groups the caches of all layers, and gives the bytes of one block on a
// rank of each stage.
func (c Config) cache() (Cache, []int64) {
	list := c.specs()
	c.alignHybrid(list)
	out := Cache{inFlight: c.inFlight(), main: -1}
	out.groups = groups(list)
	out.main = slices.IndexFunc(out.groups, func(g group) bool { return g.keeps == keepsAll })
	if len(out.groups) > 0 {
		out.BlockSize = out.groups[max(out.main, 0)].block
	}
	perStage := make([]int64, c.PP)
	for i, s := range stages(len(c.Model.Layers), c.PP) {
		for _, g := range out.groups {
			perStage[i] = max(perStage[i], g.pageIn(s.first, s.end))
		}
	}
	return out, perStage
}

// inFlight is the tokens that are scheduled and not yet settled: a batch for each
// step that may be under way, two with asynchronous scheduling.
func (c Config) inFlight() int {
	switch {
	case !c.Engine.since(firstInFlight):
		return c.MaxBatchedTokens
	case c.NoAsync:
		return c.PP * c.MaxBatchedTokens
	}
	return (c.PP + 1) * c.MaxBatchedTokens
}

// states is the blocks of recurrent state that a request holds: with a prefix
// cache one that is written and one that is kept, and one for a checkpoint within
// a prefill where the kernels can write that.
func (c Config) states(kind string) int {
	switch {
	case !c.Engine.alignsState() || c.NoPrefixCache || !c.attends():
		return 1
	case kind == "mamba2" && c.Engine.since(firstCheckpoint):
		return 3
	}
	return 2
}

// attends says whether any layer has attention: models without have no prefix cache.
func (c Config) attends() bool {
	for _, l := range c.Model.Layers {
		if l.Attention.Kind != model.NoAttention {
			return true
		}
	}
	return false
}

// settle finds how many requests the blocks hold, and refuses too few.
func (a *Account) settle(c Config) error {
	small := &TooSmallError{Model: c.Model.Name, Chip: c.Chip.Name, GPUs: c.TP * c.PP * c.DP, Weights: a.Weights}
	if a.KV <= 0 {
		small.Have = int64(float64(a.Usable) * c.Utilization)
		small.Need = small.Have - a.KV
		return small
	}
	if len(a.Cache.groups) == 0 { // nothing is kept of a request
		a.Config = c
		return nil
	}
	usable := a.Blocks
	if c.Engine.Name != "vllm" || c.Engine.since(firstNullBlockKept) {
		usable-- // block 0 is the null block
	}
	if c.AutoModelLen {
		if fit := a.Cache.Longest(usable, c.MaxModelLen); fit < c.MaxModelLen {
			return a.refit(c, fit)
		}
	}
	most := a.Cache.MostBlocks(c.MaxModelLen)
	if most > usable {
		small.Length = c.MaxModelLen
		small.Need, small.Have = int64(most+1)*a.Cache.BlockBytes, a.KV
		small.MaxModelLen = a.Cache.Longest(usable, c.MaxModelLen)
		return small
	}
	a.MaxConcurrency = float64(a.Blocks) / float64(most)
	a.KVTokens = c.logged(*a)
	a.Config = c
	return nil
}

// refit takes the length that fits, as vLLM's --max-model-len auto does: the
// account of memory stays as it was with the length asked for.
func (a *Account) refit(c Config, length int) error {
	if length < 2 {
		return &TooSmallError{Model: c.Model.Name, Chip: c.Chip.Name, GPUs: c.TP * c.PP * c.DP, Weights: a.Weights, Length: 2, Need: int64(a.Cache.MostBlocks(2)+1) * a.Cache.BlockBytes, Have: a.KV}
	}
	c.MaxModelLen, c.AutoModelLen = length, false
	return a.settle(c)
}

// logged is the tokens that vLLM's log prints as the size of the KV cache. Before
// 0.21 it divided the blocks equally over the groups, which is wrong where a
// request does not need as many of each.
func (c Config) logged(a Account) int {
	if c.Engine.Name == "vllm" && !c.Engine.since(firstGroupAwareTokens) {
		shortest := a.Cache.groups[0].block
		for _, g := range a.Cache.groups {
			shortest = min(shortest, g.block)
		}
		return a.Blocks / len(a.Cache.groups) * shortest
	}
	return int(a.MaxConcurrency * float64(c.MaxModelLen))
}
