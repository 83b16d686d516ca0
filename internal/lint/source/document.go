package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v4"
)

// Bounds of one document. An alias counts as what it stands for.
const (
	mostNodes = 500_000
	mostDepth = 200
)

// Chunk is the text of one document in a file.
type Chunk struct {
	File *File
	Text []byte
	Line int // of the file in which the text begins
}

// Document is one YAML document.
type Document struct {
	File *File
	Root Value
}

// Chunks cuts a stream at its document markers. A line that begins with --- is one
// wherever it stands: YAML forbids it inside of scalars (1.2.2, rule c-forbidden).
func (f *File) Chunks() []Chunk {
	var all []Chunk
	begin, first, line := 0, 1, 1
	for at := 0; at < len(f.Body); {
		end := len(f.Body)
		if i := bytes.IndexByte(f.Body[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if at > begin && isMarker(f.Body[at:end]) {
			all = append(all, Chunk{f, f.Body[begin:at], first})
			begin, first = at, line
		}
		at = end
		line++
	}
	return append(all, Chunk{f, f.Body[begin:], first})
}

func isMarker(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || bytes.ContainsRune([]byte(" \t\r\n"), rune(rest[0])))
}

// Parse reads the document of a chunk. A chunk without one, such as comments alone,
// gives a Document whose Root is absent.
func (c Chunk) Parse() (Document, []Problem) {
	doc := Document{File: c.File}
	dec := yaml.NewDecoder(bytes.NewReader(c.Text))
	var n yaml.Node
	switch err := dec.Decode(&n); {
	case errors.Is(err, io.EOF):
		return doc, nil
	case err != nil:
		return doc, []Problem{c.broken(err)}
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 {
		return doc, nil
	}
	w := walker{by: c.Line - 1, anchored: map[*yaml.Node]int{}}
	if size := w.walk(n.Content[0], 0); size > mostNodes {
		return doc, []Problem{{ID: "yaml-too-large", Place: Place{c.File.Name, n.Content[0].Line, 1}, Message: fmt.Sprintf("the document holds more than %d values or %d levels, its aliases expanded", mostNodes, mostDepth), Way: "split it"}}
	}
	doc.Root = Value{n.Content[0]}
	return doc, nil
}

// broken is a syntax error with its place in the file.
func (c Chunk) broken(err error) Problem {
	line := c.Line
	var load *yaml.LoadError
	if errors.As(err, &load) {
		line += max(0, load.Mark.Line-1)
	}
	return Problem{ID: "yaml-syntax", Place: Place{c.File.Name, line, 1}, Message: "the document is no YAML: " + err.Error()}
}

// walker moves lines from the chunk to the file and counts what aliases expand to.
type walker struct {
	by       int
	anchored map[*yaml.Node]int // sizes; 0 while the node itself is walked
}

// walk is how many values a node holds, at most one more than allowed.
func (w *walker) walk(n *yaml.Node, depth int) int {
	if n.Kind == yaml.AliasNode {
		n.Line += w.by
		if size := w.anchored[n.Alias]; size > 0 {
			return size
		}
		return mostNodes + 1 // it holds itself
	}
	if depth > mostDepth {
		return mostNodes + 1
	}
	if n.Anchor != "" {
		w.anchored[n] = 0
	}
	n.Line += w.by
	size := 1
	for _, c := range n.Content {
		size = min(size+w.walk(c, depth+1), mostNodes+1)
	}
	if n.Anchor != "" {
		w.anchored[n] = size
	}
	return size
}
