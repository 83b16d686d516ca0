package load

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"syscall"

	"assay/internal/spec"
)

// Kinds of dataset files.
const (
	ShareGPT    = "sharegpt"     // {"conversations": [{"from", "value"}]}, an array or one a line
	OpenAIBatch = "openai-batch" // {"custom_id", "method", "url", "body"} a line
	JSONLines   = "jsonl"        // {"prompt"}, {"text"} or {"messages"} a line
	PlainText   = "text"         // one prompt a line
)

// DatasetOptions say how rows become prompts.
type DatasetOptions struct {
	Kind string // one of the kinds above; empty: by content
	// API is chat or completions: rows that cannot be sent to it are errors.
	// Empty: not checked.
	API string
	// Output is the answer's length where a row does not say it.
	Output spec.Lengths
}

// Dataset is a Source that streams prompts from a file. At the file's end it
// starts over, and marks what it gives from then on as repeated.
type Dataset struct {
	path    string
	file    *os.File
	options DatasetOptions
	kind    string
	rows    rowReader
	passes  int // finished
	used    int // rows of the current pass that gave a prompt
	skipped int // rows that hold no prompt, in the first pass
}

var _ Source = (*Dataset)(nil)

// rowReader yields the rows of a file as they stand in it, io.EOF after the
// last. where is the row's place, for errors.
type rowReader interface {
	next() (row []byte, where string, err error)
}

// OpenDataset opens a file and finds out its kind. Close it after use.
func OpenDataset(path string, o DatasetOptions) (*Dataset, error) {
	// Without O_NONBLOCK a named pipe that nobody writes would hold the program
	// where no signal ends it.
	file, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("open dataset: %w", err)
	}
	d := &Dataset{path: path, file: file, options: o}
	if err := d.rewind(); err != nil {
		file.Close()
		return nil, err
	}
	return d, nil
}

// Kind is the kind of the file; by content it is known from the first prompt on.
func (d *Dataset) Kind() string { return d.kind }

// Skipped is the number of rows without a prompt: empty ones, and conversations
// without a human turn.
func (d *Dataset) Skipped() int { return d.skipped }

// Close closes the file.
func (d *Dataset) Close() error { return d.file.Close() }

// rewind starts at the file's beginning.
func (d *Dataset) rewind() error {
	if _, err := d.file.Seek(0, io.SeekStart); err != nil && d.passes > 0 {
		return fmt.Errorf("start dataset %s over: %w: give a file with as many prompts as are asked for", d.path, err)
	}
	rows, kind, err := openRows(bufio.NewReaderSize(d.file, 64<<10), d.path, d.options.Kind)
	if err != nil {
		return err
	}
	d.rows, d.options.Kind, d.used = rows, kind, 0
	if kind != "" {
		d.kind = kind
	}
	return nil
}

// Next gives the prompt of the next row that has one.
func (d *Dataset) Next(rng *rand.Rand) (Prompt, error) {
	for {
		row, where, err := d.rows.next()
		if errors.Is(err, io.EOF) {
			if d.used == 0 {
				return Prompt{}, fmt.Errorf("dataset %s holds no prompt (%d rows without one)", d.path, d.skipped)
			}
			d.passes++
			if err := d.rewind(); err != nil {
				return Prompt{}, err
			}
			continue
		}
		if err != nil {
			return Prompt{}, err
		}
		p, kind, err := parseRow(row, d.options.Kind, d.options.API)
		switch {
		case errors.Is(err, errNoPrompt):
			if d.passes == 0 {
				d.skipped++
			}
			continue
		case err != nil:
			return Prompt{}, fmt.Errorf("%s: %w", where, err)
		}
		d.used++
		p.Repeat = d.passes > 0
		if d.kind == "" {
			d.kind = kind
		}
		if p.MaxTokens == 0 && !d.options.Output.IsZero() {
			p.MaxTokens = d.options.Output.Sample(rng)
		}
		return p, nil
	}
}

// openRows finds how a file's rows are laid out and, unless it is given, which
// kind they are.
func openRows(r *bufio.Reader, path, kind string) (rowReader, string, error) {
	if bom, _ := r.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
		r.Discard(3)
	}
	head, err := r.Peek(4096)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, "", fmt.Errorf("read dataset %s: %w", path, err)
	}
	if why := notText(head); why != "" {
		return nil, "", fmt.Errorf("dataset %s %s", path, why)
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	lines := &lineReader{path: path, r: r}
	switch {
	case kind == PlainText:
		return lines, PlainText, nil
	case isArray(trimmed):
		// An array of rows of any kind; the documents' is ShareGPT's.
		return &arrayReader{path: path, decoder: json.NewDecoder(r)}, kind, nil
	case bytes.HasPrefix(trimmed, []byte("{")):
		return lines, kind, nil
	case kind != "":
		return nil, "", fmt.Errorf("dataset %s does not begin as JSON: it is not of kind %q", path, kind)
	}
	return lines, PlainText, nil
}

// isArray tells a JSON array of objects from a text that begins with a bracket.
func isArray(trimmed []byte) bool {
	rest, ok := bytes.CutPrefix(trimmed, []byte("["))
	if !ok {
		return false
	}
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) == 0 || rest[0] == '{' || rest[0] == ']'
}

// notText says what a file is that cannot be read here, and the way out.
func notText(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("PAR1")):
		return "is a Parquet file: convert it to JSON lines with a field \"prompt\" or \"messages\""
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "is compressed with gzip: decompress it first"
	case bytes.IndexByte(head, 0) >= 0:
		return "is a binary file: give JSON, JSON lines or plain text"
	}
	return ""
}
