package engine

// none marks the end of a list of blocks.
const none = int32(-1)

// block is one page of the KV cache.
type block struct {
	hash       uint64
	refs       int32
	prev, next int32 // in the free list, while refs is 0
	// Other blocks with the same hash; duplicates are not merged.
	twinBefore, twinAfter int32
	hashed                bool
}

// pool is the KV cache as vLLM's block_pool.py keeps it. Block 0 is a null
// block that is never given out. Free blocks form a queue: taken from the head,
// returned to the tail, so that the head is the least recently used. A block
// that is freed keeps its hash, and can be hit, until it is taken; one without a
// hash, which nobody can hit, returns to the head.
type pool struct {
	blocks     []block
	head, tail int32
	free       int
	byHash     map[uint64]int32 // nil without a prefix cache
}

func newPool(n int, prefixCache bool) *pool {
	p := &pool{blocks: make([]block, n), head: none, tail: none}
	if prefixCache {
		p.byHash = make(map[uint64]int32)
	}
	for i := range p.blocks {
		p.blocks[i].twinBefore, p.blocks[i].twinAfter = none, none
	}
	for i := 1; i < n; i++ {
		p.append(int32(i))
	}
	return p
}

// usage is the share of usable blocks that requests hold, as
// vllm:kv_cache_usage_perc counts it: cached blocks without a holder are free.
func (p *pool) usage() float64 {
	usable := len(p.blocks) - 1
	return float64(usable-p.free) / float64(usable)
}

func (p *pool) append(i int32) {
	b := &p.blocks[i]
	b.prev, b.next = p.tail, none
	if p.tail == none {
		p.head = i
	} else {
		p.blocks[p.tail].next = i
	}
	p.tail = i
	p.free++
}

func (p *pool) prepend(i int32) {
	b := &p.blocks[i]
	b.prev, b.next = none, p.head
	if p.head == none {
		p.tail = i
	} else {
		p.blocks[p.head].prev = i
	}
	p.head = i
	p.free++
}

func (p *pool) unlink(i int32) {
	b := &p.blocks[i]
	if b.prev == none {
		p.head = b.next
	} else {
		p.blocks[b.prev].next = b.next
	}
	if b.next == none {
		p.tail = b.prev
	} else {
		p.blocks[b.next].prev = b.prev
	}
	p.free--
}

// take pops the least recently used free block and evicts what it cached. The
// caller has made sure that there is one.
func (p *pool) take() int32 {
	i := p.head
	p.unlink(i)
	b := &p.blocks[i]
	if b.hashed {
		p.evict(i)
	}
	b.refs = 1
	return i
}

func (p *pool) evict(i int32) {
	b := &p.blocks[i]
	switch {
	case b.twinBefore != none:
		p.blocks[b.twinBefore].twinAfter = b.twinAfter
	case b.twinAfter != none:
		p.byHash[b.hash] = b.twinAfter
	default:
		delete(p.byHash, b.hash)
	}
	if b.twinAfter != none {
		p.blocks[b.twinAfter].twinBefore = b.twinBefore
	}
	b.hashed, b.twinBefore, b.twinAfter = false, none, none
}

// forget evicts all blocks; false while some are held.
func (p *pool) forget() bool {
	if p.free < len(p.blocks)-1 {
		return false
	}
	for i := range p.blocks {
		if p.blocks[i].hashed {
			p.evict(int32(i))
		}
	}
	return true
}

// share gives one more holder to a block that a prefix hit found.
func (p *pool) share(i int32) {
	b := &p.blocks[i]
	if b.refs == 0 {
		p.unlink(i)
	}
	b.refs++
}

// release takes one holder from each block, in reverse order, so that the end
// of a prefix is evicted before its beginning.
func (p *pool) release(blocks []int32) {
	for k := len(blocks) - 1; k >= 0; k-- {
		b := &p.blocks[blocks[k]]
		b.refs--
		switch {
		case b.refs > 0:
		case b.hashed:
			p.append(blocks[k])
		default:
			p.prepend(blocks[k])
		}
	}
}

// remember makes a full block findable by its hash.
func (p *pool) remember(i int32, hash uint64) {
	b := &p.blocks[i]
	b.hash, b.hashed = hash, true
	first, ok := p.byHash[hash]
	if !ok {
		p.byHash[hash] = i
		return
	}
	b.twinBefore, b.twinAfter = first, p.blocks[first].twinAfter
	if b.twinAfter != none {
		p.blocks[b.twinAfter].twinBefore = i
	}
	p.blocks[first].twinAfter = i
}

// lookup returns the longest run of cached blocks that the hashes start with,
// appended to into.
func (p *pool) lookup(hashes []uint64, into []int32) []int32 {
	for _, h := range hashes {
		i, ok := p.byHash[h]
		if !ok {
			break
		}
		into = append(into, i)
	}
	return into
}

// idle counts the blocks that no request holds: those a hit would take from
// the free list.
func (p *pool) idle(blocks []int32) int {
	n := 0
	for _, i := range blocks {
		if p.blocks[i].refs == 0 {
			n++
		}
	}
	return n
}
