package trace

// maxBlocks bounds the blocks that are remembered.
const maxBlocks = 16 << 20

// cache is a prefix cache without end.
type cache struct {
	known     map[uint64]struct{}
	full      bool // more blocks than are remembered
	figures   Prefix
	partial   bool // the last block of a prompt may be cut short
	anyBlocks bool
}

// add looks a prompt up and puts it in. Only a prefix can be served: the first
// block that is missing ends it.
func (c *cache) add(row Row) {
	if row.Blocks == nil || row.PromptTokens == nil || c.full {
		return
	}
	if c.known == nil {
		c.known = map[uint64]struct{}{}
	}
	c.anyBlocks = true
	c.partial = c.partial || row.PartialBlock
	scope, hits, leading := scopeOf(row.Scope), 0, true
	for _, id := range row.Blocks {
		key := id ^ scope
		_, known := c.known[key]
		if leading = leading && known; leading {
			hits++
		}
		c.known[key] = struct{}{}
	}
	c.full = len(c.known) > maxBlocks
	f := &c.figures
	f.BlockSize = row.BlockSize
	f.HitBlocks += hits
	f.Blocks += len(row.Blocks)
	f.HitTokens += min(hits*row.BlockSize, *row.PromptTokens)
	f.PromptTokens += *row.PromptTokens
	if len(row.Blocks) != blocksOf(row) {
		f.Mismatched++
	}
}

// blocksOf is how many blocks a row's prompt has: with the one that is cut short
// where it has an id, full ones only where it has none.
func blocksOf(row Row) int {
	if row.PartialBlock {
		return (*row.PromptTokens + row.BlockSize - 1) / row.BlockSize
	}
	return *row.PromptTokens / row.BlockSize
}

// scopeOf keeps ids of different scopes apart in one set.
func scopeOf(scope string) uint64 {
	if scope == "" {
		return 0
	}
	// The bits that small ids use stay free of pattern: a multiplication spreads
	// the hash over all of them.
	return hash(scope) * 0x9e3779b97f4a7c15
}

// bound is the share that was served, and of what; nil where it is not known.
func (c *cache) bound() (*float64, *Prefix) {
	if !c.anyBlocks || c.full {
		return nil, nil
	}
	f := c.figures
	hit, all := f.HitTokens, f.PromptTokens
	f.Unit = "tokens"
	if c.partial {
		f.Unit, hit, all = "blocks", f.HitBlocks, f.Blocks
	}
	if all == 0 {
		return nil, &f
	}
	return new(float64(hit) / float64(all)), &f
}
