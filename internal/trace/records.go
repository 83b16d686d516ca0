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

// records are those of a file of JSON or of lines.
func (s source) records() records {
	switch s.layout {
	case inArray, inDocuments:
		return newStream(s.path, s.r, s.layout == inArray)
	}
	return &lines{path: s.path, r: s.r}
}

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

// stream yields the items of one JSON array, or documents that follow each
// other, and reads no further than each.
type stream struct {
	path    string
	array   bool
	bound   *bound
	decoder *json.Decoder
	item    int
}

func newStream(path string, r io.Reader, array bool) *stream {
	b := &bound{r: r}
	return &stream{path: path, array: array, bound: b, decoder: json.NewDecoder(b)}
}

func (s *stream) next() ([]byte, string, error) {
	s.bound.refill()
	if s.array && s.item == 0 {
		if _, err := s.decoder.Token(); err != nil { // the opening bracket
			return nil, "", s.broken(err)
		}
	}
	if s.array && !s.decoder.More() {
		if _, err := s.decoder.Token(); err != nil { // the closing one
			return nil, "", s.broken(err)
		}
		return nil, "", io.EOF
	}
	s.item++
	var row json.RawMessage
	err := s.decoder.Decode(&row)
	if errors.Is(err, io.EOF) && !s.array {
		return nil, "", io.EOF
	}
	if err != nil {
		return nil, "", s.broken(err)
	}
	return row, fmt.Sprintf("%s: item %d, before byte %d", s.path, s.item, s.decoder.InputOffset()), nil
}

// broken is an error with its place. The items before it have been used.
func (s *stream) broken(err error) error {
	offset := s.decoder.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file is cut off in item %d, which begins at byte %d: the items before it are whole", s.path, max(1, s.item), offset)
	}
	return fmt.Errorf("%s: item %d, at byte %d: %w", s.path, max(1, s.item), offset, err)
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
