package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxErrorBody bounds what is read of an answer that is not a stream, bytes.
const maxErrorBody = 64 << 10

// lingerForEnd is how long a finished stream may take to end its body, so that
// its connection can be kept.
const lingerForEnd = 200 * time.Millisecond

// Do sends one request and reads its answer to the end. id is sent as
// X-Request-Id, body comes from Encode. What went wrong is in the Outcome.
func (c *Client) Do(ctx context.Context, id string, body []byte) Outcome {
	out, _ := c.do(ctx, id, body)
	return out
}

func (c *Client) do(ctx context.Context, id string, body []byte) (Outcome, Facts) {
	frame := c.frame(id, body)
	x := exchange{client: c, ctx: ctx, frame: frame}
	for {
		x.begin()
		cn := c.idle.take()
		if !x.send(cn) {
			break
		}
		again := x.conn.kept
		x.receive()
		if again && x.out.Err != nil && x.conn.got == 0 && brokenBefore(x.out.Err.Kind) {
			continue // the server had closed a kept connection; ask on another
		}
		break
	}
	if x.out.End == 0 {
		x.out.End = c.Now()
	}
	if x.out.Err != nil {
		x.out.Err.Detail = c.hide(x.out.Err.Detail)
	}
	return x.out, x.facts
}

// brokenBefore reports the failures with which a connection shows that the
// server had closed it while it was idle.
func brokenBefore(kind string) bool { return kind == KindReset || kind == KindTruncated }

// exchange is one request and its answer on one connection.
type exchange struct {
	client *Client
	ctx    context.Context
	frame  []byte
	conn   *conn
	out    Outcome
	facts  Facts
	start  time.Duration // of this try
	until  time.Duration // the read deadline in force
}

func (x *exchange) begin() {
	x.out, x.facts = Outcome{AnswerAt: -1}, Facts{}
	x.start, x.until = x.client.Now(), 0
}

// send writes the request on a kept connection or a new one.
func (x *exchange) send(kept *conn) bool {
	x.conn = kept
	if x.ctx.Err() != nil {
		if kept != nil {
			x.client.idle.put(kept)
		}
		x.out.NotSent, x.out.Err = true, cancelledError()
		return false
	}
	if kept == nil {
		cn, err := x.client.connect(x.ctx)
		x.out.Connect = x.client.Now() - x.start
		if err != nil {
			x.out.NotSent, x.out.Err = true, err
			return false
		}
		x.conn = cn
	}
	x.conn.got = 0
	return true
}

// receive writes the request and reads the answer.
func (x *exchange) receive() {
	stop := context.AfterFunc(x.ctx, func() { x.conn.SetDeadline(past) })
	keep := x.converse()
	// When the function has run, the connection's deadline is spoilt.
	if !stop() || !keep {
		x.conn.Close()
		return
	}
	x.conn.SetDeadline(time.Time{})
	x.client.idle.put(x.conn)
}

// converse reports whether the connection may be kept.
func (x *exchange) converse() (keep bool) {
	x.conn.SetWriteDeadline(time.Now().Add(x.client.options.Stall))
	_, werr := x.conn.Write(x.frame)
	x.out.Sent = x.client.Now()
	x.extend(x.out.Sent)
	resp, err := x.response()
	if err != nil {
		if werr != nil {
			err = werr // a server may answer before it has read all; this one has not
			x.out.NotSent = true
		}
		x.fail(err)
		return false
	}
	defer resp.Body.Close()
	x.out.Headers, x.out.Status = x.client.Now(), resp.StatusCode
	if werr == nil && resp.StatusCode == http.StatusOK && x.isStream(resp) {
		return x.stream(resp) && !resp.Close
	}
	return x.refused(resp) && !resp.Close && werr == nil
}

// response reads the answer's head, past those that only inform.
func (x *exchange) response() (*http.Response, error) {
	for {
		resp, err := http.ReadResponse(x.conn.br, x.client.request)
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

func (x *exchange) fail(err error) {
	x.out.End = x.client.Now()
	x.out.Err = ioError(x.ctx, err, x.out.End-x.start, x.client.options)
}

// extend moves the read deadline on: the stall from now, but not past the
// request's timeout. It is set anew only when a quarter of the stall has passed,
// which saves a call for each read.
func (x *exchange) extend(now time.Duration) {
	o := x.client.options
	until := min(now+o.Stall, x.start+o.Timeout)
	if until-x.until < o.Stall/4 && x.until > now && until != x.start+o.Timeout {
		return
	}
	if until == x.until || x.ctx.Err() != nil {
		return
	}
	x.until = until
	x.conn.SetReadDeadline(o.Epoch.Add(until))
	if x.ctx.Err() != nil { // it may have ended between the look and the call
		x.conn.SetDeadline(past)
	}
}

// isStream looks at the header and, where that leaves it open, at the first bytes.
func (x *exchange) isStream(resp *http.Response) bool {
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return false
	}
	kind, _, _ := strings.Cut(strings.ToLower(resp.Header.Get("Content-Type")), ";")
	switch strings.TrimSpace(kind) {
	case "text/event-stream":
		return true
	case "application/json", "text/html":
		return false
	}
	return true // the decoder says what it is not
}

var buffers = sync.Pool{New: func() any { b := make([]byte, readBuffer); return &b }}

// stream reads a stream of events and reports whether its body came to its end.
func (x *exchange) stream(resp *http.Response) (ended bool) {
	d := decoder{out: &x.out, facts: &x.facts, keepText: x.client.options.KeepText}
	buf := buffers.Get().(*[]byte)
	defer buffers.Put(buf)
	for {
		n, err := resp.Body.Read(*buf)
		now := x.client.Now()
		x.extend(now)
		if n > 0 {
			if derr := d.Feed((*buf)[:n], now); derr != nil {
				x.out.End = now
				d.Finish()
				return errors.Is(derr, errDone) && x.toEnd(resp.Body, *buf)
			}
		}
		switch {
		case err == io.EOF:
			x.out.End = now
			d.Finish()
			return x.out.Err == nil
		case err != nil:
			x.out.End = now
			d.Finish()
			x.broke(err)
			return false
		}
	}
}

// broke names the break of a stream in its middle. One that has said its finish
// is whole, however it breaks off then; a body cut short is truncated; any other
// break, such as a stall, is the failure itself.
func (x *exchange) broke(err error) {
	if x.ctx.Err() == nil {
		cutShort := errors.Is(err, io.ErrUnexpectedEOF)
		if x.out.Finish != "" || x.out.Err != nil && (cutShort || x.out.Err.Kind != KindTruncated && x.out.Err.Kind != KindNoTokens) {
			return
		}
	}
	x.fail(err)
}

// toEnd reads what is left of a finished stream's body, normally nothing but
// its end, for a short while.
func (x *exchange) toEnd(body io.Reader, buf []byte) bool {
	for {
		if x.conn.br.Buffered() == 0 {
			x.conn.SetReadDeadline(time.Now().Add(lingerForEnd))
		}
		n, err := body.Read(buf)
		if err == io.EOF {
			return true
		}
		if err != nil || n > 0 {
			return false // more after [DONE] is not for us
		}
	}
}

// refused reads an answer that is no stream: an error, or something else than
// was asked for. It reports whether the body came to its end.
func (x *exchange) refused(resp *http.Response) (ended bool) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	x.out.End = x.client.Now()
	if err != nil && x.ctx.Err() != nil {
		x.fail(err)
		return false
	}
	if resp.StatusCode != http.StatusOK {
		x.out.Err = statusError(resp, body)
	} else {
		x.out.Err = notAStream(resp, body)
	}
	return err == nil && len(body) < maxErrorBody
}

func notAStream(resp *http.Response, body []byte) *Error {
	if encoding := resp.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &Error{Kind: KindMalformed, Detail: "the answer is compressed (" + shorten(encoding) + ") though identity was asked for"}
	}
	if isHTML(body) {
		return &Error{Kind: KindNotAStream, Detail: "HTTP 200 with an HTML page: is this the base URL of the API?"}
	}
	if e, err := parseEvent(body); err == nil && e.failure != "" {
		return &Error{Kind: KindStreamError, Detail: "HTTP 200 with an error: " + e.failure}
	}
	return &Error{Kind: KindNotAStream, Detail: "HTTP 200 with " + shorten(resp.Header.Get("Content-Type")) + " and no stream: " + shorten(string(body))}
}
