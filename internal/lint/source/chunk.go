package source

import (
	"bytes"
	"fmt"
	"regexp"
	"unicode/utf8"
)

// Chunk is the text of one document in a file.
type Chunk struct {
	File *File
	Text []byte
	Line int // of the file in which the text begins
	// Before is how many characters of that line stand before the text.
	Before int
	// Item says that the text is one item of a List, cut out so that a List of any
	// length is read item by item.
	Item bool

	rest bool // what follows the documents that are read
}

// mostDocuments is how many of one file are read: ten times what takes two seconds.
const mostDocuments = 100_000

// Chunks cuts a stream into documents: before a line that begins with ---, which is a
// marker wherever it stands, since YAML forbids it inside of scalars (1.2.2, rule
// c-forbidden), after one that begins with ..., and between JSON values.
func (f *File) Chunks() []Chunk {
	c := &cutter{file: f}
	if first := bytes.TrimLeft(f.Body, " \t\r\n"); len(first) > 0 && first[0] == '{' {
		c.values()
	} else {
		c.documents()
	}
	return c.all
}

// cutter cuts a file.
type cutter struct {
	file *File
	all  []Chunk
}

// add takes in a chunk, unless there are too many; then it is all the rest.
func (c *cutter) add(begin, end, line, before int, item bool) (more bool) {
	chunk := Chunk{File: c.file, Text: c.file.Body[begin:end], Line: line, Before: before, Item: item}
	if len(c.all) == mostDocuments && end < len(c.file.Body) {
		chunk.Text, chunk.rest = c.file.Body[begin:], true
	}
	c.all = append(c.all, chunk)
	return !chunk.rest
}

func (c Chunk) tooMany() Problem {
	return c.tooLarge(c.Line, fmt.Sprintf("the file holds more than %d documents; what follows is not read", mostDocuments))
}

// documents cuts YAML.
func (c *cutter) documents() {
	body := c.file.Body
	begin, first, line := 0, 1, 1
	bare := true // nothing but comments and directives since begin
	for at := 0; at < len(body); line++ {
		end := lineEnd(body, at)
		text := body[at:end]
		if at > begin && isMarker(text, "---") && !bare {
			if !c.document(begin, at, first) {
				return
			}
			begin, first = at, line
		}
		bare = bare && isBare(text)
		at = end
		if isMarker(text, "...") {
			if !c.document(begin, at, first) {
				return
			}
			begin, first, bare = at, line+1, true
		}
	}
	c.document(begin, len(body), first)
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

// document adds one. It cuts a long List as kubectl writes it, with items that begin in
// the first column: so nothing else of a document does, save its keys.
func (c *cutter) document(begin, end, line int) (more bool) {
	text := c.file.Body[begin:end]
	head := []byte("\nitems:\n")
	at := bytes.Index(text, append(head, "- "...))
	if len(text) < longList || at < 0 || !isList.Match(text) {
		return c.add(begin, end, line, 0, false)
	}
	at += len(head)
	line += bytes.Count(text[:at], []byte{'\n'})
	at += begin
	first := line
	for begin = at; at < end; line++ {
		if b := c.file.Body[at]; at > begin && bytes.IndexByte([]byte(" #\r\n"), b) < 0 {
			if !c.add(begin, at, first, 0, true) {
				return false
			}
			begin, first = at, line
			if !bytes.HasPrefix(c.file.Body[at:end], []byte("- ")) {
				return true
			}
		}
		at = lineEnd(c.file.Body, at)
	}
	return c.add(begin, end, first, 0, true)
}

// values cuts JSON values that follow one another, which kubectl takes too.
func (c *cutter) values() {
	body := c.file.Body
	for begin, line, before := 0, 1, 0; begin < len(body); {
		end := valueEnd(body, begin)
		if rest := bytes.TrimLeft(body[end:], " \t\r\n"); len(rest) == 0 || rest[0] != '{' {
			end = len(body)
		}
		if !c.value(begin, end, line, before) {
			return
		}
		line, before = after(body[begin:end], line, before)
		begin = end
	}
}

// isJSONList knows the kind of a List, and jsonItems where its items begin.
var (
	isJSONList = regexp.MustCompile(`"kind"\s*:\s*"[A-Za-z]*List"`)
	jsonItems  = regexp.MustCompile(`"items"\s*:\s*\[`)
)

// value adds one JSON value, a long List item by item.
func (c *cutter) value(begin, end, line, before int) (more bool) {
	text := c.file.Body[begin:end]
	items, ok := itemsOf(text)
	if len(text) < longList || !ok {
		return c.add(begin, end, line, before, false)
	}
	at := 0
	for _, item := range items {
		line, before = after(text[at:item[0]], line, before)
		if !c.add(begin+item[0], begin+item[1], line, before, false) {
			return false
		}
		at = item[0]
	}
	return true
}

// itemsOf are where the items of a List begin and end; no ok: it is none, or not whole.
func itemsOf(text []byte) (items [][2]int, ok bool) {
	list := jsonItems.FindIndex(text)
	if list == nil || bytes.Count(text[:list[0]], []byte("{"))-bytes.Count(text[:list[0]], []byte("}")) != 1 {
		return nil, false
	}
	for at := list[1]; ; {
		at += len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n,"))
		switch {
		case at == len(text):
			return nil, false
		case text[at] == ']':
			return items, isJSONList.Match(text[:list[0]]) || isJSONList.Match(text[at:])
		case text[at] != '{':
			return nil, false
		}
		end := valueEnd(text, at)
		items = append(items, [2]int{at, end})
		at = end
	}
}

// after is the line, and how many of its characters stand before what follows a text.
func after(text []byte, line, before int) (int, int) {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		return line + bytes.Count(text, []byte{'\n'}), utf8.RuneCount(text[i+1:])
	}
	return line, before + utf8.RuneCount(text)
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
