package memory

import (
	"assay/internal/model"
)

// keeps is what of a request's tokens a layer's cache holds.
type keeps int

const (
	keepsAll     keeps = iota // full and latent attention
	keepsWindow               // sliding window
	keepsChunk                // chunked local attention
	keepsState                // linear attention, Mamba
	keepsEncoder              // cross attention
)

// spec is the cache of one layer on one rank, as vLLM's KVCacheSpec describes it
// (v1/kv_cache_interface.py). Equal specs may share a group.
type spec struct {
	keeps  keeps
	window int   // tokens: of keepsWindow, keepsChunk, keepsEncoder
	token  int64 // bytes of one token; of keepsState: of the whole state
	block  int   // tokens in a block
	padded int64 // bytes of a page after padding; 0: not padded
	states int   // of keepsState: blocks that a request holds
}

// page is the bytes of one block in one layer.
func (s spec) page() int64 {
	if s.padded > 0 {
		return s.padded
	}
	if s.keeps == keepsState {
		return s.token
	}
	return s.token * int64(s.block)
}

// sameType says whether two layers always need the same number of blocks, so
// that one group can hold both whatever their pages.
func (s spec) sameType(o spec) bool {
	if s.keeps != o.keeps || s.block != o.block {
		return false
	}
	switch s.keeps {
	case keepsWindow, keepsChunk, keepsEncoder:
		return s.window == o.window
	case keepsState:
		return s.page() == o.page() && s.states == o.states
	}
	return true
}

// headsOnRank is how many KV heads a rank holds: where there are fewer heads
// than ranks, each head lies on several.
func headsOnRank(heads, tp int) int { return max(1, heads/tp) }

// specs are the caches of the model's layers, in order; each says its layer.
// A layer with attention and state has two, one that shares keys and values none.
func (c Config) specs() []layerSpec {
	block := c.BlockSize
	list := make([]layerSpec, 0, len(c.Model.Layers))
	for i, l := range c.Model.Layers {
		if s, ok := c.attention(l.Attention, block); ok {
			list = append(list, layerSpec{i, s})
		}
		if n := l.Attention.Indexer.CacheBytes; n > 0 && l.Attention.Kind != model.NoAttention {
			list = append(list, layerSpec{i, spec{keeps: keepsAll, token: int64(n), block: block}})
		}
		if n := c.stateBytes(l.State); n > 0 {
			list = append(list, layerSpec{i, spec{keeps: keepsState, token: n, block: c.MaxModelLen, states: c.states(l.State.Kind)}})
		}
	}
	return list
}

type layerSpec struct {
	layer int
	spec
}

func (c Config) attention(t model.Attention, block int) (spec, bool) {
	if t.Kind == model.NoAttention || t.Shared {
		return spec{}, false
	}
	s := spec{token: c.KV.token(t, headsOnRank(t.KVHeads, c.TP)), block: block}
	switch t.Kind {
	case model.Sliding:
		s.keeps, s.window = keepsWindow, t.Window
	case model.Chunked:
		s.keeps, s.window = keepsChunk, t.Window
	case model.Cross:
		s.keeps, s.window = keepsEncoder, t.Window
	}
	return s, s.token > 0
}

// stateBytes is the recurrent state of one request in one layer on one rank.
func (c Config) stateBytes(s model.State) int64 {
	width := int64(2)
	if s.RecurrentF32 {
		width = 4
	}
	return (s.Conv*2 + s.Recurrent*width) / int64(c.TP)
}

// alignHybrid makes the blocks of attention so long that a page of them holds a
// recurrent state, and pads the state to that page (platforms/interface.py,
// _align_hybrid_block_size).
func (c Config) alignHybrid(list []layerSpec) {
	state, token, latent := int64(0), int64(0), false
	for _, s := range list {
		if s.keeps == keepsState {
			state = max(state, s.token)
		} else if token == 0 {
			token = s.token
			latent = c.Model.Layers[s.layer].Attention.Kind == model.Latent
		}
	}
	if state == 0 || token == 0 {
		return
	}
	align := int64(c.BlockSize)
	if latent {
		align = max(align, 128) // kernels of MLA want whole 128 tokens
	}
	block := int(align * ceil(state, align*token))
	block = max(block, c.BlockSize)
	for i := range list {
		s := &list[i].spec
		if s.keeps != keepsState {
			s.block = block
			continue
		}
		s.padded = int64(block) * token
		if c.Engine.alignsState() {
			s.block = block
		}
	}
}

func ceil(a, b int64) int64 { return (a + b - 1) / b }
