package httpd

import (
	"sync"

	"assay/internal/engine"
)

// answer is one call on its way: the choices that the engine generates for it
// and the tokens that wait to be written.
type answer struct {
	id        string
	created   int64
	chat      bool
	call      *call
	choices   []*choice
	sequences []*engine.Sequence
	prompt    int // tokens over all prompts
	faults    Faults

	// Of the loop, for the metrics of the whole call:
	over, longest int

	mu      sync.Mutex
	pending []token
	ready   chan struct{} // pending is not empty
}

// choice is one output of a call.
type choice struct {
	answer *answer
	index  int
	cut    int    // bytes of text before a stop string; -1: not stopped by one
	stop   string // stop_reason as JSON, when it ends with reason stop

	// Of the writer:
	tokens     int // written or held
	bytes      int // of text written
	finished   bool
	roleSent   bool
	held       []byte // text of tokens that wait to share a chunk, as JSON
	heldTokens int
}

// token is one output on its way to the writer.
type token struct {
	choice *choice
	id     uint32
	cache  cacheUse
	finish engine.Finish
}

// cacheUse is what the prefix cache did for a sequence's prompt, in tokens.
type cacheUse struct {
	hit     int
	created int // written for others to hit
}

// push hands a token to the writer and wakes it, without ever waiting for it.
func (c *choice) push(o engine.Output) {
	a := c.answer
	a.mu.Lock()
	a.pending = append(a.pending, token{c, o.Token, cacheUse{o.CachedTokens(), o.CreatedCacheTokens()}, o.Finish})
	a.mu.Unlock()
	select {
	case a.ready <- struct{}{}:
	default:
	}
}

// abort ends every choice that has not ended with finish_reason abort.
func (a *answer) abort() {
	a.mu.Lock()
	for _, c := range a.choices {
		a.pending = append(a.pending, token{choice: c, id: engine.EOSToken, finish: engine.Abort})
	}
	a.mu.Unlock()
	select {
	case a.ready <- struct{}{}:
	default:
	}
}

// take swaps the pending tokens against an empty slice.
func (a *answer) take(empty []token) []token {
	a.mu.Lock()
	defer a.mu.Unlock()
	taken := a.pending
	a.pending = empty[:0]
	return taken
}

// text is what a token adds to a choice's text.
func (c *choice) text(t token) string {
	s := wordOf(t.id)
	if c.cut >= 0 {
		s = s[:max(0, min(len(s), c.cut-c.bytes))]
	}
	c.bytes += len(s)
	return s
}

// ended counts a choice that generated n tokens; with the last one the call is over.
func (a *answer) ended(m *metrics, n int) {
	a.over++
	a.longest = max(a.longest, n)
	if a.over == len(a.choices) {
		m.call(len(a.choices), a.longest)
	}
}

// usage is the tokens of a stream so far, over all choices. Of the prefix cache
// it holds what the first token's sequence says, as vLLM does.
type usage struct {
	prompt, completion int
	cache              cacheUse
}
