package hostile

import (
	"time"

	"assay/internal/wire"
)

// What takes its time, or for ever.
var slow = []behaviour{
	{name: "accepts and says nothing", serve: func(p *peer) { p.hang() }, want: wire.KindStall},
	{name: "hears the request and says nothing", serve: then((*peer).hang), want: wire.KindStall},
	{name: "reads no byte of the request", serve: (*peer).hang, want: wire.KindStall},
	{name: "stalls within the status line", serve: then((*peer).hang, "HTTP/1.1 20"), want: wire.KindStall},
	{name: "stalls within a header", serve: then((*peer).hang, "HTTP/1.1 200 OK\r\nContent-"), want: wire.KindStall},
	{name: "stalls behind the headers", serve: then((*peer).hang, head), want: wire.KindStall},
	{name: "stalls behind the role", serve: then((*peer).hang, head, role), want: wire.KindStall},
	{name: "stalls behind a token", serve: then((*peer).hang, head, role, token), want: wire.KindStall},
	{name: "stalls within an event", serve: then((*peer).hang, head, role, "40\r\ndata: {\"choi"), want: wire.KindStall},
	{name: "stalls within the size of a chunk", serve: then((*peer).hang, head, role, "4"), want: wire.KindStall},
	{name: "finishes and does not end the body", serve: then((*peer).hang, head, role, token, finish, usage, done), tokens: 2},
	{name: "finishes without the mark and hangs", serve: then((*peer).hang, head, role, token, finish, usage), tokens: 2},
	{name: "one byte at a time", serve: func(p *peer) {
		if !p.hear() {
			return
		}
		for i := range whole {
			if !p.say(whole[i : i+1]) {
				return
			}
		}
	}, tokens: 2},
	{name: "a header each moment, for ever", serve: then(func(p *peer) {
		for p.say("X-Wait: a\r\n") {
			p.wait(50 * time.Millisecond)
			if ended(p) {
				return
			}
		}
	}, "HTTP/1.1 200 OK\r\n"), want: wire.KindTimeout, ever: true},
	{name: "a ping each moment, for ever", serve: then(func(p *peer) {
		for p.say(chunk(": ping\n\n")) {
			p.wait(50 * time.Millisecond)
			if ended(p) {
				return
			}
		}
	}, head), want: wire.KindTimeout, ever: true},
	{name: "a token each moment, for ever", serve: then(func(p *peer) {
		for p.say(token) {
			p.wait(50 * time.Millisecond)
			if ended(p) {
				return
			}
		}
	}, head), want: wire.KindTimeout, also: wire.KindOverrun, ever: true},
	{name: "an empty event each moment, for ever", serve: then(func(p *peer) {
		for p.say(event(`{"choices":[{"index":0,"delta":{"content":""}}]}`)) {
			p.wait(50 * time.Millisecond)
			if ended(p) {
				return
			}
		}
	}, head), want: wire.KindTimeout, ever: true},
	{name: "a pause that is no stall", serve: then(func(p *peer) {
		p.wait(stall / 2)
		p.say(token)
		p.wait(stall / 2)
		p.say(finish, usage, done, end)
	}, head, role), tokens: 2},
	{name: "refuses and does not end the words", serve: then((*peer).hang,
		"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nContent-Length: 500\r\n\r\nqueue is full"), want: wire.KindOverloaded, also: wire.KindStall},
}

func ended(p *peer) bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
