package engine

import (
	"fmt"
	"time"
)

// Frontend is the API server before the engine: HTTP, tokenizer, detokenizer,
// streams. Each worker is one process that does one thing after the other, on a
// core of its own. What it costs is CPU time; where its workers are few, requests
// and outputs wait for them.
//
// vLLM merges the tokens of a stream that its server is late with into one chunk,
// which saves some of this time; here each token costs the same.
type Frontend struct {
	Workers     int // vLLM's --api-server-count; 0: as many as it takes, so that nothing waits
	Request     time.Duration
	PromptToken time.Duration
	OutputToken time.Duration
}

// DefaultFrontend is an estimate of a Python API server: a fast tokenizer at half
// a million tokens a second, and a chunk of a stream at some 25,000 a second. Ours,
// of 2026-11.
var DefaultFrontend = Frontend{
	Request:     2 * time.Millisecond,
	PromptToken: 2 * time.Microsecond,
	OutputToken: 40 * time.Microsecond,
}

func (f Frontend) check() error {
	if f.Workers < 0 || f.Request < 0 || f.PromptToken < 0 || f.OutputToken < 0 {
		return fmt.Errorf("front end %+v must not be negative", f)
	}
	return nil
}

// frontend does the work of a Frontend.
type frontend struct {
	cost Frontend
	free []time.Duration // when each worker has done what it was given
	used time.Duration   // CPU
}

func newFrontend(c Config) *frontend {
	return &frontend{cost: c.Frontend, free: make([]time.Duration, c.Frontend.Workers)}
}

// receive is when the scheduler sees a request that comes at now. The latency of
// a request, which is more than its CPU time, begins when a worker takes it.
func (f *frontend) receive(s *Sequence, now, latency time.Duration) time.Duration {
	cost := f.cost.Request + time.Duration(s.prompt)*f.cost.PromptToken
	f.used += cost
	if len(f.free) == 0 {
		return now + latency
	}
	done := f.work(s, now, cost)
	return max(done, done-cost+latency)
}

// send is when an output token that exists at now has been sent.
func (f *frontend) send(s *Sequence, now time.Duration) time.Duration {
	f.used += f.cost.OutputToken
	if len(f.free) == 0 {
		return now
	}
	return f.work(s, now, f.cost.OutputToken)
}

// work gives a worker something more to do; a request stays with the worker that
// took it. It returns when that is done.
func (f *frontend) work(s *Sequence, now, cost time.Duration) time.Duration {
	worker := &f.free[int(s.number)%len(f.free)]
	*worker = max(*worker, now) + cost
	return *worker
}
