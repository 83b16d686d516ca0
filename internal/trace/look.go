package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// layout is how the rows of a file are laid out.
type layout int

const (
	inLines     layout = iota // one a line
	inArray                   // the items of one JSON array
	inDocuments               // JSON documents one after the other, over any number of lines
	inCSV                     // below a header
)

// source is a file of which the layout is known.
type source struct {
	path   string
	r      *bufio.Reader
	layout layout
	format format
	seen   first
	why    string // the format was recognised
	// blockSize is the user's, 0: that of the format.
	blockSize int
}

// look finds how a file's rows are laid out and, unless it is given, which kind
// they are.
func look(r *bufio.Reader, path, kind string) (source, error) {
	s := source{path: path, r: r}
	if bom, _ := r.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
		r.Discard(3)
	}
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return source{}, fmt.Errorf("read dataset %s: %w", path, err)
	}
	if why := notText(head[:min(len(head), 4096)]); why != "" {
		return source{}, fmt.Errorf("dataset %s %s", path, why)
	}
	s.layout, s.seen = layoutOf(head)
	return s.settle(kind)
}

// settle takes the format that the user named, or the first that recognises the
// file.
func (s source) settle(kind string) (source, error) {
	if kind != "" {
		return s.given(kind)
	}
	for _, f := range formats {
		if why := f.recognise(s.seen); why != "" && slices.Contains(f.layouts, s.layout) {
			s.format, s.why = f, why
			break
		}
	}
	return s.asText(), nil
}

// given takes the format that the user named, where the file can be of it.
func (s source) given(kind string) (source, error) {
	f, err := formatOf(kind)
	if err != nil {
		return source{}, err
	}
	s.format, s.why = f, "the format was given"
	needsJSON, needsCSV := !slices.Contains(f.layouts, inCSV), !slices.Contains(f.layouts, inLines)
	switch {
	case needsJSON && s.seen.values == nil:
		return source{}, fmt.Errorf("dataset %s does not begin as JSON: it is not of kind %q", s.path, kind)
	case needsCSV && s.seen.columns == nil:
		return source{}, fmt.Errorf("dataset %s does not begin with the header of a CSV file: it is not of kind %q", s.path, kind)
	}
	return s.asText(), nil
}

// asText undoes a layout that a text only seems to have.
func (s source) asText() source {
	if s.format.kind == PlainText {
		s.layout = inLines
	}
	return s
}

func layoutOf(head []byte) (layout, first) {
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case isArray(trimmed):
		values, _ := firstObject(trimmed)
		return inArray, first{values: orEmpty(values)}
	case bytes.HasPrefix(trimmed, []byte("{")):
		values, end := firstObject(trimmed)
		if line := bytes.IndexByte(trimmed, '\n'); line >= 0 && (end > int64(line) || end == 0 && prettyPrinted(trimmed[:line])) {
			return inDocuments, first{values: orEmpty(values)}
		}
		return inLines, first{values: orEmpty(values)}
	}
	if names := header(trimmed); names != nil {
		return inCSV, first{columns: names, text: true}
	}
	return inLines, first{text: true}
}

func orEmpty(values map[string]json.RawMessage) map[string]json.RawMessage {
	if values == nil {
		return map[string]json.RawMessage{}
	}
	return values
}

// prettyPrinted says whether a line of JSON that does not end its object could
// go on in the next one: a row that is cut off could not.
func prettyPrinted(line []byte) bool {
	line = bytes.TrimRight(line, " \t\r")
	return len(line) > 0 && bytes.IndexByte([]byte("{[,:"), line[len(line)-1]) >= 0
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
		return "is a Parquet file: convert it to JSON lines, for example with duckdb -c \"COPY (FROM 'file.parquet') TO 'file.jsonl' (FORMAT json)\""
	case bytes.HasPrefix(head, []byte("BZh")):
		return "is compressed with bzip2: decompress it with bunzip2, or give it compressed with gzip"
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return "is compressed with xz: decompress it with unxz, or give it compressed with gzip"
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return "is a zip archive: unpack it first"
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return "is a pointer of Git LFS, not the file itself: fetch it with git lfs pull"
	case bytes.IndexByte(head, 0) >= 0:
		return "is a binary file: give JSON, JSON lines, CSV or plain text"
	}
	return ""
}
