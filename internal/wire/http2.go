package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"sync/atomic"
	"time"
)

// Versions of HTTP that measured requests can use.
const (
	HTTP1 = "1.1"
	HTTP2 = "2"
)

// multiplexed reads one exchange over HTTP/2. Other goroutines write its request
// and take its answer off the network; an event's time is when its bytes are
// handed over here.
func (x *exchange) multiplexed(id string) {
	c := x.client
	x.out, x.facts = Outcome{AnswerAt: -1}, Facts{}
	header, failed := c.numbered(x.ctx, id, x.body)
	if failed != nil {
		x.out.NotSent, x.out.Err = true, failed
		return
	}
	x.start = c.Now()
	if again := x.tryMultiplexed(header); again {
		sent := x.out.Sent
		x.out = Outcome{AnswerAt: -1}
		x.tryMultiplexed(header)
		if sent > 0 && !x.out.NotSent {
			x.out.Sent = sent // the wait began there
		}
	}
}

// numbered is the header of one request, signed where that is asked.
func (c *Client) numbered(ctx context.Context, id string, body []byte) (header http.Header, failed *Error) {
	if header = c.header.Clone(); c.endpoint.Signer != nil {
		if header, failed = c.signed(ctx, body); failed != nil {
			return nil, failed
		}
	}
	header.Set("X-Request-Id", id)
	return header, nil
}

// tryMultiplexed reports a connection that the server gave up before it took the
// request.
func (x *exchange) tryMultiplexed(header http.Header) (again bool) {
	c := x.client
	begun := c.Now()
	cc, fresh, failed := c.streams.take(x.ctx)
	if fresh {
		x.out.Connect = c.Now() - begun
	}
	if failed != nil {
		x.out.NotSent, x.out.Err = true, failed
		return false
	}
	s := newStream(x)
	defer s.end()
	resp, err := cc.RoundTrip(s.request(header, x.body))
	x.out.Sent = s.sentAt()
	if err != nil {
		if x.out.Sent == 0 && wasRead(err) {
			x.out.Sent = c.Now()
		}
		x.out.NotSent = x.out.Sent == 0
		x.fail(s.cause(err))
		return !fresh && givenUp(err)
	}
	defer resp.Body.Close()
	s.body = resp.Body
	x.conn.arrived = c.Now()
	if x.out.Sent == 0 { // the answer came before all of the request had left
		x.out.Sent = x.conn.arrived
	}
	x.out.Headers, x.out.Status = x.conn.arrived, resp.StatusCode
	b := &body{br: x.conn.br, left: -1}
	if resp.StatusCode == http.StatusOK && !compressed(resp) {
		x.succeeded(resp, b)
	} else {
		x.refused(resp, b, nil)
	}
	return false
}

// stream is one request on a connection of many, as the conn that an exchange
// reads from. Its deadline is that of the exchange.
type stream struct {
	*conn
	exchange *exchange
	ctx      context.Context
	cancel   context.CancelCauseFunc
	watchdog *time.Timer
	body     io.ReadCloser
	sent     atomic.Int64 // since the epoch; 0: not yet
}

func newStream(x *exchange) *stream {
	c := x.client
	s := &stream{exchange: x, conn: &conn{}}
	s.conn.br = bufio.NewReaderSize(arrivals{s.conn}, readBuffer)
	s.conn.Conn = streamConn{s: s}
	s.ctx, s.cancel = context.WithCancelCause(x.ctx)
	s.conn.begin(s.ctx, c.options.Epoch, c.options.Stall, x.start+c.options.Timeout)
	s.watchdog = time.AfterFunc(min(c.options.Stall, c.options.Timeout), func() { s.cancel(os.ErrDeadlineExceeded) })
	s.conn.arrived = c.Now()
	x.conn = s.conn
	return s
}

func (s *stream) end() {
	s.watchdog.Stop()
	s.cancel(context.Canceled)
}

func (s *stream) request(header http.Header, body []byte) *http.Request {
	c := s.exchange.client
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil {
			s.sent.Store(int64(c.Now()))
			s.watchdog.Reset(min(c.options.Stall, s.exchange.start+c.options.Timeout-c.Now()))
		}
	}}
	r := &http.Request{
		Method: http.MethodPost, URL: &url.URL{Scheme: c.base.Scheme, Host: c.base.Host, Opaque: c.target}, Host: c.endpoint.host(c.base.Host),
		Header: header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Proto: "HTTP/2.0", ProtoMajor: 2,
	}
	return r.WithContext(httptrace.WithClientTrace(s.ctx, trace))
}

func (s *stream) sentAt() time.Duration { return time.Duration(s.sent.Load()) }

// cause is why the stream ended: the watchdog is behind what net/http calls a
// cancelled request.
func (s *stream) cause(err error) error {
	if errors.Is(context.Cause(s.ctx), os.ErrDeadlineExceeded) && err != io.EOF {
		return os.ErrDeadlineExceeded
	}
	return err
}

// read waits no longer than the exchange allows.
func (s *stream) read(p []byte) (int, error) {
	c := s.conn
	s.watchdog.Reset(min(c.arrived+c.stall, c.end) - c.now())
	n, err := s.body.Read(p)
	if err != nil {
		err = s.cause(err)
	}
	return n, err
}

// streamConn is what a conn needs of a network connection. Deadlines are set
// with each read.
type streamConn struct {
	net.Conn // nil: nothing else of it is called
	s        *stream
}

func (c streamConn) Read(p []byte) (int, error) { return c.s.read(p) }

// Close is not called: the exchange's end is the stream's.
func (c streamConn) Close() error { return nil }

// SetDeadline is how an exchange is given up.
func (c streamConn) SetDeadline(t time.Time) error {
	if t.Equal(past) {
		c.s.cancel(context.Canceled)
	}
	return nil
}

func (c streamConn) SetReadDeadline(time.Time) error { return nil }

// Multiplexed is how many connections HTTP/2 has opened and how many requests the
// server allows at once on each; zeros for HTTP/1.1.
func (c *Client) Multiplexed() (connections, limit int) {
	if c.streams == nil {
		return 0, 0
	}
	return c.streams.count()
}

// checkVersion refuses a version that cannot be had on the way.
func (c *Client) checkVersion() error {
	switch c.endpoint.HTTPVersion {
	case "", HTTP1:
		return nil
	case HTTP2:
		if c.proxy != nil && c.base.Scheme == "http" {
			return errors.New("HTTP/2 in cleartext does not pass through a proxy: give an https:// URL, --proxy none or --http-version 1.1")
		}
		return nil
	}
	return fmt.Errorf("HTTP version %q: it is %s or %s", c.endpoint.HTTPVersion, HTTP1, HTTP2)
}
