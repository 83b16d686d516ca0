package httpd

import (
	"net/http"
	"time"
)

// stream writes tokens as the engine hands them out. Headers go at once, while
// the request may still be queued.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, a *answer) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	wr := newWriter(a, a.call.Model, s.opt.PromptTokensDetails)
	out := &sink{w: w, control: http.NewResponseController(w), buffer: a.faults.Buffer}
	if !out.flush(nil) {
		return
	}
	var ping <-chan time.Time
	if a.faults.PingMS > 0 {
		t := time.NewTicker(time.Duration(a.faults.PingMS) * time.Millisecond)
		defer t.Stop()
		ping = t.C
	}
	p := &progress{writer: wr, open: len(a.choices)}
	var tokens []token
	for {
		select {
		case <-a.ready:
		case <-ping:
			if !out.flush([]byte(":" + wr.newline + wr.newline)) {
				return
			}
			continue
		case <-s.dead:
			<-r.Context().Done() // no data, no error, no end
			return
		case <-r.Context().Done():
			return
		}
		tokens = a.take(tokens)
		wr.buf = wr.buf[:0]
		for _, t := range tokens {
			if !p.next(out, r, t) {
				return
			}
		}
		if ms := a.faults.ChunkMS; ms > 0 && !pause(r, time.Duration(ms)*time.Millisecond) {
			return
		}
		if p.open == 0 {
			wr.end()
			out.last(wr.buf)
			return
		}
		if !out.flush(wr.buf) {
			return
		}
	}
}
