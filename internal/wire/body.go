package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
)

// body reads the body of an answer as it arrives. It never waits while it has
// bytes to give, as net/http's reader does for the end of a chunk that the
// network cut: an event in it would seem to come later than it did.
type body struct {
	br      *bufio.Reader
	chunked bool
	begun   bool  // a chunk has been read, whose line end stands before the next
	left    int64 // bytes of the body or the chunk; -1: until the connection closes
	given   int   // bytes of br that the caller has
	ended   bool
}

func newBody(br *bufio.Reader, resp *http.Response) *body {
	if slices.Equal(resp.TransferEncoding, []string{"chunked"}) {
		return &body{br: br, chunked: true}
	}
	return &body{br: br, left: resp.ContentLength}
}

// next gives the bytes that are there, at least one. They are valid until the
// next call. io.EOF is the body's end; one that is cut short ends with
// io.ErrUnexpectedEOF.
func (b *body) next() ([]byte, error) {
	if b.given > 0 {
		_, _ = b.br.Discard(b.given) // they are in the buffer
		b.given = 0
	}
	for b.left == 0 {
		if err := b.advance(); err != nil {
			return nil, err
		}
	}
	if _, err := b.br.Peek(1); err != nil {
		if b.left > 0 {
			return nil, cutShort(err)
		}
		b.ended = b.ended || err == io.EOF
		return nil, err
	}
	n := b.br.Buffered()
	if b.left > 0 {
		n = int(min(int64(n), b.left))
		b.left -= int64(n)
	}
	b.given = n
	return b.br.Peek(n)
}

// advance goes on to the next chunk.
func (b *body) advance() error {
	if !b.chunked || b.ended {
		b.ended = true
		return io.EOF
	}
	if b.begun {
		if line, err := b.line(); err != nil || len(line) > 0 {
			return orMalformed(err, "no line end after a chunk", line)
		}
	}
	b.begun = true
	line, err := b.line()
	if err != nil {
		return err
	}
	digits, _, _ := bytes.Cut(line, []byte{';'})
	size, err := strconv.ParseUint(string(bytes.TrimSpace(digits)), 16, 63)
	if err != nil {
		return orMalformed(nil, "the size of a chunk is not a number", line)
	}
	if b.left = int64(size); size > 0 {
		return nil
	}
	return b.trailer()
}

// maxTrailers bounds the lines after the last chunk.
const maxTrailers = 64

func (b *body) trailer() error {
	for range maxTrailers {
		line, err := b.line()
		if err != nil {
			return err
		}
		if len(line) == 0 {
			b.ended = true
			return io.EOF
		}
	}
	return errors.New("the answer has too many trailers")
}

// line is the next line of the framing, without its end. It is bounded by the
// reader's buffer.
func (b *body) line() ([]byte, error) {
	line, err := b.br.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("malformed answer: a line between its chunks is longer than %d bytes: %s", b.br.Size(), line)
	}
	if err != nil {
		return nil, cutShort(err)
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'}), nil
}

func orMalformed(err error, what string, line []byte) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("malformed answer: %s: %s", what, line)
}

func cutShort(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// readAll gives up to limit bytes of the body.
func (b *body) readAll(limit int) ([]byte, error) {
	var all []byte
	for len(all) < limit {
		p, err := b.next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, p[:min(len(p), limit-len(all))]...)
	}
	return all, nil
}
