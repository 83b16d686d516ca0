package memory

// Cache is the KV cache of one rank in blocks: how many a request needs, and
// what one takes.
type Cache struct {
	BlockBytes int64 // of one block in all layers of a group, the largest group's
	BlockSize  int   // tokens in a block of attention; of a model without, MaxModelLen

	groups   []group
	inFlight int // tokens that are scheduled and not settled
	states   int // blocks of state that a request holds
	maxLen   int
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
		return c.states
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

// Blocks is what a request holds once tokens of it have blocks, of which
// settled are computed: main in the groups that keep every token, each in as
// many groups as Cache.Main says, and rest in the others together.
func (c Cache) Blocks(tokens, settled int) (main, rest int) {
	for _, g := range c.groups {
		switch g.keeps {
		case keepsAll:
			main = ceilInt(tokens, g.block)
		default:
			rest += held(g.spec, tokens, settled, c.states)
		}
	}
	return main, rest
}

// held is what a request holds of a group that does not keep every token: what
// lies wholly before its window is given back.
func held(s spec, tokens, settled, states int) int {
	switch s.keeps {
	case keepsWindow:
		return ceilInt(tokens, s.block) - max(0, settled-s.window+1)/s.block
	case keepsChunk:
		return ceilInt(tokens, s.block) - settled/s.window*s.window/s.block
	case keepsState:
		return states
	case keepsEncoder:
		return ceilInt(s.window, s.block)
	}
	return ceilInt(tokens, s.block)
}

// Main is the number of groups that keep every token.
func (c Cache) Main() int {
	n := 0
	for _, g := range c.groups {
		if g.keeps == keepsAll {
			n++
		}
	}
	return n
}

// Groups is the number of tables of blocks that a request has.
func (c Cache) Groups() int { return len(c.groups) }

// longest is the largest length of a request that so many blocks hold, at most most.
func (c Cache) longest(blocks, most int) int {
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
