package lab

import (
	"time"

	"assay/internal/engine"
)

// deliver brings one token to the client; true when the request is over.
func (h *holder) deliver(o engine.Output) bool {
	c := o.Owner.(*call)
	if c.over {
		return false
	}
	h.serve(o)
	at := o.Ready
	if h.path.bandwidth > 0 {
		h.linkFree = max(h.linkFree, at) + time.Duration(chunkBytes/h.path.bandwidth*float64(time.Second))
		at = h.linkFree
	}
	at += h.path.delay
	if h.client.chunk > 0 {
		h.coreFree = max(h.coreFree, at) + h.client.chunk
		at = h.coreFree
		h.clientBusy += h.client.chunk
	}
	if c.tokens == 0 {
		c.first, c.cached = at, o.CachedTokens()
	} else if len(h.gaps) < 4000 {
		h.gaps = append(h.gaps, float64(at-c.last)/float64(time.Millisecond))
	}
	c.last = at
	c.tokens++
	if p := h.fails(); p > 0 && c.tokens == 1 && o.Finish == engine.Running && h.rng.Float64() < p {
		c.failed = true
		h.failures++
		h.e.Abort(o.Sequence)
	} else if o.Finish == engine.Running {
		return false
	}
	c.over = true
	h.leave(o.Ready)
	return true
}

// lostInRestarts is the share of requests that a restart in each level ends.
const lostInRestarts = 0.12

// fails is the share of requests that end in an error.
func (h *holder) fails() float64 {
	if h.cold.restarts {
		return lostInRestarts
	}
	return h.fault.crash
}

// leave frees a place behind the proxy.
func (h *holder) leave(at time.Duration) {
	h.through--
	if len(h.proxied) > 0 {
		c := h.proxied[0]
		h.proxied = h.proxied[1:]
		h.enter(c, max(at, h.now))
	}
}

// serve is what vLLM observes of an output.
func (h *holder) serve(o engine.Output) {
	p := &o.Owner.(*call).server
	h.outputs++
	if o.Index == 0 {
		h.prompts += float64(o.PromptTokens())
		p.ttft = (o.Ready - o.Arrived).Seconds()
	} else {
		h.itl += o.Gap.Seconds()
		h.itls++
	}
	if o.Finish != engine.Running {
		h.ended++
		p.queue, p.prefill = (o.Scheduled - o.Queued).Seconds(), (o.FirstAt - o.Scheduled).Seconds()
		p.decode, p.e2e = (o.LastAt - o.FirstAt).Seconds(), (o.Ready - o.Arrived).Seconds()
	}
}
