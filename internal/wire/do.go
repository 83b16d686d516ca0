package wire

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"
)

// maxErrorBody bounds what is read of an answer that is not a stream, bytes.
const maxErrorBody = 64 << 10

// linger is how long a finished stream may take to end its body, so that its
// connection can be kept.
const linger = 200 * time.Millisecond

// Do sends one request and reads its answer to the end. id is sent as
// X-Request-Id, body comes from Encode. What went wrong is in the Outcome.
func (c *Client) Do(ctx context.Context, id string, body []byte) Outcome {
	out, _ := c.do(ctx, id, body)
	return out
}

func (c *Client) do(ctx context.Context, id string, body []byte) (Outcome, Facts) {
	x := exchange{client: c, ctx: ctx, body: body}
	if c.streams != nil {
		x.multiplexed(id)
	} else {
		x.alone(id)
	}
	if x.out.End == 0 {
		x.out.End = c.Now()
	}
	if x.out.Err != nil {
		x.out.Err.Detail = c.shown(x.out.Err.Detail, maxDetail)
	}
	x.out.Finish = c.shown(x.out.Finish, maxName)
	return x.out, x.facts
}

// alone has the exchange on a connection of its own.
func (x *exchange) alone(id string) {
	c := x.client
	frame, failed := c.frame(x.ctx, id, x.body)
	if failed != nil {
		x.out = Outcome{AnswerAt: -1, NotSent: true, Err: failed}
		return
	}
	x.frame, x.start = frame, c.Now()
	if stale := x.try(c.idle.take()); stale {
		sent := x.out.Sent
		x.try(nil) // once more, on a fresh connection
		if !x.out.NotSent {
			x.out.Sent = sent // the wait began there
		}
	}
}

// staleWithin is how soon a close must follow the request to mean that the
// server had given the connection up before: nothing can be computed in it.
const staleWithin = 50 * time.Millisecond

// exchange is one request and its answer on one connection.
type exchange struct {
	client *Client
	ctx    context.Context
	body   []byte
	frame  []byte // the whole request
	conn   *conn
	out    Outcome
	facts  Facts
	start  time.Duration // of the first try
}

// try sends the request on a kept connection or, for nil, a new one, and reads
// the answer. It reports a kept connection that the server had given up before
// the request came.
func (x *exchange) try(kept *conn) (stale bool) {
	c := x.client
	x.out, x.facts = Outcome{AnswerAt: -1}, Facts{}
	x.conn = kept
	if x.ctx.Err() != nil {
		if kept != nil {
			c.idle.put(kept)
		}
		x.conn, x.out.NotSent, x.out.Err = nil, true, cancelledError()
		return false
	}
	if kept == nil {
		begun := c.Now()
		fresh, err := c.connect(x.ctx)
		x.out.Connect = c.Now() - begun
		if err != nil {
			x.out.NotSent, x.out.Err = true, err
			return false
		}
		x.conn = fresh
	}
	x.conn.begin(x.ctx, c.options.Epoch, c.options.Stall, x.start+c.options.Timeout)
	stop := context.AfterFunc(x.ctx, x.conn.give)
	keep := x.converse()
	stale = x.conn.kept && x.conn.got == 0 && x.out.Err != nil && x.out.Err.Kind == KindReset &&
		x.out.End-x.out.Sent < staleWithin
	// When give has run, or may yet, the connection's deadline is spoilt. Bytes
	// beyond the answer would be read as the next one.
	if stop() && keep && x.conn.br.Buffered() == 0 {
		c.idle.put(x.conn) // from here on it is another's
		return stale
	}
	x.conn.Close()
	return stale
}

// converse reports whether the connection may be kept.
func (x *exchange) converse() (keep bool) {
	werr := x.conn.write(x.frame)
	x.out.Sent = x.conn.arrived
	if errors.Is(werr, os.ErrDeadlineExceeded) {
		x.conn.hurry(linger) // it reads no more, but may have said why
	}
	resp, err := x.response()
	if err != nil {
		if werr != nil {
			err = werr // a server may answer before it has read all; this one has not
			x.out.NotSent = true
		}
		x.fail(err)
		return false
	}
	x.out.Headers, x.out.Status = x.conn.arrived, resp.StatusCode
	b := newBody(x.conn.br, resp)
	if resp.StatusCode == http.StatusOK && werr == nil && !compressed(resp) {
		x.succeeded(resp, b)
	} else {
		x.refused(resp, b, nil)
	}
	return b.ended && !resp.Close && werr == nil
}

// errTLS is an answer in TLS to a request in cleartext.
var errTLS = errors.New("the server answers in TLS: use https://")

// response reads the answer's head, past those that only inform.
func (x *exchange) response() (*http.Response, error) {
	x.conn.bound = maxHead
	defer func() { x.conn.bound = math.MaxInt64 }()
	begin, err := x.conn.br.Peek(2)
	if err != nil {
		return nil, cutShort(err)
	}
	if speaksTLS(begin) {
		return nil, errTLS
	}
	for {
		resp, err := http.ReadResponse(x.conn.br, x.client.request)
		if err != nil && x.conn.broken != nil {
			return nil, cutShort(x.conn.broken) // whatever half a head looks like
		}
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

// speaksTLS reports the beginning of an alert or a handshake.
func speaksTLS(b []byte) bool { return (b[0] == 0x15 || b[0] == 0x16) && b[1] == 3 }

func (x *exchange) fail(err error) {
	x.out.End = x.client.Now()
	x.out.Err = ioError(x.ctx, err, x.out.End-x.start, x.client.options)
}

// succeeded reads the answer behind a 200. What it is its first bytes say,
// however the network cut them: content types are not to be trusted.
func (x *exchange) succeeded(resp *http.Response, b *body) {
	d := newDecoder(x.client.protocol, x.body, &x.out, &x.facts, x.client.options.KeepText)
	var begin []byte
	for {
		p, err := b.next()
		begin = append(begin, p...)
		switch {
		case err != nil && err != io.EOF: // the break says more
			x.stream(b, d, begin, err)
		case d.framing.begins(begin, err == io.EOF) == yes || len(begin) > maxErrorBody:
			x.stream(b, d, begin, err)
		case d.framing.begins(begin, err == io.EOF) == no:
			x.refused(resp, b, begin)
		default:
			continue
		}
		return
	}
}

// stream reads a stream of events, of which the beginning is given, and the
// error behind it.
func (x *exchange) stream(b *body, d *decoder, bytes []byte, err error) {
	burst := 0
	for {
		ended := d.Feed(bytes, x.conn.arrived)
		if d.sawToken && x.conn.bursts != burst {
			burst = x.conn.bursts
			x.facts.Reads++
		}
		if ended != nil {
			x.out.End = x.conn.arrived
			d.Finish()
			if errors.Is(ended, errDone) {
				x.toEnd(b)
			}
			return
		}
		if err != nil {
			break
		}
		bytes, err = b.next()
	}
	x.out.End = x.client.Now()
	if err == io.EOF {
		d.Finish()
		return
	}
	d.Break()
	x.broke(err)
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
// its end, for a short while: without it the connection cannot be kept.
func (x *exchange) toEnd(b *body) {
	x.conn.hurry(linger)
	for left := readBuffer; left > 0; {
		p, err := b.next()
		if err != nil {
			return
		}
		left -= len(p)
	}
}

// refused reads an answer that is no stream: an error, or something else than
// was asked for. Its first bytes may have been read.
func (x *exchange) refused(resp *http.Response, b *body, first []byte) {
	rest, err := b.readAll(maxErrorBody)
	words := slices.Concat(first, rest)
	x.out.End = x.client.Now()
	switch {
	case err != nil && x.ctx.Err() != nil:
		x.fail(err)
	case resp.StatusCode != http.StatusOK:
		x.out.Err = x.client.statusError(resp, words)
	default:
		x.out.Err = x.client.notAStream(resp, words)
	}
}

func compressed(resp *http.Response) bool {
	encoding := resp.Header.Get("Content-Encoding")
	return encoding != "" && !strings.EqualFold(encoding, "identity")
}

// notAStream names a 200 with something else than was asked for.
func (c *Client) notAStream(resp *http.Response, body []byte) *Error {
	if compressed(resp) {
		return &Error{Kind: KindMalformed, Detail: "the answer is compressed (" + c.shown(resp.Header.Get("Content-Encoding"), maxKind) + ") though identity was asked for"}
	}
	if isHTML(body) {
		return &Error{Kind: KindNotAStream, Detail: "HTTP 200 with an HTML page: is this the base URL of the API?"}
	}
	if words := failureIn(body, false); words != "" {
		return &Error{Kind: KindStreamError, Detail: "HTTP 200 with an error: " + words}
	}
	return &Error{Kind: KindNotAStream, Detail: "HTTP 200 with " + c.shown(resp.Header.Get("Content-Type"), maxKind) + " and no stream: " + textOf(body)}
}
