package wire

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// numbered is a stream whose only token says which answer it is.
func numbered(n int) string {
	return streamHead + chunk(content(fmt.Sprint("answer ", n))) + chunk(done) + lastChunk
}

// awaitIdle waits until what the server wrote, or its end, has come: until then
// nothing tells the connection from a good one.
func awaitIdle(t *testing.T, c *Client) {
	t.Helper()
	c.idle.mu.Lock()
	defer c.idle.mu.Unlock()
	if len(c.idle.conns) != 1 {
		t.Fatalf("%d idle connections, want 1", len(c.idle.conns))
	}
	for deadline := time.Now().Add(5 * time.Second); c.idle.conns[0].quiet(); {
		if time.Now().After(deadline) {
			t.Fatal("the idle connection is taken for a good one")
		}
	}
}

// What comes on an idle connection must not be taken for the next answer.
func TestWhatComesOnAnIdleConnection(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	for name, unasked := range map[string]string{
		"a second answer": numbered(99),
		"a timeout":       plain("408 Request Timeout", "text/plain", "", "Connection: close"),
		"one byte":        "\n",
		"an end":          "",
	} {
		for _, secure := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " TLS ", secure), func(t *testing.T) {
				var asked atomic.Int64
				idle := make(chan struct{})
				h := listen(t, func(c net.Conn, number int) {
					if secure {
						c = tls.Server(c, certificate.TLS)
						defer c.Close()
					}
					r := bufio.NewReader(c)
					for {
						if _, _, err := heard(r); err != nil {
							return
						}
						io.WriteString(c, numbered(int(asked.Add(1))))
						if number > 0 {
							continue
						}
						<-idle
						if unasked == "" {
							return
						}
						io.WriteString(c, unasked)
					}
				})
				url := h.url
				if secure {
					url = "https" + url[len("http"):]
				}
				c := client(t, url, func(e *Endpoint, o *Options) { e.InsecureTLS, o.KeepText = true, true })
				for n := 1; n <= 3; n++ {
					o := ask(c)
					failed(t, o, "", "")
					if want := fmt.Sprint("answer ", n); o.Text != want {
						t.Errorf("request %d got %q", n, o.Text)
					}
					if n == 1 {
						close(idle)
						awaitIdle(t, c)
					}
				}
				if got := h.conns.Load(); got != 2 {
					t.Errorf("%d connections, want 2", got)
				}
			})
		}
	}
}

// Records that TLS has taken off the network together with the answer are seen,
// too.
func TestARecordBehindTheAnswerOverTLS(t *testing.T) {
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS()
	defer certificate.Close()
	h := listen(t, func(raw net.Conn, _ int) {
		together := &corked{Conn: raw}
		c := tls.Server(together, certificate.TLS)
		if _, _, err := heard(bufio.NewReader(c)); err != nil {
			return
		}
		together.cork = true
		io.WriteString(c, numbered(1))
		io.WriteString(c, numbered(99))
		raw.Write(together.held)
		io.Copy(io.Discard, raw)
	})
	c := client(t, "https"+h.url[len("http"):], func(e *Endpoint, o *Options) { e.InsecureTLS = true })
	failed(t, ask(c), "", "")
	if kept := c.idle.take(); kept != nil {
		t.Error("a connection with another answer in it is used again")
	}
}

// corked holds back what is written once it is closed.
type corked struct {
	net.Conn
	cork bool
	held []byte
}

func (c *corked) Write(p []byte) (int, error) {
	if !c.cork {
		return c.Conn.Write(p)
	}
	c.held = append(c.held, p...)
	return len(p), nil
}

// A server that thinks about a request and then closes has failed it: to ask
// again would hide that, and charge its time to the client.
func TestALateCloseIsNotAskedAgain(t *testing.T) {
	for _, tt := range []struct {
		name string
		wait time.Duration
		kind string
		want int64 // connections
	}{
		{"at once", 0, "", 2},
		{"late", 4 * staleWithin, KindReset, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := listen(t, func(c net.Conn, number int) {
				r := bufio.NewReader(c)
				heard(r)
				io.WriteString(c, numbered(1))
				heard(r)
				if number == 0 {
					<-time.After(tt.wait)
				}
			})
			c := client(t, h.url)
			failed(t, ask(c), "", "")
			begun := c.Now()
			o := ask(c)
			failed(t, o, tt.kind, "")
			if h.conns.Load() != tt.want {
				t.Errorf("%d connections, want %d", h.conns.Load(), tt.want)
			}
			if tt.kind == "" && (o.Connect == 0 || o.Sent < begun || o.Headers-o.Sent < o.Connect) {
				t.Errorf("sent %s, connected in %s, headers %s: the latency does not run from the first send", o.Sent-begun, o.Connect, o.Headers-begun)
			}
		})
	}
}
