package wire

import (
	"bufio"
	"net"
	"sync"
	"time"
)

// conn is one connection with its reader. One goroutine uses it at a time.
type conn struct {
	net.Conn
	br   *bufio.Reader
	kept bool // it has served a request before
	last time.Duration
	got  int64 // bytes of the present answer
}

// readBuffer is small: sixteen thousand open streams each hold one.
const readBuffer = 4 << 10

func newConn(nc net.Conn) *conn {
	c := &conn{Conn: nc}
	c.br = bufio.NewReaderSize(readCounter{c}, readBuffer)
	return c
}

// readCounter counts what arrives, so that a kept connection that died before
// its first byte can be told from an answer that broke off.
type readCounter struct{ c *conn }

func (r readCounter) Read(p []byte) (int, error) {
	n, err := r.c.Conn.Read(p)
	r.c.got += int64(n)
	return n, err
}

// idleConns keeps connections for reuse, the last one used first: its window
// is open and the server least likely to have closed it.
type idleConns struct {
	mu     sync.Mutex
	conns  []*conn
	closed bool
}

func (p *idleConns) take() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.conns)
	if n == 0 {
		return nil
	}
	c := p.conns[n-1]
	p.conns[n-1] = nil
	p.conns = p.conns[:n-1]
	return c
}

func (p *idleConns) put(c *conn) {
	p.mu.Lock()
	closed := p.closed
	if !closed {
		c.kept = true
		p.conns = append(p.conns, c)
	}
	p.mu.Unlock()
	if closed {
		c.Close()
	}
}

func (p *idleConns) close() {
	p.mu.Lock()
	conns := p.conns
	p.conns, p.closed = nil, true
	p.mu.Unlock()
	for _, c := range conns {
		c.Close()
	}
}

// past is a deadline that ends what is under way.
var past = time.Unix(1, 0)
