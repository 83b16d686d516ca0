package httpd

import (
	"net/http"
	"time"

	"assay/internal/engine"
)

// progress is how far a stream has come, and where its faults strike.
type progress struct {
	*writer
	open    int // choices that have not ended
	started bool
}

// next writes one token. It returns false when the stream is over for good.
func (p *progress) next(out *sink, r *http.Request, t token) bool {
	c, a := t.choice, p.answer
	if c.finished {
		return true // aborted while its last token was on the way
	}
	if !p.started {
		p.started = true
		p.used.cache = t.cache
		if !p.strike(out, r, -1) {
			return false
		}
		if a.chat && !a.faults.MergeFirst {
			for _, each := range a.choices {
				p.role(each)
			}
		}
	}
	if t.finish != engine.Abort {
		c.tokens++
		p.used.completion++
	}
	c.finished = t.finish != engine.Running
	p.write(c, t)
	if c.finished {
		p.open--
	}
	return p.strike(out, r, c.tokens)
}

// write puts a token's chunk into the buffer, or holds its text back to share
// the chunk of a later one.
func (p *progress) write(c *choice, t token) {
	f := &p.answer.faults
	key := "content"
	thinking := p.answer.chat && c.tokens <= f.Reasoning
	if thinking {
		key = "reasoning"
		if f.ReasoningKey != "" {
			key = f.ReasoningKey
		}
	}
	c.held = append(c.held, p.escaped(c, t)...)
	c.heldTokens++
	lastThought := thinking && c.tokens == f.Reasoning
	if !c.finished && !lastThought && c.heldTokens < f.ChunkTokens {
		return
	}
	p.chunk(c, key, c.held, t.finish, f.MergeFirst && !c.roleSent)
	c.roleSent = true
	c.held, c.heldTokens = c.held[:0], 0
}

// escaped is a token's text as it stands in JSON.
func (p *progress) escaped(c *choice, t token) []byte {
	if i := int(t.id) - int(engine.FirstOutputToken); c.cut < 0 && i >= 0 && i < len(escapedWords) {
		return escapedWords[i]
	}
	q := quoted(c.text(t))
	return q[1 : len(q)-1]
}

// strike does what the faults have in store after as many tokens of a choice.
// It returns false when that ended the stream.
func (p *progress) strike(out *sink, r *http.Request, tokens int) bool {
	f := &p.answer.faults
	if tokens == 0 {
		return true
	}
	if f.StallAfter == tokens {
		if !out.flush(p.buf) {
			return false
		}
		p.buf = p.buf[:0]
		if !pause(r, time.Duration(f.StallMS)*time.Millisecond) {
			return false
		}
	}
	switch tokens {
	case f.ErrorAfter:
		p.failure(errEngineDead)
		out.last(p.buf)
		return false
	case f.ResetAfter:
		out.flush(p.buf)
		out.reset()
		return false
	}
	return true
}
