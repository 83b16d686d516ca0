package source

import (
	"bytes"
	"regexp"
)

// Chunk is the text of one document in a file.
type Chunk struct {
	File *File
	Text []byte
	Line int // of the file in which the text begins
	// Item says that the text is one item of a List's sequence, cut out so that a List
	// of any length is read item by item.
	Item bool
}

// Chunks cuts a stream into documents: before a line that begins with ---, which is a
// marker wherever it stands, since YAML forbids it inside of scalars (1.2.2, rule
// c-forbidden), after one that begins with ..., and between JSON values.
func (f *File) Chunks() []Chunk {
	var all []Chunk
	for _, c := range f.documents() {
		all = append(all, c.items()...)
	}
	return all
}

func (f *File) documents() []Chunk {
	if first := bytes.TrimLeft(f.Body, " \t\r\n"); len(first) > 0 && first[0] == '{' {
		return f.values()
	}
	var all []Chunk
	begin, first, line := 0, 1, 1
	bare := true // nothing but comments and directives since begin
	for at := 0; at < len(f.Body); line++ {
		end := lineEnd(f.Body, at)
		text := f.Body[at:end]
		if at > begin && isMarker(text, "---") && !bare {
			all = append(all, Chunk{File: f, Text: f.Body[begin:at], Line: first})
			begin, first = at, line
		}
		bare = bare && isBare(text)
		at = end
		if isMarker(text, "...") {
			all = append(all, Chunk{File: f, Text: f.Body[begin:at], Line: first})
			begin, first, bare = at, line+1, true
		}
	}
	return append(all, Chunk{File: f, Text: f.Body[begin:], Line: first})
}

// lineEnd is where the line at a byte ends, its break included.
func lineEnd(body []byte, at int) int {
	if i := bytes.IndexByte(body[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(body)
}

func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0)
}

// isBare says that a line holds nothing, a comment or a directive such as %YAML.
func isBare(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#' || line[0] == '%'
}

// longList is the length from which a List is cut into its items.
const longList = 256 << 10

// isList knows the kind of a List, in the first column.
var isList = regexp.MustCompile(`(?m)^kind: *"?[A-Za-z]*List"?[ \r]*$`)

// items cuts a long List as kubectl writes it, with items that begin in the first
// column: so nothing else of a document does, save its keys.
func (c Chunk) items() []Chunk {
	head := []byte("\nitems:\n")
	at := bytes.Index(c.Text, append(head, "- "...))
	if len(c.Text) < longList || at < 0 || !isList.Match(c.Text) {
		return []Chunk{c}
	}
	at += len(head)
	line := c.Line + bytes.Count(c.Text[:at], []byte{'\n'})
	var all []Chunk
	begin, first := at, line
	for ; at < len(c.Text); line++ {
		if text := c.Text[at:]; at > begin && !bytes.ContainsAny(text[:1], " #\r\n") {
			all = append(all, Chunk{File: c.File, Text: c.Text[begin:at], Line: first, Item: true})
			begin, first = at, line
			if !bytes.HasPrefix(text, []byte("- ")) {
				return all
			}
		}
		at = lineEnd(c.Text, at)
	}
	return append(all, Chunk{File: c.File, Text: c.Text[begin:], Line: first, Item: true})
}

// values cuts JSON values that follow one another, which kubectl takes too.
func (f *File) values() []Chunk {
	var all []Chunk
	begin := 0
	for {
		end := valueEnd(f.Body, begin)
		rest := bytes.TrimLeft(f.Body[end:], " \t\r\n")
		if len(rest) == 0 || rest[0] != '{' {
			end = len(f.Body)
		}
		line := 1 + bytes.Count(f.Body[:begin], []byte{'\n'})
		all = append(all, Chunk{File: f, Text: f.Body[begin:end], Line: line})
		if end == len(f.Body) {
			return all
		}
		begin = end
	}
}

// valueEnd is where the JSON object that begins at or after a byte ends.
func valueEnd(body []byte, at int) int {
	depth, quoted := 0, false
	for ; at < len(body); at++ {
		switch c := body[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(body)
}
