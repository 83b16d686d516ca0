package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// records yields the records of a file as they stand in it, io.EOF after the
// last. place is where the record stands, for errors.
type records interface {
	next() (record []byte, place string, err error)
}

// maxRowBytes bounds the memory that one row may take.
const maxRowBytes = 256 << 20

// lines yields the lines of a file that are not blank.
type lines struct {
	path string
	r    *bufio.Reader
	line int
	buf  []byte
}

func (l *lines) next() ([]byte, string, error) {
	for {
		row, err := l.read()
		place := fmt.Sprintf("%s:%d", l.path, l.line)
		if err != nil {
			return nil, place, err
		}
		if row = bytes.TrimSpace(row); len(row) > 0 {
			return row, place, nil
		}
	}
}

// read is the next line, valid until the next call.
func (l *lines) read() ([]byte, error) {
	l.buf = l.buf[:0]
	l.line++
	for {
		piece, err := l.r.ReadSlice('\n')
		l.buf = append(l.buf, piece...)
		switch {
		case len(l.buf) > maxRowBytes:
			return nil, fmt.Errorf("%s:%d: a line of more than %d MiB", l.path, l.line, maxRowBytes>>20)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(l.buf) > 0, err == nil:
			return l.buf, nil
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("read %s:%d: %w", l.path, l.line, err)
		}
	}
}

// array yields the items of one JSON array, reading no further than each.
type array struct {
	path    string
	bound   *bound
	decoder *json.Decoder
	item    int
	begun   bool
}

func newArray(path string, r io.Reader) *array {
	b := &bound{r: r}
	return &array{path: path, bound: b, decoder: json.NewDecoder(b)}
}

func (a *array) next() ([]byte, string, error) {
	a.bound.refill()
	if !a.begun {
		a.begun = true
		if _, err := a.decoder.Token(); err != nil { // the opening bracket
			return nil, "", a.broken(err)
		}
	}
	if !a.decoder.More() {
		if _, err := a.decoder.Token(); err != nil { // the closing one
			return nil, "", a.broken(err)
		}
		return nil, "", io.EOF
	}
	a.item++
	var row json.RawMessage
	if err := a.decoder.Decode(&row); err != nil {
		return nil, "", a.broken(err)
	}
	return row, fmt.Sprintf("%s: item %d, before byte %d", a.path, a.item, a.decoder.InputOffset()), nil
}

// broken is an error with its place. The items before it have been used.
func (a *array) broken(err error) error {
	offset := a.decoder.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file is cut off in item %d, which begins at byte %d: the items before it are whole", a.path, max(1, a.item), offset)
	}
	return fmt.Errorf("%s: item %d, at byte %d: %w", a.path, max(1, a.item), offset, err)
}

// bound is a reader that gives no more than a row may take until it is refilled,
// for decoders that hold a whole row and set no bound themselves.
type bound struct {
	r    io.Reader
	used int
}

func (b *bound) refill() { b.used = 0 }

func (b *bound) Read(p []byte) (int, error) {
	if b.used > maxRowBytes {
		return 0, fmt.Errorf("a row of more than %d MiB", maxRowBytes>>20)
	}
	n, err := b.r.Read(p)
	b.used += n
	return n, err
}
