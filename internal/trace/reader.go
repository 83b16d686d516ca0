package trace

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// Options say how a file is read.
type Options struct {
	Kind string // one of Kinds; empty: by content
}

// Reader yields the rows of one file. It is used by one goroutine at a time.
type Reader struct {
	path    string
	file    *os.File
	asked   string
	layout  layout
	skipped int
}

// rows yields rows, io.EOF after the last, and errNoPrompt for one that is well
// formed and holds nothing to ask.
type rows interface {
	next() (Row, error)
}

// errNoPrompt marks a row that is well formed and asks nothing.
var errNoPrompt = errors.New("no prompt")

// headBytes is how much of a file is looked at to find out its kind.
const headBytes = 1 << 20

// Open opens a file and finds out its kind. Close it after use.
func Open(path string, o Options) (*Reader, error) {
	kind, err := ParseKind(o.Kind)
	if err != nil {
		return nil, err
	}
	// Without O_NONBLOCK a named pipe that nobody writes would hold the program
	// where no signal ends it.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open dataset: %w", err)
	}
	r := &Reader{path: path, file: file, asked: kind}
	if err := r.begin(); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

func (r *Reader) begin() error {
	l, err := look(bufio.NewReaderSize(r.file, headBytes), r.path, r.asked)
	if err != nil {
		return err
	}
	r.layout, r.skipped = l, 0
	return nil
}

// Next is the next row, io.EOF after the last. After another error no more rows
// come; those before it are whole.
func (r *Reader) Next() (Row, error) {
	for {
		row, err := r.layout.rows.next()
		switch {
		case errors.Is(err, errNoPrompt):
			r.skipped++
			continue
		case err != nil:
			return Row{}, err
		}
		return row, nil
	}
}

// Rewind starts over at the file's beginning, which a pipe cannot.
func (r *Reader) Rewind() error {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return r.begin()
}

// Kind is the kind of the file.
func (r *Reader) Kind() string { return r.layout.kind }

// Why says by what the kind was recognised.
func (r *Reader) Why() string { return r.layout.why }

// Skipped is the number of rows so far that hold nothing to ask: empty ones, and
// conversations without a human turn.
func (r *Reader) Skipped() int { return r.skipped }

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }
