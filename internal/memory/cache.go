package memory

// Cache is the KV cache of one rank in blocks: how many a request needs, and
// what one takes. A request has a table of blocks for each group of layers.
type Cache struct {
	BlockBytes int64 // of one block in all layers of a group, the largest group's
	BlockSize  int   // tokens in a block of that group; without one, of attention or of a state

	groups   []group
	main     int // the first group that keeps every token; -1: none
	inFlight int // tokens that are scheduled and not settled
}

// blocksAtMost is the most blocks of one group that a request of n tokens holds
// at any time, the margin that vLLM reserves included.
func (c Cache) blocksAtMost(s spec, n int) int {
	switch s.keeps {
	case keepsWindow:
		return ceilInt(min(s.window-1+c.inFlight, n), s.block) + 1
	case keepsChunk:
		return ceilInt(min(s.window+c.inFlight, n), s.block)
	case keepsState:
		return s.states
	case keepsEncoder:
		return ceilInt(s.window, s.block)
	}
	return ceilInt(n, s.block)
}

// MostBlocks is the number of blocks that vLLM counts for a request of n tokens
// when it starts, over all groups.
func (c Cache) MostBlocks(n int) int {
	total := 0
	for _, g := range c.groups {
		total += c.blocksAtMost(g.spec, n)
	}
	return total
}

// Main is the blocks of a request of that many tokens in the first group that
// keeps every token; 0 where there is none.
func (c Cache) Main(tokens int) int {
	if !c.HasMain() {
		return 0
	}
	return ceilInt(tokens, c.BlockSize)
}

// Rest is the blocks that a request holds in all other groups once so many of
// its tokens have blocks, of which settled are computed.
func (c Cache) Rest(tokens, settled int) int {
	n := 0
	for i, g := range c.groups {
		if i != c.main {
			n += held(g.spec, tokens, settled)
		}
	}
	return n
}

// RestAtMost is what vLLM sets aside of the other groups when it admits a request
// of that many tokens.
func (c Cache) RestAtMost(tokens int) int {
	n := 0
	for i, g := range c.groups {
		if i != c.main {
			n += c.blocksAtMost(g.spec, tokens)
		}
	}
	return n
}

// HasMain says whether some group keeps every token.
func (c Cache) HasMain() bool { return c.main >= 0 }

// Plain says whether there is one group, and it keeps every token.
func (c Cache) Plain() bool { return len(c.groups) == 1 && c.HasMain() }

// held is what a request holds of a group that does not keep every token: what
// lies wholly before its window is given back.
func held(s spec, tokens, settled int) int {
	switch s.keeps {
	case keepsWindow:
		return ceilInt(tokens, s.block) - max(0, settled-s.window+1)/s.block
	case keepsChunk:
		return ceilInt(tokens, s.block) - settled/s.window*s.window/s.block
	case keepsState:
		return s.states
	case keepsEncoder:
		return ceilInt(s.window, s.block)
	}
	return ceilInt(tokens, s.block)
}

// Groups is the number of tables of blocks that a request has.
func (c Cache) Groups() int { return len(c.groups) }

// Longest is the largest length of a request that so many blocks hold, at most most.
func (c Cache) Longest(blocks, most int) int {
	low, high := 0, most
	for low < high {
		mid := (low + high + 1) / 2
		if c.MostBlocks(mid) <= blocks {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return low
}

func ceilInt(a, b int) int { return (a + b - 1) / b }
