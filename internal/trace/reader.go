package trace

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Options say how a file is read.
type Options struct {
	Kind string // one of Kinds; empty: by content
	// BlockSize is the tokens of a block where the format does not say it and
	// they are not the format's usual number; 0: as usual.
	BlockSize int
}

// Reader yields the rows of one file. It is used by one goroutine at a time.
type Reader struct {
	file    *os.File
	options Options
	source  source
	rows    rows
	skipped int
	origin  *time.Duration // of the first row that has a time
	ends    ends
}

// rows yields rows, io.EOF after the last, and errNoPrompt for one that is well
// formed and holds nothing to ask. Their times may count from anywhere.
type rows interface {
	next() (Row, error)
}

// errNoPrompt marks a row that is well formed and asks nothing.
var errNoPrompt = errors.New("no prompt")

// headBytes is how much of a file is looked at to find out its kind.
const headBytes = 1 << 20

// Open opens a file, which may be compressed with gzip or zstd, and finds out its kind.
// Close it after use.
func Open(path string, o Options) (*Reader, error) {
	// Without O_NONBLOCK a named pipe that nobody writes would hold the program
	// where no signal ends it.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open dataset: %w", err)
	}
	r := &Reader{file: file, options: o}
	if err := r.begin(file, path); err != nil {
		file.Close()
		return nil, err
	}
	return r, nil
}

// begin reads from the beginning of a file's bytes.
func (r *Reader) begin(file io.Reader, path string) error {
	s, err := r.look(file, path)
	if err != nil {
		return err
	}
	s.blockSize = r.options.BlockSize
	r.source, r.rows, r.skipped, r.origin, r.ends = s, s.format.read(s), 0, nil, ends{}
	return nil
}

func (r *Reader) look(file io.Reader, path string) (source, error) {
	plain, err := decompress(file, path)
	if err != nil {
		return source{}, err
	}
	return look(plain, path, r.options.Kind)
}

// zstdWindow bounds what a file compressed with zstd may ask to be remembered.
const zstdWindow = 128 << 20

// decompress reads through gzip or zstd where the file's first bytes say so,
// whatever its name.
func decompress(file io.Reader, path string) (*bufio.Reader, error) {
	raw := bufio.NewReaderSize(file, headBytes)
	magic, _ := raw.Peek(4)
	switch {
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if err != nil {
			return nil, fmt.Errorf("dataset %s is compressed with zstd, and its header is broken: %w", path, err)
		}
		return bufio.NewReaderSize(&unpack{z}, headBytes), nil
	case !bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		return raw, nil
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, fmt.Errorf("dataset %s is compressed with gzip, and its header is broken: %w", path, err)
	}
	return bufio.NewReaderSize(&unpack{z}, headBytes), nil
}

// unpack says in its errors that the file was compressed.
type unpack struct{ from io.Reader }

func (u *unpack) Read(p []byte) (int, error) {
	n, err := u.from.Read(p)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = errors.New("the compressed file is cut off: the rows before are whole")
	case err != nil && !errors.Is(err, io.EOF):
		err = fmt.Errorf("the compressed data is broken: %w", err)
	}
	return n, err
}

// Next is the next row, io.EOF after the last. After another error no more rows
// come; those before it are whole.
func (r *Reader) Next() (Row, error) {
	for {
		row, err := r.rows.next()
		switch {
		case errors.Is(err, errNoPrompt):
			r.skipped++
			continue
		case err != nil:
			return Row{}, err
		}
		r.sinceFirst(&row)
		r.ends.delay(&row)
		return row, nil
	}
}

// sinceFirst makes the row's time count from the trace's first.
func (r *Reader) sinceFirst(row *Row) {
	if row.At == nil || row.Clock != "" {
		return
	}
	if r.origin == nil {
		first := *row.At
		r.origin = &first
	}
	*row.At -= *r.origin
}

// Rewind starts over at the file's beginning, which a pipe cannot.
func (r *Reader) Rewind() error {
	if _, err := r.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return r.begin(r.file, r.file.Name())
}

// Kind is the kind of the file.
func (r *Reader) Kind() string { return r.source.format.kind }

// Why says by what the kind was recognised: "its first row has ...".
func (r *Reader) Why() string { return r.source.why }

// Skipped is the number of rows so far that hold nothing to ask: empty ones,
// conversations without a human turn, spans that are no request.
func (r *Reader) Skipped() int { return r.skipped }

// Close closes the file.
func (r *Reader) Close() error { return r.file.Close() }
