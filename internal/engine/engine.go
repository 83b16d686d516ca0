package engine

import (
	"errors"
	"fmt"
	"time"
)

// Reasons for which Submit refuses. A full KV cache is none: it queues.
var (
	ErrTooLong     = errors.New("the prompt leaves no room for an output")
	ErrQueueFull   = errors.New("max_num_queued_reqs is reached")
	ErrQueueTokens = errors.New("max_num_queued_tokens is reached")
)

// Engine is one replica. It is not safe for concurrent use.
type Engine struct {
	cfg      Config
	timer    *timer
	frontend *frontend
	pool     *pool
	waiting  queue
	running  []*Sequence // in order of admission
	arrived  deque       // still in the API server
	numbers  int64
	pending  int // prompt tokens whose prefill has not ended
	open     int // sequences that have not ended

	counters Counters
	outputs  []Output
	hit      []int32 // scratch of admission
}

// Counters are totals since the start.
type Counters struct {
	Steps         int64
	Tokens        int64 // computed, prefill and decode
	Preemptions   int64 // as they happen
	PrefixQueries int64 // tokens looked up at a first admission
	PrefixHits    int64 // tokens of them that were cached
	Held          Held
	Work          Work
	FrontendCPU   time.Duration // that the API server's processes used
}

// Held are the steps in which a limit held something back that was ready.
type Held struct {
	Sequences int64 // max_num_seqs: a request waited
	Budget    int64 // max_num_batched_tokens: a request waited, or computed less than it could
	KV        int64 // the KV cache: a request waited, or lost its blocks
}

// New starts an engine. It refuses what vLLM refuses at startup; see Config.Check.
func New(cfg Config) (*Engine, error) {
	cfg, err := cfg.Resolved()
	if err != nil {
		return nil, fmt.Errorf("start engine: %w", err)
	}
	e := &Engine{cfg: cfg, timer: newTimer(cfg), frontend: newFrontend(cfg), pool: newPool(cfg.KVBlocks, !cfg.NoPrefixCache)}
	if cfg.Policy == Priority {
		e.waiting = &byPriority{}
	} else {
		e.waiting = &deque{}
	}
	return e, nil
}

// Config is the configuration with its defaults resolved.
func (e *Engine) Config() Config { return e.cfg }

// Counters returns the totals so far.
func (e *Engine) Counters() Counters {
	c := e.counters
	c.FrontendCPU = e.frontend.used
	return c
}

// SetThrottle changes how far the clock is held back, from the next step on.
func (e *Engine) SetThrottle(t Throttle) error {
	if err := t.check(); err != nil {
		return err
	}
	e.cfg.Throttle = t
	e.retime()
	return nil
}

// SetStepOverhead changes the host's time in each step, from the next step on.
func (e *Engine) SetStepOverhead(d time.Duration) {
	e.cfg.Overheads.Step = max(d, 0)
	e.retime()
}

// retime makes the timer anew; its noise goes on where it was.
func (e *Engine) retime() {
	noise := e.timer.noise
	e.timer = newTimer(e.cfg)
	e.timer.noise = noise
}

// Running is the number of requests in the batch.
func (e *Engine) Running() int { return len(e.running) }

// Waiting is the number of requests that the scheduler holds back, preempted
// ones included.
func (e *Engine) Waiting() int { return e.waiting.size() }

// KVUsage is the share of the KV cache that requests hold, 0 to 1.
func (e *Engine) KVUsage() float64 { return e.pool.usage() }

// ResetPrefixCache forgets what the prefix cache holds. It reports false, and
// does nothing, while a request holds blocks, as vLLM does.
func (e *Engine) ResetPrefixCache() bool { return e.pool.forget() }

// Open is the number of sequences that have not ended.
func (e *Engine) Open() int { return e.open }

// Submit hands in requests that belong together (the n choices of one call, or
// one): all are taken or none. The scheduler sees them Overheads.Request later.
// Times of successive calls must not decrease.
func (e *Engine) Submit(now time.Duration, requests ...Request) ([]*Sequence, error) {
	for i := range requests {
		n := requests[i].PromptLen
		if requests[i].Prompt != nil {
			n = len(requests[i].Prompt)
		}
		if n < 1 {
			return nil, fmt.Errorf("a prompt of %d tokens: at least one is needed", n)
		}
		if n >= e.cfg.MaxModelLen {
			return nil, fmt.Errorf("%w: %d prompt tokens, max_model_len %d", ErrTooLong, n, e.cfg.MaxModelLen)
		}
	}
	if limit := e.cfg.MaxQueuedRequests; limit > 0 && e.open+len(requests) > limit {
		return nil, fmt.Errorf("%w: %d requests are open, the limit is %d", ErrQueueFull, e.open, limit)
	}
	if limit := e.cfg.MaxQueuedTokens; limit > 0 && e.pending >= limit {
		return nil, fmt.Errorf("%w: %d prompt tokens are pending, the limit is %d", ErrQueueTokens, e.pending, limit)
	}
	sequences := make([]*Sequence, len(requests))
	for i, r := range requests {
		sequences[i] = e.accept(now, r)
	}
	return sequences, nil
}

func (e *Engine) accept(now time.Duration, r Request) *Sequence {
	s := &Sequence{Request: r, number: e.numbers, Arrived: now, prompt: r.PromptLen}
	e.numbers++
	if r.Prompt != nil {
		s.prompt = len(r.Prompt)
	}
	s.Queued = e.frontend.receive(s, now, e.cfg.Overheads.Request)
	s.limit = e.cfg.MaxModelLen - s.prompt
	if r.MaxTokens > 0 {
		s.limit = min(s.limit, r.MaxTokens)
	}
	if r.ForceEOS {
		s.eosAt = r.MinTokens + 1
	} else if !r.IgnoreEOS {
		s.eosAt = drawEOS(mix(r.Seed^e.cfg.Seed), e.cfg.EOSProbability, r.MinTokens)
	}
	e.open++
	e.pending += s.prompt
	e.arrived.insert(s)
	return s
}

// Abort ends a sequence at once and frees its blocks; nothing more comes out of
// it. A sequence that has ended stays as it is.
func (e *Engine) Abort(s *Sequence) {
	switch s.state {
	case finished:
		return
	case incoming:
		e.arrived.remove(s)
	case waiting, preempted:
		e.waiting.remove(s)
	case running:
		for i, r := range e.running {
			if r == s {
				e.running = append(e.running[:i], e.running[i+1:]...)
				break
			}
		}
	}
	e.end(s)
}

// end frees what a sequence holds.
func (e *Engine) end(s *Sequence) {
	if s.FirstAt == 0 {
		e.pending -= s.prompt
	}
	e.pool.release(s.blocks)
	e.pool.release(s.rest)
	s.blocks, s.rest, s.hashes = nil, nil, nil
	s.state = finished
	e.open--
}
