package engine

import "time"

// schedule plans one step as vLLM's scheduler.py does: running requests first,
// in their order, then waiting ones while nothing was preempted. It reports
// whether something was.
func (e *Engine) schedule(now time.Duration) (preempted bool) {
	longest := e.longestChunk()
	budget, preempted := e.planRunning(e.cfg.MaxBatchedTokens, longest)
	if preempted {
		e.counters.Held.KV++
	} else {
		budget = e.admit(now, budget, longest)
	}
	if budget == 0 && e.cutShort() {
		e.counters.Held.Budget++
	}
	return preempted
}

// cutShort says whether more tokens could have been computed in the step.
func (e *Engine) cutShort() bool {
	if e.waiting.size() > 0 && len(e.running) < e.cfg.MaxNumSeqs {
		return true
	}
	for _, s := range e.running {
		if s.computed+s.planned < s.tokens() {
			return true
		}
	}
	return false
}

// longestChunk is the most tokens of one request in the step at hand. The
// threshold keeps a long prefill from starving others, so a request that is
// alone is not held to it.
func (e *Engine) longestChunk() int {
	if limit := e.cfg.LongPrefillThreshold; limit > 0 && len(e.running)+e.waiting.size() > 1 {
		return limit
	}
	return e.cfg.MaxBatchedTokens
}

// planRunning gives running requests their tokens and returns what is left of
// the budget. A request that gets no block evicts others, the last admitted
// first, until it has one or is evicted itself.
func (e *Engine) planRunning(budget, longest int) (left int, anyPreempted bool) {
	for i := 0; i < len(e.running) && budget > 0; i++ {
		s := e.running[i]
		n := min(s.tokens()-s.computed, longest, budget, e.cfg.MaxModelLen-1-s.computed)
		if n <= 0 {
			continue // those after it may still run
		}
		for !e.grow(s, n) {
			at := e.victim()
			v := e.running[at]
			budget += v.planned // only with the Priority policy can it have some
			e.preempt(at)
			anyPreempted = true
			if v == s {
				return budget, true
			}
			if at < i {
				i--
			}
		}
		s.planned = n
		budget -= n
	}
	return budget, anyPreempted
}

// admit takes requests from the head of the queue while they fit. The first
// that does not fit holds up those behind it. The KV cache must have room for
// all that a request has to compute, though a step may compute only a part
// (scheduler_reserve_full_isl, the default): otherwise requests admitted side by
// side by their first chunks would preempt each other.
// It returns what is left of the budget.
func (e *Engine) admit(now time.Duration, budget, longest int) int {
	for e.waiting.size() > 0 && budget > 0 && len(e.running) < e.cfg.MaxNumSeqs {
		s := e.waiting.peek()
		hit := e.prefix(s)
		cached := len(hit) * e.cfg.BlockSize
		n := min(s.tokens()-cached, longest)
		if e.cfg.NoChunkedPrefill && n > budget {
			return 0
		}
		n = min(n, budget)
		need := e.cfg.cache.Main(s.tokens()) - len(hit) + e.cfg.cache.RestAtMost(s.tokens())
		if need+e.pool.idle(hit) > e.pool.free {
			e.counters.Held.KV++
			return budget
		}
		e.waiting.pop()
		e.start(s, now, hit)
		e.grow(s, n)
		s.planned = n
		budget -= n
	}
	if e.waiting.size() > 0 && len(e.running) >= e.cfg.MaxNumSeqs {
		e.counters.Held.Sequences++
	}
	return budget
}

// prefix is the cached blocks that a waiting request can reuse. The last token
// is always computed, since its logits are needed.
func (e *Engine) prefix(s *Sequence) []int32 {
	e.hit = e.hit[:0]
	if e.cfg.NoPrefixCache {
		return e.hit
	}
	s.extendHashes(e.cfg.BlockSize)
	e.hit = e.pool.lookup(s.hashes[:(s.tokens()-1)/e.cfg.BlockSize], e.hit)
	return e.hit
}

// start moves a request into the batch with the blocks that it shares.
func (e *Engine) start(s *Sequence, now time.Duration, hit []int32) {
	for _, b := range hit {
		e.pool.share(b)
	}
	s.blocks = append(s.blocks, hit...)
	s.kept = len(hit)
	s.computed = len(hit) * e.cfg.BlockSize
	if s.state == waiting {
		s.Scheduled = now
		s.cached = s.computed
		if !e.cfg.NoPrefixCache {
			e.counters.PrefixQueries += int64(s.tokens())
			e.counters.PrefixHits += int64(s.computed)
		}
	}
	s.state = running
	e.running = append(e.running, s)
}

// grow gives a request blocks for n more tokens, all or none, and makes those
// that become full findable.
func (e *Engine) grow(s *Sequence, n int) bool {
	cache := &e.cfg.cache
	need := cache.Main(s.computed+n) - len(s.blocks)
	rest := 0
	if !cache.Plain() {
		rest = cache.Rest(s.computed+n, s.computed) - len(s.rest)
		if rest < 0 { // what has left its window
			e.pool.release(s.rest[len(s.rest)+rest:])
			s.rest = s.rest[:len(s.rest)+rest]
			rest = 0
		}
	}
	if need+rest > e.pool.free {
		return false
	}
	for range need {
		s.blocks = append(s.blocks, e.pool.take())
	}
	for range rest {
		s.rest = append(s.rest, e.pool.take())
	}
	if e.cfg.NoPrefixCache {
		return true
	}
	if full := (s.computed + n) / e.cfg.BlockSize; full > s.kept {
		s.extendHashes(e.cfg.BlockSize)
		for ; s.kept < full; s.kept++ {
			e.pool.remember(s.blocks[s.kept], s.hashes[s.kept])
		}
	}
	return true
}

// victim is the place in running of the request to preempt: the last admitted,
// or with the Priority policy the least important, the latest of its kind.
func (e *Engine) victim() int {
	at := len(e.running) - 1
	if e.cfg.Policy == Priority {
		for i, s := range e.running {
			if before(e.running[at], s) {
				at = i
			}
		}
	}
	return at
}

// preempt drops a request's KV cache and puts it back at the head of the queue.
// Its outputs stay; prompt and outputs are computed again later.
func (e *Engine) preempt(at int) {
	s := e.running[at]
	e.running = append(e.running[:at], e.running[at+1:]...)
	e.pool.release(s.blocks)
	e.pool.release(s.rest)
	s.blocks, s.rest = s.blocks[:0], s.rest[:0]
	s.kept, s.computed, s.planned = 0, 0, 0
	s.state = preempted
	s.preemptions++
	s.unreported++
	e.counters.Preemptions++
	e.waiting.unpop(s)
}
