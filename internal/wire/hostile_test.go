package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// host is a server whose every byte a test decides.
type host struct {
	url   string
	conns atomic.Int64 // accepted
}

// listen serves each connection by talk, which gets its number from 0 on. The
// connection is closed behind it.
func listen(t *testing.T, talk func(c net.Conn, number int)) *host {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &host{url: "http://" + ln.Addr().String()}
	var (
		tasks sync.WaitGroup
		mu    sync.Mutex
		open  []net.Conn
	)
	tasks.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			n := int(h.conns.Add(1)) - 1
			tasks.Go(func() {
				defer c.Close()
				talk(c, n)
			})
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		tasks.Wait()
	})
	return h
}

// heard reads one request with its body.
func heard(r *bufio.Reader) (*http.Request, string, error) {
	req, err := http.ReadRequest(r)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(req.Body)
	return req, string(body), err
}

// replying reads a request and writes an answer, again and again.
func replying(answer string) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		for r := bufio.NewReader(c); ; {
			if _, _, err := heard(r); err != nil {
				return
			}
			if _, err := io.WriteString(c, answer); err != nil {
				return
			}
		}
	}
}

// once is replying for a server that closes the connection then.
func once(answer string) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		if _, _, err := heard(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, answer)
		}
	}
}

// plain is an answer of stated length, and chunked one in pieces.
func plain(status, kind, body string, headers ...string) string {
	return fmt.Sprintf("HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n%s",
		status, kind, len(body), lines(headers), body)
}

func lines(headers []string) string {
	if len(headers) == 0 {
		return ""
	}
	return strings.Join(headers, "\r\n") + "\r\n"
}

const streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

func chunk(data string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(data), data) }

const lastChunk = "0\r\n\r\n"

// aStream is a whole good answer of two tokens.
var aStream = streamHead + chunk(role) + chunk(content("a")) + chunk(last) + chunk(usage2) + chunk(done) + lastChunk

func client(t *testing.T, url string, change ...func(*Endpoint, *Options)) *Client {
	t.Helper()
	e := Endpoint{URL: url, Model: "m"}
	o := Options{Timeout: 10 * time.Second, Stall: 5 * time.Second, ConnectTimeout: 5 * time.Second}
	for _, f := range change {
		f(&e, &o)
	}
	c, err := New(e, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func withKey(secret string) func(*Endpoint, *Options) {
	return func(e *Endpoint, _ *Options) { e.Key = NewKey(secret) }
}

func limits(stall, timeout time.Duration) func(*Endpoint, *Options) {
	return func(_ *Endpoint, o *Options) { o.Stall, o.Timeout = stall, timeout }
}

func ask(c *Client) Outcome { return c.Do(context.Background(), "id", []byte(`{"stream":true}`)) }

// failed checks an outcome's failure: an empty kind is none.
func failed(t *testing.T, o Outcome, kind, detail string) {
	t.Helper()
	if o.Err == nil {
		if kind != "" {
			t.Errorf("no failure, want %s", kind)
		}
		return
	}
	if o.Err.Kind != kind || !strings.Contains(o.Err.Detail, detail) {
		t.Errorf("failure %q, want %s with %q", o.Err, kind, detail)
	}
}

func TestWhatServersAnswer(t *testing.T) {
	const js, sse = "application/json", "text/event-stream"
	token := streamHead + chunk(role) + chunk(content("a"))
	for _, tt := range []struct {
		name   string
		answer string
		kind   string // empty: success
		detail string
		status int
		wait   time.Duration
		chunks int
	}{
		{name: "a stream", answer: aStream, status: 200, chunks: 2},
		{name: "a stream said to be JSON", answer: strings.Replace(aStream, sse, js, 1), status: 200, chunks: 2},
		{name: "a stream said to be text", answer: strings.Replace(aStream, sse, "text/plain", 1), status: 200, chunks: 2},
		{name: "a stream of stated length", answer: plain("200 OK", sse, role+content("a")+last+done), status: 200, chunks: 2},
		{name: "a stream that the close ends", answer: "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + content("a") + last + done, status: 200, chunks: 2},
		{name: "HTTP/1.0", answer: "HTTP/1.0 200 OK\r\n\r\n" + content("a") + last + done, status: 200, chunks: 2},
		{name: "informed before", answer: "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + aStream, status: 200, chunks: 2},
		{name: "closed after the finish", answer: streamHead + chunk(content("a")) + chunk(last), status: 200, chunks: 2},

		{name: "HTML", answer: plain("200 OK", "text/html", "<!DOCTYPE html><title>Hi</title>"), kind: KindNotAStream, detail: "an HTML page", status: 200},
		{name: "HTML said to be a stream", answer: plain("200 OK", sse, "\n<html>"), kind: KindNotAStream, detail: "an HTML page", status: 200},
		{name: "a whole answer in JSON", answer: plain("200 OK", js, `{"choices":[{"message":{"content":"hi"}}]}`), kind: KindNotAStream, detail: "no stream", status: 200},
		{name: "an error in JSON behind 200", answer: plain("200 OK", js, `{"error":{"message":"boom"}}`), kind: KindStreamError, detail: "boom", status: 200},
		{name: "an error in JSON said to be a stream", answer: plain("200 OK", sse, `{"error":{"message":"boom"}}`), kind: KindStreamError, detail: "boom", status: 200},
		{name: "text", answer: plain("200 OK", "text/plain", "hello"), kind: KindNotAStream, detail: "hello", status: 200},
		{name: "nothing behind 200", answer: plain("200 OK", sse, ""), kind: KindTruncated, status: 200},
		{name: "compressed", answer: plain("200 OK", sse, "\x1f\x8b...", "Content-Encoding: gzip"), kind: KindMalformed, detail: "compressed (gzip)", status: 200},

		{name: "401", answer: plain("401 Unauthorized", js, `{"error":"no key"}`), kind: KindUnauthorized, detail: "no key", status: 401},
		{name: "403", answer: plain("403 Forbidden", js, ""), kind: KindUnauthorized, detail: "HTTP 403 Forbidden", status: 403},
		{name: "404", answer: plain("404 Not Found", js, `{"object":"error","message":"no such model"}`), kind: KindNotFound, detail: "no such model", status: 404},
		{name: "400", answer: plain("400 Bad Request", js, `{"error":{"message":"too long"}}`), kind: KindBadRequest, detail: "too long", status: 400},
		{name: "422", answer: plain("422 Unprocessable", js, `{"detail":[{"loc":["body","x"]}]}`), kind: KindBadRequest, detail: `"body"`, status: 422},
		{name: "429 with seconds", answer: plain("429 Too Many Requests", js, "{}", "Retry-After: 7"), kind: KindRateLimited, status: 429, wait: 7 * time.Second},
		{name: "503 with nonsense", answer: plain("503 Service Unavailable", js, "{}", "Retry-After: soon"), kind: KindOverloaded, status: 503},
		{name: "502 with a page", answer: plain("502 Bad Gateway", "text/html", "<html>nginx</html>"), kind: KindHTTP, detail: "an HTML page", status: 502},
		{name: "500 with lines", answer: plain("500 Internal Server Error", "text/plain", "a\r\n\tb\x1b[31m"), kind: KindHTTP, detail: "a b [31m", status: 500},
		{name: "a long error", answer: plain("500 Internal Server Error", js, strings.Repeat("x", 200<<10)), kind: KindHTTP, detail: "xxx", status: 500},
		{name: "no content", answer: "HTTP/1.1 204 No Content\r\n\r\n", kind: KindHTTP, detail: "204", status: 204},
		{name: "a redirect", answer: plain("307 Temporary Redirect", "text/html", "", "Location: https://u:p@other/v1?key=s3cret#x"), kind: KindHTTP, detail: "redirects to https://other/v1", status: 307},

		{name: "not HTTP", answer: "SSH-2.0-OpenSSH\r\n\r\n", kind: KindMalformed, detail: "malformed HTTP"},
		{name: "an endless head", answer: "HTTP/1.1 200 OK\r\n" + strings.Repeat("A: b\r\n", 100_000), kind: KindMalformed, detail: "head of the answer"},
		{name: "a broken chunk", answer: token + "zz\r\n", kind: KindMalformed, detail: "size of a chunk", status: 200, chunks: 1},
		{name: "a cut chunked body", answer: token, kind: KindTruncated, status: 200, chunks: 1},
		{name: "cut in an event", answer: token + "40\r\ndata: {", kind: KindTruncated, status: 200, chunks: 1},
		{name: "a body shorter than said", answer: "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n" + content("a"), kind: KindTruncated, status: 200, chunks: 1},
		{name: "no answer", answer: "", kind: KindReset, detail: "closed the connection"},
		{name: "half a head", answer: "HTTP/1.1 200 OK\r\nContent-", kind: KindReset, detail: "closed the connection"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := ask(client(t, listen(t, once(tt.answer)).url))
			failed(t, o, tt.kind, tt.detail)
			if o.Status != tt.status || len(o.Chunks) != tt.chunks || o.NotSent {
				t.Errorf("status %d, %d chunks, not sent %v; want %d, %d, false", o.Status, len(o.Chunks), o.NotSent, tt.status, tt.chunks)
			}
			if o.Err != nil && o.Err.RetryAfter != tt.wait {
				t.Errorf("asked to wait %s, want %s", o.Err.RetryAfter, tt.wait)
			}
			if o.Err != nil && len(o.Err.Detail) > 2*maxDetail {
				t.Errorf("a detail of %d bytes", len(o.Err.Detail))
			}
			if o.Sent == 0 || o.End < o.Sent || tt.status > 0 && (o.Headers < o.Sent || o.End < o.Headers) {
				t.Errorf("sent %s, headers %s, end %s: not in order", o.Sent, o.Headers, o.End)
			}
		})
	}
}

func TestAKeyThatAServerEchoesIsNotShown(t *testing.T) {
	const secret = "sk-very/secret+key"
	for name, answer := range map[string]string{
		"in an error":           plain("401 Unauthorized", "application/json", `{"error":{"message":"wrong key sk-very\/secret+key"}}`),
		"where words are cut":   plain("401 Unauthorized", "text/plain", strings.Repeat("x", maxDetail-12)+secret),
		"in the stream":         streamHead + chunk(`data: {"error":"key `+secret+`"}`+"\n\n"),
		"as a finish":           streamHead + chunk(strings.Replace(last, "length", secret, 1)) + chunk(done) + lastChunk,
		"in a redirect":         plain("302 Found", "text/html", "", "Location: /login/"+secret),
		"as the content type":   plain("200 OK", secret, "{}"),
		"as the encoding":       plain("200 OK", "text/plain", "", "Content-Encoding: "+secret),
		"in what is no HTTP":    secret + "\r\n\r\n",
		"in what is no event":   streamHead + chunk("data: "+secret+"\n\n") + lastChunk,
		"in what is no framing": streamHead + secret + "\r\n",
		"where framing is cut":  streamHead + strings.Repeat("x", 34) + secret + "\r\n",
		"in endless framing":    streamHead + strings.Repeat(secret, readBuffer),
		"in a raw line":         streamHead + chunk(content("a")) + chunk(secret+" is wrong\n"),
	} {
		t.Run(name, func(t *testing.T) {
			o := ask(client(t, listen(t, once(answer)).url, withKey(secret)))
			if shown := fmt.Sprintf("%+v %v", o, o.Err); strings.Contains(shown, secret[:8]) {
				t.Errorf("the key is shown: %s", shown)
			}
		})
	}
}

func TestResetInMidStream(t *testing.T) {
	h := listen(t, func(c net.Conn, _ int) {
		if _, _, err := heard(bufio.NewReader(c)); err == nil {
			io.WriteString(c, streamHead+chunk(content("a")))
		}
		c.(*net.TCPConn).SetLinger(0) // the close is a reset
	})
	failed(t, ask(client(t, h.url)), KindReset, "reset the connection")
}

// A server may refuse a request before it has read it, and then close or just
// read no more.
func TestAnAnswerBeforeTheRequestIsRead(t *testing.T) {
	const refusal = "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 8\r\n\r\ntoo long"
	big := make([]byte, 32<<20) // more than the buffers of a connection hold
	for name, after := range map[string]func(held <-chan struct{}){
		"closes":     func(<-chan struct{}) {},
		"reads none": func(held <-chan struct{}) { <-held },
	} {
		t.Run(name, func(t *testing.T) {
			held := make(chan struct{})
			defer close(held)
			h := listen(t, func(c net.Conn, _ int) {
				c.Read(make([]byte, 100))
				io.WriteString(c, refusal)
				after(held)
			})
			o := client(t, h.url, limits(100*time.Millisecond, 5*time.Second)).Do(t.Context(), "id", big)
			failed(t, o, KindBadRequest, "too long")
		})
	}
}

func TestStall(t *testing.T) {
	const stall = 80 * time.Millisecond
	for name, begin := range map[string]string{
		"before the head":   "",
		"within the head":   "HTTP/1.1 200 OK\r\n",
		"after the head":    streamHead,
		"after a token":     streamHead + chunk(content("a")),
		"within an event":   streamHead + "100\r\ndata: {",
		"in an error":       "HTTP/1.1 500 Oops\r\nContent-Length: 100\r\n\r\nfor",
		"after its finish":  streamHead + chunk(last),
		"after its [DONE]":  streamHead + chunk(content("a")) + chunk(last) + chunk(done),
		"in its last chunk": streamHead + chunk(content("a")) + chunk(last) + chunk(done) + "0\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			held := make(chan struct{})
			defer close(held)
			h := listen(t, func(c net.Conn, _ int) {
				if _, _, err := heard(bufio.NewReader(c)); err == nil {
					io.WriteString(c, begin)
					<-held
				}
			})
			stall := stall
			if strings.Contains(begin, "[DONE]") {
				stall = 5 * time.Second // nothing waits for it
			}
			o := ask(client(t, h.url, limits(stall, 10*time.Second)))
			kind := KindStall
			switch {
			case strings.Contains(begin, "500"):
				kind = KindHTTP // what came of it says more
			case strings.Contains(begin, "length"):
				kind = "" // the answer was there
			}
			failed(t, o, kind, "")
			if kind == KindStall && o.End-o.Sent < stall {
				t.Errorf("given up after %s, before the stall of %s", o.End-o.Sent, stall)
			}
			if strings.Contains(begin, "[DONE]") && o.End-o.Sent >= stall {
				t.Errorf("the answer ended after %s, though its last event came at once", o.End-o.Sent)
			}
		})
	}
}

// slowly writes a stream's events with a pause before each.
func slowly(pause time.Duration, events ...string) func(net.Conn, int) {
	return func(c net.Conn, _ int) {
		if _, _, err := heard(bufio.NewReader(c)); err != nil {
			return
		}
		io.WriteString(c, streamHead)
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for _, e := range events {
			<-tick.C
			if _, err := io.WriteString(c, chunk(e)); err != nil {
				return
			}
		}
		io.WriteString(c, lastChunk)
	}
}

// A wait is a stall only when it is as long as that by itself, whatever came
// before it.
func TestASlowStreamIsNoStall(t *testing.T) {
	const pause = 100 * time.Millisecond
	events := append(slices.Repeat([]string{content("a")}, 8), last, done)
	h := listen(t, slowly(pause, events...))
	o := ask(client(t, h.url, limits(5*pause, 30*time.Second)))
	failed(t, o, "", "")
	if len(o.Chunks) != 9 || o.End-o.Sent < 9*pause {
		t.Errorf("%d chunks in %s, want 9", len(o.Chunks), o.End-o.Sent)
	}
}

// Pings keep a stream from stalling, but not from running out of time.
func TestTimeout(t *testing.T) {
	const timeout = 150 * time.Millisecond
	pings := make([]string, 1000)
	for i := range pings {
		pings[i] = ": ping\n\n"
	}
	h := listen(t, slowly(10*time.Millisecond, pings...))
	o := ask(client(t, h.url, limits(5*time.Second, timeout)))
	failed(t, o, KindTimeout, "within 150ms")
	if took := o.End - o.Sent; took < timeout-o.Sent {
		t.Errorf("given up after %s, want about %s", took, timeout)
	}
}
