package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// layout is how a file is to be read, and why so.
type layout struct {
	kind, why string
	rows      rows
}

// look finds how a file's rows are laid out and, unless it is given, which kind
// they are.
func look(r *bufio.Reader, path, kind string) (layout, error) {
	if bom, _ := r.Peek(3); bytes.Equal(bom, []byte("\ufeff")) {
		r.Discard(3)
	}
	head, err := r.Peek(headBytes)
	if err != nil && !errors.Is(err, io.EOF) {
		return layout{}, fmt.Errorf("read dataset %s: %w", path, err)
	}
	if why := notText(head[:min(len(head), 4096)]); why != "" {
		return layout{}, fmt.Errorf("dataset %s %s", path, why)
	}
	why := "because the format was given"
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	var from records = &lines{path: path, r: r}
	switch {
	case kind == PlainText:
	case isArray(trimmed):
		from = newArray(path, r)
	case bytes.HasPrefix(trimmed, []byte("{")):
	case kind != "":
		return layout{}, fmt.Errorf("dataset %s does not begin as JSON: it is not of kind %q", path, kind)
	default:
		kind, why = PlainText, "because it is text, and no JSON"
	}
	if kind == "" {
		kind, why = kindOfKeys(firstKeys(trimmed))
	}
	return layout{kind: kind, why: why, rows: rowsOf(kind, from)}, nil
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

// firstKeys are the keys of the first object of a head of JSON, as far as the
// head goes.
func firstKeys(head []byte) []string {
	d := json.NewDecoder(bytes.NewReader(head))
	t, err := d.Token()
	if t == json.Delim('[') {
		t, err = d.Token()
	}
	if err != nil || t != json.Delim('{') {
		return nil
	}
	var keys []string
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			break
		}
		keys = append(keys, key)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			break
		}
	}
	return keys
}

// marks are the keys by which a kind is told, all of which its first row has.
// The first that fits is it.
var marks = []struct {
	kind string
	keys []string
}{
	{ShareGPT, []string{"conversations"}},
	{OpenAIBatch, []string{"body"}},
}

func kindOfKeys(keys []string) (kind, why string) {
	for _, m := range marks {
		if !slices.ContainsFunc(m.keys, func(k string) bool { return !slices.Contains(keys, k) }) {
			return m.kind, fmt.Sprintf("because its first row has %s", quoted(m.keys))
		}
	}
	return JSONLines, "because it is JSON of no other kind"
}

// quoted is a list of keys for a sentence.
func quoted(keys []string) string {
	q := make([]string, len(keys))
	for i, k := range keys {
		q[i] = fmt.Sprintf("%q", k)
	}
	return strings.Join(q, ", ")
}
