package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// lineReader yields the lines of a file that are not blank.
type lineReader struct {
	path string
	r    *bufio.Reader
	line int
	buf  []byte
}

// maxRowBytes bounds the memory that one row may take.
const maxRowBytes = 256 << 20

func (l *lineReader) next() ([]byte, string, error) {
	for {
		row, err := l.read()
		where := fmt.Sprintf("%s:%d", l.path, l.line)
		if err != nil {
			return nil, where, err
		}
		if row = bytes.TrimSpace(row); len(row) > 0 {
			return row, where, nil
		}
	}
}

// read is the next line, valid until the next call.
func (l *lineReader) read() ([]byte, error) {
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

// arrayReader yields the items of one JSON array, reading no further than each.
type arrayReader struct {
	path    string
	decoder *json.Decoder
	item    int
	begun   bool
}

func (a *arrayReader) next() ([]byte, string, error) {
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
func (a *arrayReader) broken(err error) error {
	offset := a.decoder.InputOffset()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: the file is cut off in item %d, which begins at byte %d: the items before it are whole", a.path, max(1, a.item), offset)
	}
	return fmt.Errorf("%s: item %d, at byte %d: %w", a.path, max(1, a.item), offset, err)
}
