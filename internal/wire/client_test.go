package wire

import (
	"bufio"
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheRequestAsSent(t *testing.T) {
	type request struct{ Line, Host, Key, ID, Kind, Encoding, Body string }
	for _, tt := range []struct {
		base, api string
		path      string
	}{
		{"", Chat, "/v1/chat/completions"},
		{"/", Completions, "/v1/completions"},
		{"/v1", Chat, "/v1/chat/completions"},
		{"/v1/", Chat, "/v1/chat/completions"},
		{"/models/a%20b/v1", Chat, "/models/a%20b/v1/chat/completions"},
	} {
		t.Run(tt.base+" "+tt.api, func(t *testing.T) {
			got := make(chan request, 1)
			h := listen(t, func(c net.Conn, _ int) {
				req, body, err := heard(bufio.NewReader(c))
				if err != nil {
					return
				}
				got <- request{
					req.Method + " " + req.RequestURI, req.Host, req.Header.Get("Authorization"), req.Header.Get("X-Request-Id"),
					req.Header.Get("Content-Type"), req.Header.Get("Accept-Encoding"), body,
				}
				io.WriteString(c, aStream)
			})
			c := client(t, h.url+tt.base, withKey("k"), func(e *Endpoint, _ *Options) { e.API = tt.api })
			failed(t, c.Do(t.Context(), "run-1", []byte("{}")), "", "")
			want := request{
				"POST " + tt.path, strings.TrimPrefix(h.url, "http://"), "Bearer k", "run-1", "application/json", "identity", "{}",
			}
			if diff := cmp.Diff(want, <-got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTargetsThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ url, why string }{
		{"", "no host"},
		{"ftp://host", "scheme"},
		{"http://", "no host"},
		{"http://user:secret@host", "user name or password"},
		{"http://host/?key=secret", "query"},
		{"http://host/#secret", "fragment"},
		{"http://secret\x7f", "not a URL"},
		{"http://[::1", "not a URL"},
	} {
		_, err := New(Endpoint{URL: tt.url}, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.why) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: got error %v, want one about %q", tt.url, err, tt.why)
		}
	}
	if _, err := New(Endpoint{URL: "http://host", API: "smoke-signals"}, Options{}); err == nil {
		t.Error("an unknown API is taken")
	}
	if _, err := New(Endpoint{URL: "http://host", Key: NewKey("a\r\nHost: b")}, Options{}); err == nil {
		t.Error("a key with a line end is taken")
	}
	if c, err := New(Endpoint{URL: "localhost:8000/v1"}, Options{}); err != nil || c.URL() != "http://localhost:8000" {
		t.Errorf("without a scheme: got %v", err)
	}
}

func TestNobodyListens(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	o := ask(client(t, "http://"+ln.Addr().String()))
	failed(t, o, KindConnect, "refused")
	if !o.NotSent || o.Sent != 0 || o.Connect <= 0 {
		t.Errorf("not sent %v, sent %s, connect %s", o.NotSent, o.Sent, o.Connect)
	}
}

func TestNamesOfErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		kind string
	}{
		{&net.DNSError{Err: "no such host", Name: "nowhere"}, KindResolve},
		{&net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "nowhere"}}, KindResolve},
		{&net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}, KindConnect},
		{context.Canceled, KindCancelled},
		{errors.New("no route to host"), KindConnect},
	} {
		if got := dialError(tt.err, "host:1"); got.Kind != tt.kind {
			t.Errorf("%v: got %s, want %s", tt.err, got.Kind, tt.kind)
		}
	}
}

func TestRetryAfterAsADate(t *testing.T) {
	got := retryAfter(time.Now().Add(time.Minute).UTC().Format(http.TimeFormat))
	if got < 50*time.Second || got > time.Minute {
		t.Errorf("got %s, want about a minute", got)
	}
	for _, s := range []string{"-1", "NaN", "Inf", "1e300", time.Unix(0, 0).UTC().Format(http.TimeFormat)} {
		if got := retryAfter(s); got != 0 {
			t.Errorf("%s: got %s, want 0", s, got)
		}
	}
}

func TestConnectionsAreKept(t *testing.T) {
	const slots, each = 8, 20
	h := listen(t, replying(aStream))
	c := client(t, h.url)
	var tasks sync.WaitGroup
	for range slots {
		tasks.Go(func() {
			for range each {
				failed(t, ask(c), "", "")
			}
		})
	}
	tasks.Wait()
	if got := h.conns.Load(); got > slots {
		t.Errorf("%d connections for %d slots", got, slots)
	}
	o := ask(c)
	if o.Connect != 0 || o.Sent == 0 {
		t.Errorf("on a kept connection: connect %s, sent %s", o.Connect, o.Sent)
	}
}

// The end of the body may come after the last event, and an error is an answer
// too: neither costs the connection.
func TestWhichConnectionsAreKept(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		kept         bool
	}{
		{"a stream", aStream, true},
		{"a stream of stated length", plain("200 OK", "text/event-stream", content("a")+last+done), true},
		{"an error", plain("503 Service Unavailable", "text/plain", "full"), true},
		{"line ends after the last event", streamHead + chunk(content("a")) + chunk(last) + chunk("data: [DONE]\n") + chunk("\n") + chunk("\n\n") + lastChunk, true},
		{"events after the last", streamHead + chunk(content("a")) + chunk(last) + chunk(done) + chunk(done) + lastChunk, true},
		{"no end of the body", streamHead + chunk(content("a")) + chunk(last) + chunk(done), false},
		{"bytes behind the answer", aStream + "HTTP/1.1 200 OK\r\n\r\n", false},
		{"an announced close", strings.Replace(aStream, "\r\n", "\r\nConnection: close\r\n", 1), false},
		{"a long error", plain("500 Oops", "text/plain", strings.Repeat("x", 2*maxErrorBody)), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := listen(t, replying(tt.answer))
			c := client(t, h.url)
			ask(c)
			ask(c)
			want := int64(2)
			if tt.kept {
				want = 1
			}
			if got := h.conns.Load(); got != want {
				t.Errorf("%d connections for two requests, want %d", got, want)
			}
		})
	}
}

func TestAKeptConnectionThatTheServerClosed(t *testing.T) {
	h := listen(t, once(aStream)) // the head does not announce the close
	c := client(t, h.url)
	for i := range 3 {
		o := ask(c)
		failed(t, o, "", "")
		if o.Connect == 0 {
			t.Errorf("request %d: the time of connecting is lost", i)
		}
	}
}

// A request is asked again only when nothing of an answer came on a connection
// that was kept, and once.
func TestWhatIsNotAskedAgain(t *testing.T) {
	for _, tt := range []struct {
		name     string
		second   string // what is written on the first connection for the second request
		requests int
		kind     string
	}{
		{"half an answer", "HTTP/1.1 200", 2, KindReset},
		{"nothing, and nothing on a fresh one", "", 3, KindReset},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var mu sync.Mutex
			requests := 0
			h := listen(t, func(c net.Conn, number int) {
				r := bufio.NewReader(c)
				for i := 0; ; i++ {
					if _, _, err := heard(r); err != nil {
						return
					}
					mu.Lock()
					requests++
					mu.Unlock()
					if number > 0 || i > 0 {
						io.WriteString(c, tt.second)
						return
					}
					io.WriteString(c, aStream)
				}
			})
			c := client(t, h.url)
			failed(t, ask(c), "", "")
			failed(t, ask(c), tt.kind, "")
			mu.Lock()
			defer mu.Unlock()
			if requests != tt.requests {
				t.Errorf("%d requests, want %d", requests, tt.requests)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	h := listen(t, func(c net.Conn, _ int) {
		r := bufio.NewReader(c)
		if _, _, err := heard(r); err != nil {
			return
		}
		io.WriteString(c, streamHead+chunk(content("a")))
		cancel()
		r.Peek(1) // until the client has gone
	})
	c := client(t, h.url)
	o := c.Do(ctx, "id", []byte("{}"))
	failed(t, o, KindCancelled, "")
	if o.NotSent || o.End < o.Sent {
		t.Errorf("not sent %v, sent %s, end %s", o.NotSent, o.Sent, o.End)
	}
	if kept := c.idle.take(); kept != nil {
		t.Error("the connection of a cancelled request is kept")
	}
	o = c.Do(ctx, "id", []byte("{}"))
	failed(t, o, KindCancelled, "")
	if !o.NotSent || h.conns.Load() != 1 {
		t.Errorf("after the end of its context: not sent %v, %d connections", o.NotSent, h.conns.Load())
	}
}

func TestTLS(t *testing.T) {
	h := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, role+content("a")+last+done)
	}))
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.StartTLS()
	defer h.Close()
	ca := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw})
	if err := os.WriteFile(ca, cert, 0o600); err != nil {
		t.Fatal(err)
	}
	mute := listen(t, func(c net.Conn, _ int) { io.Copy(io.Discard, c) })
	cleartext := listen(t, func(c net.Conn, _ int) {
		c.Read(make([]byte, 100))
		io.WriteString(c, "HTTP/1.1 400 Bad Request\r\n\r\n")
	})
	secure := func(url string) string { return strings.Replace(url, "http:", "https:", 1) }
	for _, tt := range []struct {
		name, url    string
		change       func(*Endpoint, *Options)
		kind, detail string
	}{
		{"an unknown authority", h.URL, nil, KindTLS, "--ca-file"},
		{"its authority", h.URL, func(e *Endpoint, _ *Options) { e.CAFile = ca }, "", ""},
		{"not verified", h.URL, func(e *Endpoint, _ *Options) { e.InsecureTLS = true }, "", ""},
		{"another name", strings.Replace(h.URL, "127.0.0.1", "localhost", 1), func(e *Endpoint, _ *Options) { e.CAFile = ca }, KindTLS, "localhost"},
		{"cleartext asked by TLS", secure(cleartext.url), nil, KindTLS, "use http://"},
		{"TLS asked by cleartext", strings.Replace(h.URL, "https:", "http:", 1), nil, KindBadRequest, "HTTPS server"},
		{"no handshake", secure(mute.url), func(_ *Endpoint, o *Options) { o.ConnectTimeout = 50 * time.Millisecond }, KindTLS, "took too long"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			change := tt.change
			if change == nil {
				change = func(*Endpoint, *Options) {}
			}
			c := client(t, tt.url, change)
			for range 2 {
				failed(t, ask(c), tt.kind, tt.detail)
			}
		})
	}
	if _, err := New(Endpoint{URL: h.URL, CAFile: "testdata/none"}, Options{}); err == nil {
		t.Error("a missing file of authorities is taken")
	}
}

// A read deadline that was only too early must not spoil a TLS connection.
func TestASlowStreamOverTLS(t *testing.T) {
	const pause = 60 * time.Millisecond
	h := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tick := time.NewTicker(pause)
		defer tick.Stop()
		for _, e := range []string{content("a"), content("b"), content("c"), last + done} {
			<-tick.C
			io.WriteString(w, e)
			w.(http.Flusher).Flush()
		}
	}))
	defer h.Close()
	o := ask(client(t, h.URL, limits(2*pause, 5*time.Second), func(e *Endpoint, _ *Options) { e.InsecureTLS = true }))
	failed(t, o, "", "")
	if len(o.Chunks) != 4 {
		t.Errorf("%d chunks, want 4", len(o.Chunks))
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	h := listen(t, replying(aStream))
	before := runtime.NumGoroutine()
	c := client(t, h.url)
	ctx, cancel := context.WithCancel(t.Context())
	for range 10 {
		failed(t, c.Do(ctx, "id", []byte("{}")), "", "")
	}
	cancel()
	failed(t, c.Do(ctx, "id", []byte("{}")), KindCancelled, "")
	c.Close()
	// The server's goroutine ends when it sees its connection closed.
	for deadline := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
