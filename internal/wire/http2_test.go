package wire

import (
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// serve2 starts a server of HTTP/2 alone, over TLS or in cleartext.
func serve2(t *testing.T, secure bool, mostStreams int, handle http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handle)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: mostStreams}
	s.Config.Protocols = &http.Protocols{}
	if secure {
		s.Config.Protocols.SetHTTP2(true)
		s.EnableHTTP2 = true
		s.StartTLS()
	} else {
		s.Config.Protocols.SetUnencryptedHTTP2(true)
		s.Start()
	}
	t.Cleanup(s.Close)
	return s.URL
}

func over2(e *Endpoint, _ *Options) { e.HTTPVersion, e.InsecureTLS = HTTP2, true }

// in words of the two ways.
var ways = map[bool]string{true: "TLS", false: "cleartext"}

func TestHTTP2AsSent(t *testing.T) {
	type request struct{ Proto, Line, Host, Key, ID, Own, Encoding, Body string }
	for secure, way := range ways {
		t.Run(way, func(t *testing.T) {
			got := make(chan request, 2)
			url := serve2(t, secure, 100, func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				got <- request{
					r.Proto, r.Method + " " + r.RequestURI, r.Host, r.Header.Get("Authorization"), r.Header.Get("X-Request-Id"),
					r.Header.Get("X-Own"), r.Header.Get("Accept-Encoding"), string(b),
				}
				if r.Method == http.MethodGet {
					io.WriteString(w, `{"data":[{"id":"m"}]}`)
					return
				}
				io.WriteString(w, role+content("a")+last+usage2+done)
			})
			c := client(t, url+"/gate%20way", withKey("k"), over2, func(e *Endpoint, _ *Options) {
				e.Headers = []Header{mustHeader(t, "X-Own", "v"), mustHeader(t, "Host", "llm.example.com")}
			})
			o := c.Do(t.Context(), "run-1", []byte(`{"a":1}`))
			failed(t, o, "", "")
			want := request{"HTTP/2.0", "POST /gate%20way/v1/chat/completions", "llm.example.com", "Bearer k", "run-1", "v", "identity", `{"a":1}`}
			if diff := cmp.Diff(want, <-got); diff != "" {
				t.Error(diff)
			}
			if !(0 < o.Connect && o.Connect <= o.Sent && o.Sent <= o.Headers && o.Headers <= o.Chunks[0].At && o.Chunks[0].At <= o.End) || o.Status != 200 {
				t.Errorf("moments out of order: %+v", o)
			}
			if o := c.Do(t.Context(), "run-2", nil); o.Connect != 0 || o.Err != nil {
				t.Errorf("the connection is not kept: connect %s, %v", o.Connect, o.Err)
			}
			<-got
			if _, err := c.Models(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r := <-got; r.Proto != "HTTP/2.0" {
				t.Errorf("a question goes by %s", r.Proto)
			}
			if n, limit := c.Multiplexed(); n != 1 || limit != 100 {
				t.Errorf("%d connections, %d requests on each", n, limit)
			}
		})
	}
}

// A stream comes to the same over both versions.
func TestHTTP2ComesToTheSame(t *testing.T) {
	answer := role + content("Hi") + content(" there") + last + usage2 + done
	handle := func(w http.ResponseWriter, r *http.Request) {
		for event := range strings.SplitAfterSeq(answer, "\n\n") {
			io.WriteString(w, event)
			w.(http.Flusher).Flush()
		}
	}
	s := httptest.NewServer(http.HandlerFunc(handle))
	defer s.Close()
	keep := func(_ *Endpoint, o *Options) { o.KeepText = true }
	bare := func(o Outcome) string {
		o.Sent, o.Connect, o.Headers, o.End = 0, 0, 0, 0
		for i := range o.Chunks {
			o.Chunks[i].At = 0
		}
		b, _ := json.Marshal(o)
		return string(b)
	}
	one, two := ask(client(t, s.URL, keep)), ask(client(t, serve2(t, false, 10, handle), over2, keep))
	if diff := cmp.Diff(bare(one), bare(two)); diff != "" || one.Err != nil {
		t.Errorf("HTTP/1.1 and HTTP/2 differ: %s", diff)
	}
}

// A server that allows few requests on a connection gets more connections: none
// of the requests waits for another's end.
func TestHTTP2OpensAsManyConnectionsAsItNeeds(t *testing.T) {
	const most, slots = 3, 10
	var all sync.WaitGroup
	all.Add(slots)
	url := serve2(t, true, most, func(w http.ResponseWriter, r *http.Request) {
		all.Done()
		all.Wait() // for all of the others
		io.WriteString(w, role+content("a")+last+done)
	})
	c := client(t, url, over2)
	var tasks sync.WaitGroup
	for range slots {
		tasks.Go(func() { failed(t, ask(c), "", "") })
	}
	tasks.Wait()
	if n, limit := c.Multiplexed(); n != 4 || limit != most {
		t.Errorf("%d connections of %d requests, want 4 of %d", n, limit, most)
	}
}

func TestHTTP2Failures(t *testing.T) {
	begin := func(w http.ResponseWriter) {
		io.WriteString(w, role+content("a"))
		w.(http.Flusher).Flush()
	}
	for _, tt := range []struct {
		name         string
		handle       http.HandlerFunc
		kind, detail string
	}{
		{"reset before the answer", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, KindReset, "INTERNAL_ERROR"},
		{"reset in mid-stream", func(w http.ResponseWriter, _ *http.Request) { begin(w); panic(http.ErrAbortHandler) }, KindReset, "INTERNAL_ERROR"},
		{"no finish", func(w http.ResponseWriter, _ *http.Request) { begin(w) }, KindTruncated, "finish_reason"},
		{"nothing", func(http.ResponseWriter, *http.Request) {}, KindTruncated, "single event"},
		{"overloaded", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(503)
			io.WriteString(w, "full")
		}, KindOverloaded, "full"},
		{"stall before the answer", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, KindStall, "no byte"},
		{"stall in mid-stream", func(w http.ResponseWriter, r *http.Request) { begin(w); <-r.Context().Done() }, KindStall, "no byte"},
		{"HTML", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html></html>") }, KindNotAStream, "HTML"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			stall := 10 * time.Second
			if tt.kind == KindStall {
				stall = 150 * time.Millisecond
			}
			c := client(t, serve2(t, false, 10, tt.handle), over2, limits(stall, 30*time.Second))
			o := ask(c)
			failed(t, o, tt.kind, tt.detail)
			if o.End < o.Sent || o.Sent == 0 {
				t.Errorf("sent %s, end %s", o.Sent, o.End)
			}
			if tt.kind == KindOverloaded && o.Err.RetryAfter != 2*time.Second {
				t.Errorf("retry after %s", o.Err.RetryAfter)
			}
		})
	}
}

func TestHTTP2Timeout(t *testing.T) {
	url := serve2(t, false, 10, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil { // it never stalls and never ends
			io.WriteString(w, content("a"))
			w.(http.Flusher).Flush()
			time.Sleep(5 * time.Millisecond)
		}
	})
	failed(t, ask(client(t, url, over2, limits(5*time.Second, 150*time.Millisecond))), KindTimeout, "150ms")
}

func TestHTTP2Cancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	url := serve2(t, false, 10, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, role+content("a"))
		w.(http.Flusher).Flush()
		cancel()
		<-r.Context().Done() // the stream was reset, and not the connection
		close(gone)
	})
	c := client(t, url, over2)
	failed(t, c.Do(ctx, "id", nil), KindCancelled, "")
	<-gone
	o := c.Do(ctx, "id", nil)
	failed(t, o, KindCancelled, "")
	if !o.NotSent {
		t.Error("sent after the end of its context")
	}
}

func TestNoHTTP2(t *testing.T) {
	old := startStreamer(t, (*httptest.Server).Start)
	oldSecure := startStreamer(t, func(s *httptest.Server) {
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		s.StartTLS()
	})
	mute := listen(t, func(c net.Conn, _ int) { io.Copy(io.Discard, c) })
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	for _, tt := range []struct{ name, url, kind, detail string }{
		{"HTTP/1.1 in cleartext", old.URL, KindMalformed, "--http-version 1.1"},
		{"HTTP/1.1 over TLS", oldSecure.URL, KindTLS, "--http-version 1.1"},
		{"no answer", mute.url, KindConnect, "--http-version 1.1"},
		{"nobody", "http://" + ln.Addr().String(), KindConnect, "refused"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, tt.url, over2, func(_ *Endpoint, o *Options) {
				if tt.url == mute.url {
					o.ConnectTimeout = 200 * time.Millisecond
				}
			})
			var tasks sync.WaitGroup
			for range 3 { // all share what one of them finds
				tasks.Go(func() {
					o := ask(c)
					failed(t, o, tt.kind, tt.detail)
					if !o.NotSent {
						t.Error("it counts as sent")
					}
				})
			}
			tasks.Wait()
			if tt.url == mute.url {
				return // a question waits longer
			}
			if _, err := c.Models(t.Context()); err == nil || !strings.Contains(err.Error(), tt.detail) {
				t.Errorf("a question: got error %v, want one with %q", err, tt.detail)
			}
		})
	}
	proxy, err := OneProxy("http://proxy:3128")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Endpoint{{URL: "http://host", HTTPVersion: "3"}, {URL: "http://host", HTTPVersion: HTTP2, Proxies: proxy}} {
		if _, err := New(e, Options{}); err == nil {
			t.Errorf("%+v is taken", e)
		}
	}
}

func TestHTTP2ThroughAProxy(t *testing.T) {
	url := serve2(t, true, 10, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, role+content("a")+last+done) })
	f := &forwarder{}
	failed(t, ask(client(t, url, through(t, f.start(t)), over2)), "", "")
	if f.tunnels.Load() != 1 {
		t.Errorf("%d tunnels", f.tunnels.Load())
	}
}

// framed is a server that answers requests frame by frame: the n-th of its
// connections and streams, counted from 0.
func framed(t *testing.T, answer func(f *http2.Framer, conn, n int, stream uint32)) *host {
	return framedFrom(t, func(f *http2.Framer) { f.WriteSettings() }, answer)
}

// framedFrom is framed with the frames that a connection begins with.
func framedFrom(t *testing.T, begin func(f *http2.Framer), answer func(f *http2.Framer, conn, n int, stream uint32)) *host {
	return listen(t, func(c net.Conn, conn int) {
		if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
			return
		}
		f := http2.NewFramer(c, c)
		begin(f)
		n := 0
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() {
					f.WriteSettingsAck()
				}
			case *http2.PingFrame:
				f.WritePing(true, frame.Data)
			case *http2.DataFrame:
				if frame.StreamEnded() {
					answer(f, conn, n, frame.StreamID)
					n++
				}
			}
		}
	})
}

func writeAnswer(f *http2.Framer, stream uint32) {
	var b strings.Builder
	hpack.NewEncoder(&b).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte(b.String()), EndHeaders: true})
	f.WriteData(stream, true, []byte(role+content("a")+last+done))
}

func TestFramesThatRefuse(t *testing.T) {
	for _, tt := range []struct {
		name         string
		answer       func(f *http2.Framer, stream uint32)
		kind, detail string
	}{
		{"refused", func(f *http2.Framer, s uint32) { f.WriteRSTStream(s, http2.ErrCodeRefusedStream) }, KindOverloaded, "REFUSED_STREAM"},
		{"calm", func(f *http2.Framer, s uint32) { f.WriteRSTStream(s, http2.ErrCodeEnhanceYourCalm) }, KindRateLimited, "ENHANCE_YOUR_CALM"},
		{"cancelled", func(f *http2.Framer, s uint32) { f.WriteRSTStream(s, http2.ErrCodeCancel) }, KindReset, "CANCEL"},
		{"going away", func(f *http2.Framer, s uint32) { f.WriteGoAway(0, http2.ErrCodeInternal, nil) }, KindReset, "GOAWAY"},
		{"nonsense", func(f *http2.Framer, s uint32) { f.WriteRawFrame(http2.FrameData, 0, 0, []byte("x")) }, KindMalformed, "HTTP/2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := framed(t, func(f *http2.Framer, _, _ int, stream uint32) { tt.answer(f, stream) })
			failed(t, ask(client(t, h.url, over2)), tt.kind, tt.detail)
		})
	}
}

// What a server that goes away in good order has not looked at is asked again,
// once, and its wait counts from the first time.
func TestAKeptHTTP2ConnectionThatTheServerGivesUp(t *testing.T) {
	h := framed(t, func(f *http2.Framer, conn, n int, stream uint32) {
		if conn == 0 && n == 1 {
			f.WriteGoAway(stream-2, http2.ErrCodeNo, nil)
			return
		}
		writeAnswer(f, stream)
	})
	c := client(t, h.url, over2)
	for range 3 {
		failed(t, ask(c), "", "")
	}
	if got := h.conns.Load(); got != 2 {
		t.Errorf("%d connections, want 2", got)
	}
}

// A new connection on which nothing may be asked is a failure, and no reason to
// open another one.
func TestHTTP2ConnectionsWithoutRoom(t *testing.T) {
	for _, tt := range []struct {
		name   string
		begin  func(f *http2.Framer)
		kind   string
		detail string
	}{
		{"none allowed", func(f *http2.Framer) {
			f.WriteSettings(http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: 0})
		}, KindOverloaded, "MAX_CONCURRENT_STREAMS 0"},
		{"given up at once", func(f *http2.Framer) {
			f.WriteSettings()
			f.WriteGoAway(0, http2.ErrCodeNo, nil)
		}, KindReset, "GOAWAY"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := framedFrom(t, tt.begin, func(*http2.Framer, int, int, uint32) {})
			c := client(t, h.url, over2)
			var tasks sync.WaitGroup
			for range 4 {
				tasks.Go(func() {
					o := ask(c)
					failed(t, o, tt.kind, tt.detail)
					if !o.NotSent {
						t.Error("it counts as sent")
					}
				})
			}
			tasks.Wait()
			if n := h.conns.Load(); n > 4 {
				t.Errorf("%d connections for 4 requests", n)
			}
		})
	}
}

func TestNothingOfHTTP2IsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, role+content("a")+last+done)
	}))
	s.Config.Protocols = &http.Protocols{}
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	s.Start()
	c, err := New(Endpoint{URL: s.URL, HTTPVersion: HTTP2}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		failed(t, ask(c), "", "")
	}
	c.Close()
	s.Close()
	for end := time.Now().Add(5 * time.Second); runtime.NumGoroutine() > before; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}
