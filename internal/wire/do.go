package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/valyala/fastjson"
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
	x := exchange{client: c, ctx: ctx, frame: c.frame(id, body)}
	if stale := x.try(c.idle.take()); stale {
		x.try(nil) // once more, on a fresh connection
	}
	if x.out.End == 0 {
		x.out.End = c.Now()
	}
	if x.out.Err != nil {
		x.out.Err.Detail = c.hide(x.out.Err.Detail)
	}
	x.out.Finish = c.hide(x.out.Finish)
	return x.out, x.facts
}

// exchange is one request and its answer on one connection.
type exchange struct {
	client *Client
	ctx    context.Context
	frame  []byte
	conn   *conn
	out    Outcome
	facts  Facts
	start  time.Duration // of this try
}

// try sends the request on a kept connection or, for nil, a new one, and reads
// the answer. It reports a kept connection that the server had closed before the
// request came.
func (x *exchange) try(kept *conn) (stale bool) {
	c := x.client
	x.out, x.facts = Outcome{AnswerAt: -1}, Facts{}
	x.start, x.conn = c.Now(), kept
	if x.ctx.Err() != nil {
		if kept != nil {
			c.idle.put(kept)
		}
		x.conn, x.out.NotSent, x.out.Err = nil, true, cancelledError()
		return false
	}
	if kept == nil {
		fresh, err := c.connect(x.ctx)
		x.out.Connect = c.Now() - x.start
		if err != nil {
			x.out.NotSent, x.out.Err = true, err
			return false
		}
		x.conn = fresh
	}
	x.conn.begin(x.ctx, c.options.Epoch, c.options.Stall, x.start+c.options.Timeout)
	stop := context.AfterFunc(x.ctx, x.conn.give)
	keep := x.converse()
	stale = x.conn.kept && x.conn.got == 0 && x.out.Err != nil && x.out.Err.Kind == KindReset
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

// response reads the answer's head, past those that only inform.
func (x *exchange) response() (*http.Response, error) {
	x.conn.bound = maxHead
	defer func() { x.conn.bound = math.MaxInt64 }()
	for {
		resp, err := http.ReadResponse(x.conn.br, x.client.request)
		if err != nil && x.conn.over {
			return nil, io.ErrUnexpectedEOF // whatever half a head looks like
		}
		if err != nil || resp.StatusCode >= 200 || resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

func (x *exchange) fail(err error) {
	x.out.End = x.client.Now()
	x.out.Err = ioError(x.ctx, err, x.out.End-x.start, x.client.options)
}

// succeeded reads the answer behind a 200. What it is its first bytes say:
// content types are not to be trusted.
func (x *exchange) succeeded(resp *http.Response, b *body) {
	first, err := b.next()
	if begin := bytes.TrimLeft(first, " \t\r\n"); len(begin) > 0 && bytes.IndexByte([]byte("{[<"), begin[0]) >= 0 {
		x.refused(resp, b, first)
		return
	}
	x.stream(b, first, err)
}

// stream reads a stream of events, of which the first read is given.
func (x *exchange) stream(b *body, bytes []byte, err error) {
	d := decoder{out: &x.out, facts: &x.facts, keepText: x.client.options.KeepText}
	burst := 0
	for ; err == nil; bytes, err = b.next() {
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
	}
	x.out.End = x.client.Now()
	d.Finish()
	if err != io.EOF {
		x.broke(err)
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
	words := slices.Clone(first)
	rest, err := b.readAll(maxErrorBody)
	words = append(words, rest...)
	x.out.End = x.client.Now()
	switch {
	case err != nil && x.ctx.Err() != nil:
		x.fail(err)
	case resp.StatusCode != http.StatusOK:
		x.out.Err = statusError(resp, words)
	default:
		x.out.Err = notAStream(resp, words)
	}
}

func compressed(resp *http.Response) bool {
	encoding := resp.Header.Get("Content-Encoding")
	return encoding != "" && !strings.EqualFold(encoding, "identity")
}

func notAStream(resp *http.Response, body []byte) *Error {
	if compressed(resp) {
		return &Error{Kind: KindMalformed, Detail: "the answer is compressed (" + shorten(resp.Header.Get("Content-Encoding")) + ") though identity was asked for"}
	}
	if isHTML(body) {
		return &Error{Kind: KindNotAStream, Detail: "HTTP 200 with an HTML page: is this the base URL of the API?"}
	}
	if e, err := parseEvent(new(fastjson.Parser), body); err == nil && e.failure != "" {
		return &Error{Kind: KindStreamError, Detail: "HTTP 200 with an error: " + e.failure}
	}
	return &Error{Kind: KindNotAStream, Detail: "HTTP 200 with " + shorten(resp.Header.Get("Content-Type")) + " and no stream: " + shorten(string(body))}
}
