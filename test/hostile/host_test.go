package hostile

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/wire"
)

// behaviour is one way to misbehave, and what must become of a request.
type behaviour struct {
	name string
	api  string // of the request; empty: chat
	http string // its version; empty: 1.1
	// proxied is a target that is reached through the server; empty: it is the
	// target itself.
	proxied string
	// serve has one connection, and gives it up by returning.
	serve  func(p *peer)
	want   string // kind of failure; empty: a success
	also   string // another kind that is as right, where the system decides
	ever   bool   // it has no end: on a slow machine a limit of time comes first
	tokens int    // output tokens by usage, of a success
	says   string // words that must stand in the failure's detail
}

// peer is the server's side of one connection.
type peer struct {
	net.Conn
	read *bufio.Reader
	done <-chan struct{} // the suite has what it wants
	body string          // of the request heard last
}

// hear reads one request; false when there is none.
func (p *peer) hear() bool {
	req, err := http.ReadRequest(p.read)
	if err != nil {
		return false
	}
	body, err := io.ReadAll(req.Body)
	p.body = string(body)
	return err == nil
}

// say writes until the client has gone; false then.
func (p *peer) say(parts ...string) bool {
	for _, s := range parts {
		if _, err := io.WriteString(p.Conn, s); err != nil {
			return false
		}
	}
	return true
}

// wait holds the connection for so long, or until the test is over.
func (p *peer) wait(d time.Duration) {
	select {
	case <-p.done:
	case <-time.After(d):
	}
}

// hang holds the connection until the test is over.
func (p *peer) hang() { p.wait(time.Minute) }

// forever writes the same again and again until the client has gone.
func (p *peer) forever(s string) {
	for p.say(s) {
		select {
		case <-p.done:
			return
		default:
		}
	}
}

// reset ends the connection with a reset in place of an end.
func (p *peer) reset() {
	if tcp, ok := p.Conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	p.Close()
}

// host listens on loopback and serves one behaviour until the test ends.
// Idle waits, but not for long, until no connection is being served: what is
// closed is closed then.
func host(t *testing.T, serve func(*peer)) (url string, idle, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var tasks sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	var serving atomic.Int64
	tasks.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			tasks.Go(func() {
				serving.Add(1)
				defer serving.Add(-1)
				defer c.Close()
				serve(&peer{Conn: c, read: bufio.NewReader(c), done: done})
			})
		}
	})
	idle = func() {
		for deadline := time.Now().Add(stall / 5); serving.Load() > 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
	}
	return "http://" + ln.Addr().String(), idle, func() {
		close(done)
		ln.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		tasks.Wait()
	}
}

// answering hears one request and says all of the parts.
func answering(parts ...string) func(*peer) {
	return func(p *peer) {
		if p.hear() {
			p.say(parts...)
		}
	}
}

// then is answering, with something done behind it.
func then(what func(*peer), parts ...string) func(*peer) {
	return func(p *peer) {
		if p.hear() && p.say(parts...) {
			what(p)
		}
	}
}

// The parts of good answers.
const (
	head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	open = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n" // until the close
	end  = "0\r\n\r\n"
)

func chunk(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

// event is the data of one event in a chunk of its own.
func event(data string) string { return chunk("data: " + data + "\n\n") }

// The events of a good chat stream.
var (
	role     = event(`{"choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`)
	token    = event(`{"choices":[{"index":0,"delta":{"content":" a"}}]}`)
	finish   = event(`{"choices":[{"index":0,"delta":{"content":" b"},"finish_reason":"length"}]}`)
	finished = event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	usage    = event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`)
	done     = event("[DONE]")
	whole    = head + role + token + finish + usage + done + end
)

// plain is an answer of stated length.
func plain(status, kind, body string, headers ...string) string {
	h := strings.Join(append(headers, ""), "\r\n")
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s", status, kind, len(body), h, body)
}

func asJSON(status, body string, headers ...string) string {
	return plain(status, "application/json", body, headers...)
}

// Limits of the suite's client: short, so that what hangs is cut soon.
const (
	timeout = 8 * time.Second
	stall   = 2 * time.Second
)

func client(t *testing.T, url string, b behaviour) *wire.Client {
	t.Helper()
	e := wire.Endpoint{URL: url, Model: "m", API: b.api, HTTPVersion: b.http, Key: wire.NewKey(secret)}
	if b.proxied != "" {
		var err error
		if e.Proxies, err = wire.OneProxy(strings.Replace(url, "://", "://user:"+secret+"@", 1)); err != nil {
			t.Fatal(err)
		}
		e.URL = b.proxied
	}
	c, err := wire.New(e, wire.Options{Timeout: timeout, Stall: stall, ConnectTimeout: timeout / 2})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// secret is the key that no answer may bring to light.
const secret = "sk-hostile-3f9b2c71d8e4"
