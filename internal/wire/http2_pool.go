//lint:file-ignore SA1019 The errors of net/http's own HTTP/2 are not exported: a
// refused stream, a connection that goes away and a broken rule could not be told
// apart by it.

package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"math"
	"net"
	"strings"
	"sync"

	"golang.org/x/net/http2"
)

// http2Name is HTTP/2 as TLS negotiates it.
const http2Name = "h2"

// streamPool keeps the connections of HTTP/2. A request that no connection has
// room for gets a further one: to wait for room would be the client's doing, and
// look like the server's.
type streamPool struct {
	client    *Client
	transport http2.Transport

	mu      sync.Mutex
	conns   []*http2.ClientConn
	pending *dialling // under way for all that wait
	opened  int
	limit   int // of requests at once on a connection, as the server last said
	closed  bool
}

// dialling is one attempt to connect.
type dialling struct {
	done   chan struct{}
	failed *Error
}

func newStreamPool(c *Client) *streamPool {
	return &streamPool{client: c, transport: http2.Transport{AllowHTTP: true, DisableCompression: true, MaxHeaderListSize: maxHead}}
}

// take gives a connection with room for a request, which is reserved. fresh says
// that the caller has waited for one to be made.
func (p *streamPool) take(ctx context.Context) (cc *http2.ClientConn, fresh bool, failed *Error) {
	for {
		if ctx.Err() != nil {
			return nil, fresh, cancelledError()
		}
		cc, wait, mine := p.reserve()
		if cc != nil {
			return cc, fresh, nil
		}
		fresh = true
		if mine {
			cc, failed := p.dial(ctx, wait)
			return cc, fresh, failed
		}
		select {
		case <-wait.done:
		case <-ctx.Done():
			return nil, fresh, cancelledError()
		}
		// That another gave up is no reason for this one.
		if wait.failed != nil && wait.failed.Kind != KindCancelled {
			e := *wait.failed
			return nil, fresh, &e
		}
	}
}

// reserve finds room, or says what to wait for, and whether to make it.
func (p *streamPool) reserve() (cc *http2.ClientConn, wait *dialling, mine bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := p.conns[:0]
	for _, c := range p.conns {
		if state := c.State(); !state.Closed && !state.Closing {
			open = append(open, c)
		}
	}
	clear(p.conns[len(open):])
	p.conns = open
	for _, c := range open {
		if c.ReserveNewRequest() {
			return c, nil, false
		}
	}
	if p.pending != nil {
		return nil, p.pending, false
	}
	p.pending = &dialling{done: make(chan struct{})}
	return nil, p.pending, true
}

// dial connects for all that wait, and reserves room for the one that called: a
// connection without any would be followed by another one for ever.
func (p *streamPool) dial(ctx context.Context, d *dialling) (*http2.ClientConn, *Error) {
	cc, limit, failed := p.open(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case failed != nil:
	case p.closed:
		failed = cancelledError()
	case !cc.ReserveNewRequest():
		failed = noRoom(limit)
	}
	if failed == nil {
		p.conns, p.limit = append(p.conns, cc), limit
		p.opened++
	} else if cc != nil {
		cc.Close()
	}
	p.pending, d.failed = nil, failed
	close(d.done)
	if failed != nil {
		e := *failed // the others read theirs
		return nil, &e
	}
	return cc, nil
}

// noRoom is why a new connection takes no request.
func noRoom(limit int) *Error {
	if limit == 0 {
		return &Error{Kind: KindOverloaded, Detail: "the server allows no request on a connection (HTTP/2 SETTINGS_MAX_CONCURRENT_STREAMS 0)"}
	}
	return &Error{Kind: KindReset, Detail: "the server gave a new connection up before any request (HTTP/2 GOAWAY)"}
}

// open connects and waits for the server's settings: they say how many requests
// a connection takes.
func (p *streamPool) open(ctx context.Context) (*http2.ClientConn, int, *Error) {
	c, failed := p.client.connect(ctx)
	if failed != nil {
		return nil, 0, failed
	}
	if secure, ok := c.Conn.(*tls.Conn); ok && secure.ConnectionState().NegotiatedProtocol != http2Name {
		c.Close()
		return nil, 0, &Error{Kind: KindTLS, Detail: noHTTP2}
	}
	cc, err := p.transport.NewClientConn(c.Conn)
	if err == nil {
		within, cancel := context.WithTimeout(ctx, p.client.options.ConnectTimeout)
		defer cancel()
		if err = cc.Ping(within); err == nil {
			return cc, int(min(cc.State().MaxConcurrentStreams, math.MaxInt32)), nil
		}
		cc.Close()
	}
	c.Close()
	return nil, 0, notHTTP2(ctx, err)
}

const noHTTP2 = "the server offers no HTTP/2: use --http-version 1.1"

// notHTTP2 names a connection that does not begin as one of HTTP/2.
func notHTTP2(ctx context.Context, err error) *Error {
	var network net.Error
	switch {
	case ctx.Err() != nil:
		return cancelledError()
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return &Error{Kind: KindConnect, Detail: "no word of HTTP/2 from the server within the time to connect: it may speak HTTP/1.1 only (--http-version 1.1)"}
	}
	return &Error{Kind: KindMalformed, Detail: fmt.Sprintf("%s (%s)", noHTTP2, oneLine(err.Error(), maxName))}
}

func (p *streamPool) count() (connections, limit int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened, p.limit
}

func (p *streamPool) close() {
	p.mu.Lock()
	conns := p.conns
	p.conns, p.closed = nil, true
	p.mu.Unlock()
	for _, cc := range conns {
		cc.Close()
	}
}

// givenUp reports a request that the server has not looked at: it was about to
// close the connection.
func givenUp(err error) bool {
	s := err.Error()
	return s == "http2: Transport received Server's graceful shutdown GOAWAY" || s == "http2: client conn not usable" ||
		s == "http2: client connection is not usable" || s == "http2: client conn could not be established"
}

// neverHTTP2 reports a new connection on which the server answered in something
// else before it had a request.
func neverHTTP2(err error) bool {
	return strings.HasSuffix(err.Error(), "http2: client conn could not be established")
}

// wasRead reports that the server ended a stream that it has seen.
func wasRead(err error) bool {
	var stream http2.StreamError
	return errors.As(err, &stream) && stream.Code != http2.ErrCodeRefusedStream
}

// http2Error names a failure of HTTP/2's own; nil for any other.
func http2Error(err error) *Error {
	var (
		stream http2.StreamError
		away   http2.GoAwayError
		broken http2.ConnectionError
	)
	switch {
	case errors.As(err, &stream) && stream.Code == http2.ErrCodeRefusedStream:
		return &Error{Kind: KindOverloaded, Detail: "the server refused the request (HTTP/2 REFUSED_STREAM)"}
	case errors.As(err, &stream) && stream.Code == http2.ErrCodeEnhanceYourCalm:
		return &Error{Kind: KindRateLimited, Detail: "the server asks for less (HTTP/2 ENHANCE_YOUR_CALM)"}
	case errors.As(err, &stream) && stream.Code == http2.ErrCodeProtocol && stream.Cause != nil:
		return &Error{Kind: KindMalformed, Detail: oneLine(stream.Cause.Error(), maxName)}
	case errors.As(err, &stream):
		return &Error{Kind: KindReset, Detail: fmt.Sprintf("the server reset the stream (HTTP/2 %s)", stream.Code)}
	case errors.As(err, &away):
		return &Error{Kind: KindReset, Detail: fmt.Sprintf("the server closed the connection (HTTP/2 GOAWAY, %s)", away.ErrCode)}
	case errors.As(err, &broken):
		return &Error{Kind: KindMalformed, Detail: fmt.Sprintf("the server broke HTTP/2's rules (%s)", http2.ErrCode(broken))}
	}
	s := err.Error()
	if words, ok := strings.CutPrefix(s, "http2: Transport received GOAWAY from server"); ok {
		return &Error{Kind: KindReset, Detail: "the server closed the connection (HTTP/2 GOAWAY" + oneLine(words, maxKind) + ")"}
	}
	if s == "http2: client connection lost" || givenUp(err) {
		return &Error{Kind: KindReset, Detail: "the connection was lost"}
	}
	return nil
}
