package engine

import (
	"fmt"

	"assay/internal/memory"
)

// memory is the configuration as its account of memory sees it.
func (c Config) memory() memory.Config {
	return memory.Config{
		Model: c.Model, Format: c.Format, KV: memory.KVWidth(c.KVWidth), Chip: c.Chip, TP: c.TP, DP: c.DP, EP: c.EP,
		MaxModelLen: c.MaxModelLen, AutoModelLen: c.MaxModelLen == 0,
		MaxNumSeqs: c.MaxNumSeqs, MaxBatchedTokens: c.MaxBatchedTokens, BlockSize: c.BlockSize,
		NoChunkedPrefill: c.NoChunkedPrefill, NoPrefixCache: c.NoPrefixCache, Utilization: c.MemoryUtilization,
	}
}

// fill takes from the account of memory what was left at zero: blocks, lengths,
// limits. What does not fit leaves KVBlocks at 0; checkMemory says why.
func (c *Config) fill() {
	m := c.memory()
	c.MemoryUtilization = m.Resolved().Utilization
	if c.KVBlocks == 0 {
		account, err := memory.Of(m)
		if err != nil {
			return
		}
		c.KVBlocks, m = account.Blocks, account.Config
	}
	cache, err := memory.CacheOf(m)
	if err != nil {
		return
	}
	if m.AutoModelLen {
		m.MaxModelLen, m.AutoModelLen = cache.Longest(c.KVBlocks-1, m.Resolved().MaxModelLen), false
	}
	m = m.Resolved()
	c.cache, c.BlockSize, c.MaxModelLen = cache, cache.BlockSize, m.MaxModelLen
	c.MaxNumSeqs, c.MaxBatchedTokens, c.MemoryUtilization = m.MaxNumSeqs, m.MaxBatchedTokens, m.Utilization
	c.NoPrefixCache = c.NoPrefixCache || !cache.HasMain() // what keeps no token for good has no prefix to share
}

// checkMemory refuses what vLLM refuses when it has counted its blocks. It takes a
// resolved Config.
func (c Config) checkMemory() error {
	m := c.memory()
	if c.KVBlocks == 0 {
		_, err := memory.Of(m)
		return err
	}
	if _, err := memory.CacheOf(m); err != nil {
		return err
	}
	if most := c.cache.MostBlocks(c.MaxModelLen); most > c.KVBlocks-1 {
		return fmt.Errorf("to serve at least one request with the model's max seq len (%d), %d KV blocks are needed, and there are %d usable: lower max_model_len to %d, or give more KV cache",
			c.MaxModelLen, most, c.KVBlocks-1, c.cache.Longest(c.KVBlocks-1, c.MaxModelLen))
	}
	return nil
}

// KVTokens is the tokens that the KV cache holds: of requests of MaxModelLen where
// a request's blocks do not grow with its tokens alone. It takes a resolved Config.
func (c Config) KVTokens() int {
	if c.cache.Plain() || c.MaxModelLen == 0 {
		return (c.KVBlocks - 1) * c.BlockSize
	}
	return int(float64(c.KVBlocks-1) / float64(c.cache.MostBlocks(c.MaxModelLen)) * float64(c.MaxModelLen))
}
