package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// first is what a file's first row says about its kind.
type first struct {
	values  map[string]json.RawMessage // of a JSON object, as far as the head goes
	columns []string                   // of a CSV header, in lower case
	text    bool
}

// has says whether a key is there and is not null.
func (f first) has(key string) bool {
	v, ok := f.values[key]
	return ok && string(v) != "null"
}

// str is the value of a key that holds a text.
func (f first) str(key string) string {
	var s string
	if json.Unmarshal(f.values[key], &s) != nil {
		return ""
	}
	return s
}

// keys recognises a row that has all of them.
func keys(want ...string) func(first) string {
	return func(f first) string {
		if f.values == nil || slices.ContainsFunc(want, func(k string) bool { return !f.has(k) }) {
			return ""
		}
		return "its first row has " + quoted(want)
	}
}

// columns recognises a header that has all of them.
func columns(want ...string) func(first) string {
	return func(f first) string {
		if f.columns == nil || slices.ContainsFunc(want, func(c string) bool { return !slices.Contains(f.columns, c) }) {
			return ""
		}
		return "its header has " + quoted(want)
	}
}

// ofType recognises a row that says its type, as AIPerf's do.
func ofType(name string) func(first) string {
	return func(f first) string {
		if f.str("type") != name {
			return ""
		}
		return fmt.Sprintf("its first row has \"type\": %q", name)
	}
}

// anyOf is the first of several ways that recognises.
func anyOf(ways ...func(first) string) func(first) string {
	return func(f first) string {
		for _, w := range ways {
			if why := w(f); why != "" {
				return why
			}
		}
		return ""
	}
}

func isJSON(f first) string {
	if f.values == nil {
		return ""
	}
	return "it is JSON of no other kind"
}

func isText(f first) string {
	if !f.text {
		return ""
	}
	return "it is text, and neither JSON nor CSV with a header that is known"
}

// quoted is a list of keys for a sentence.
func quoted(keys []string) string {
	q := make([]string, len(keys))
	for i, k := range keys {
		q[i] = fmt.Sprintf("%q", k)
	}
	if n := len(q); n > 1 {
		return strings.Join(q[:n-1], ", ") + " and " + q[n-1]
	}
	return strings.Join(q, "")
}

// firstObject is the first object of a head of JSON, as far as the head goes,
// and where it ends; 0 where it does not end in the head.
func firstObject(head []byte) (map[string]json.RawMessage, int64) {
	d := json.NewDecoder(bytes.NewReader(head))
	t, err := d.Token()
	if t == json.Delim('[') {
		t, err = d.Token()
	}
	if err != nil || t != json.Delim('{') {
		return nil, 0
	}
	values := map[string]json.RawMessage{}
	for d.More() {
		t, err := d.Token()
		key, ok := t.(string)
		if err != nil || !ok {
			return values, 0
		}
		values[key] = nil
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return values, 0
		}
		values[key] = value
	}
	if _, err := d.Token(); err != nil {
		return values, 0
	}
	return values, d.InputOffset()
}

// header is the first line of a head as the names of columns, in lower case, or
// nil where it cannot be one: a name is a few plain words.
func header(head []byte) []string {
	line, _, _ := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimRight(line, "\r")
	if len(line) > 4096 || bytes.IndexByte(line, ',') < 0 {
		return nil
	}
	names := strings.Split(strings.ToLower(string(line)), ",")
	for i, n := range names {
		n = strings.Trim(strings.TrimSpace(n), `"`)
		if n == "" || len(n) > 40 || strings.Trim(n, "abcdefghijklmnopqrstuvwxyz0123456789 _-()") != "" {
			return nil
		}
		names[i] = n
	}
	return names
}
