package engine

import "time"

// Step is what one step of the engine did.
type Step struct {
	Duration time.Duration // outputs exist when it has passed
	Tokens   int           // computed
	Outputs  []Output      // valid until the next step
	// Idle: there was nothing to compute. Next is when a request that has
	// arrived becomes visible to the scheduler; negative when there is none.
	Idle bool
	Next time.Duration
}

// Output is one new token of one sequence.
type Output struct {
	*Sequence
	Token       uint32
	Index       int           // of the token in the output, from 0
	Ready       time.Duration // when the API server has sent it: the step's end, or later where it is behind
	Gap         time.Duration // since the token before; 0 for the first
	Finish      Finish        // Running unless this token is the last
	Preemptions int           // since the output before
}

// Step runs one step that begins at now: it lets in what has arrived,
// schedules, computes. Times of successive calls must not decrease.
func (e *Engine) Step(now time.Duration) Step {
	e.letIn(now)
	preempted := e.schedule(now)
	b := e.batch()
	for preempted && b.Sequences == 0 {
		// With the Priority policy the first in line can evict itself, which ends
		// the planning. vLLM runs an empty step then; it takes no time here.
		preempted = e.schedule(now)
		b = e.batch()
	}
	if b.Sequences == 0 {
		next := time.Duration(-1)
		if e.arrived.size() > 0 {
			next = e.arrived.peek().Queued
		}
		return Step{Idle: true, Next: next}
	}
	d, work := e.timer.of(b)
	e.counters.Work.add(work)
	e.counters.Steps++
	e.counters.Tokens += int64(b.tokens)
	e.compute(now + d)
	return Step{Duration: d, Tokens: b.tokens, Outputs: e.outputs}
}

// letIn queues what the API server has passed on by now.
func (e *Engine) letIn(now time.Duration) {
	for e.arrived.size() > 0 && e.arrived.peek().Queued <= now {
		s := e.arrived.pop()
		s.state = waiting
		e.waiting.push(s)
	}
}

// batch sums what the step computes.
func (e *Engine) batch() batch {
	var b batch
	steps := &e.timer.steps
	for _, s := range e.running {
		n := s.planned
		if n == 0 {
			continue
		}
		b.Sequences++
		b.tokens += n
		b.KVBytes += steps.KVBytes(s.computed + n - 1)
		if n > 1 || s.outputs == 0 {
			b.Prompt += n
			b.AttentionFLOPs += steps.AttentionFLOPs(s.computed, n)
		} else {
			b.Decode++
		}
		if s.computed+n == s.tokens() {
			b.Sampled++
		}
	}
	return b
}

// compute moves each planned request on; one whose tokens are all computed
// yields the next, at the step's end.
func (e *Engine) compute(end time.Duration) {
	e.outputs = e.outputs[:0]
	kept := e.running[:0]
	for _, s := range e.running {
		s.computed += s.planned
		if s.planned > 0 && s.computed == s.tokens() {
			e.emit(s, end)
		}
		s.planned = 0
		if s.state == running {
			kept = append(kept, s)
		}
	}
	clear(e.running[len(kept):])
	e.running = kept
}

func (e *Engine) emit(s *Sequence, at time.Duration) {
	o := Output{Sequence: s, Index: s.outputs, Preemptions: s.unreported}
	s.unreported = 0
	s.outputs++
	if s.outputs == 1 {
		e.pending -= s.prompt
		s.FirstAt = at
		s.created = max(min(s.kept*e.cfg.BlockSize, s.prompt)-s.cached, 0)
	} else {
		o.Gap = at - s.LastAt
	}
	s.LastAt = at
	o.Ready = e.frontend.send(s, at)
	o.Finish = s.ends()
	o.Token = EOSToken
	if s.outputs != s.eosAt {
		o.Token = OutputToken(s.Seed, o.Index)
	}
	if o.Finish != Running {
		e.end(s)
	}
	e.outputs = append(e.outputs, o)
}
