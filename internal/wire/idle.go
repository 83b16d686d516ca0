package wire

import (
	"crypto/tls"
	"errors"
	"os"
	"sync"
	"syscall"
)

// idleConns keeps connections for reuse, the last one used first: its window
// is open and the server least likely to have closed it.
type idleConns struct {
	mu     sync.Mutex
	conns  []*conn
	closed bool
}

// take gives a connection on which nothing has come since it was put, nil
// without one. The others are closed: what came would be read as the answer to
// a request that the server has not seen.
func (p *idleConns) take() *conn {
	for {
		c := p.pop()
		if c == nil || c.quiet() {
			return c
		}
		c.Close()
	}
}

func (p *idleConns) pop() *conn {
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
	c.ctx = nil
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

// quiet looks, without waiting, whether an idle connection has neither unread
// bytes nor an end.
func (c *conn) quiet() bool {
	if c.br.Buffered() > 0 {
		return false
	}
	under := c.Conn
	if secure, ok := under.(*tls.Conn); ok {
		if holds(secure) {
			return false
		}
		under = secure.NetConn()
	}
	socket, ok := under.(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	return err == nil && silent(raw)
}

// holds reports a record that c has taken off the network beyond what was read
// of it. A deadline that has passed keeps the read from the network itself.
func holds(c *tls.Conn) bool {
	c.SetReadDeadline(past)
	n, err := c.Read(make([]byte, 1))
	return n > 0 || !errors.Is(err, os.ErrDeadlineExceeded)
}
