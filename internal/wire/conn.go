package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"time"
)

// readBuffer is small: sixteen thousand open streams each hold one.
const readBuffer = 4 << 10

// maxHead bounds the head of an answer, bytes.
const maxHead = 256 << 10

// conn is one connection with its reader. One goroutine uses it at a time.
type conn struct {
	net.Conn
	br   *bufio.Reader
	kept bool // it has served a request before

	// Of the exchange under way. Durations are since epoch.
	ctx     context.Context
	epoch   time.Time
	stall   time.Duration
	end     time.Duration // of the whole exchange
	arrived time.Duration // when the last read returned, or the request was sent
	got     int64         // bytes read
	bound   int64         // of got
	bursts  int           // reads; one that continues a full one is not counted
	full    bool          // the last read filled its buffer
	broken  error         // what ended the last read
}

func newConn(nc net.Conn) *conn {
	c := &conn{Conn: nc}
	c.br = bufio.NewReaderSize(arrivals{c}, readBuffer)
	return c
}

// begin readies c for an exchange that may last until end.
func (c *conn) begin(ctx context.Context, epoch time.Time, stall, end time.Duration) {
	c.ctx, c.epoch, c.stall, c.end = ctx, epoch, stall, end
	c.arrived, c.got, c.bound, c.bursts, c.full, c.broken = 0, 0, math.MaxInt64, 0, false, nil
}

func (c *conn) now() time.Duration { return time.Since(c.epoch) }

// write sends the request in one call and starts the wait for its answer.
func (c *conn) write(b []byte) error {
	c.SetWriteDeadline(c.epoch.Add(min(c.now()+c.stall, c.end)))
	_, err := c.Write(b)
	c.arrived = c.now()
	c.wait()
	return err
}

// past is a deadline that ends what is under way.
var past = time.Unix(1, 0)

// give makes what is under way return at once. It may be called by another
// goroutine.
func (c *conn) give() { c.SetDeadline(past) }

// wait sets the read deadline: a stall after the last byte, but no later than
// the end of the exchange.
func (c *conn) wait() {
	c.SetReadDeadline(c.epoch.Add(min(c.arrived+c.stall, c.end)))
	if c.ctx.Err() != nil { // it may have ended before the deadline was set
		c.give()
	}
}

// hurry lets the exchange last no longer than d from now.
func (c *conn) hurry(d time.Duration) {
	c.end = min(c.end, c.now()+d)
	c.wait()
}

// due reports whether the deadline that struck is still in force: it is not
// moved on with each byte, which would cost a call for each token.
func (c *conn) due(now time.Duration) bool {
	return c.ctx.Err() != nil || now >= min(c.arrived+c.stall, c.end)
}

// arrivals is the reader below a conn's buffer.
type arrivals struct{ c *conn }

func (a arrivals) Read(p []byte) (int, error) {
	c := a.c
	if c.got >= c.bound {
		c.broken = fmt.Errorf("the head of the answer is longer than %d bytes", c.bound)
		return 0, c.broken
	}
	for {
		n, err := c.Conn.Read(p)
		now := c.now()
		if n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && !c.due(now) {
			c.wait()
			continue
		}
		if n > 0 {
			c.arrived = now
			c.got += int64(n)
			if !c.full {
				c.bursts++
			}
			c.full = n == len(p)
		}
		c.broken = err
		return n, err
	}
}
