package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"

	"go.yaml.in/yaml/v4"
)

// Bounds of one document. An alias counts as what it stands for.
const (
	mostText  = 4 << 20 // bytes; an API server takes 3 MiB of one object, etcd 1.5
	mostNodes = 500_000
	mostDepth = 200
)

// Document is one YAML document.
type Document struct {
	File *File
	Root Value
}

// Parse reads the document of a chunk. A chunk without one, such as comments alone,
// gives a Document whose Root is absent.
func (c Chunk) Parse() (Document, []Problem) {
	doc := Document{File: c.File}
	switch {
	case c.rest:
		return doc, []Problem{c.tooMany()}
	case len(c.Text) > mostText:
		return doc, []Problem{c.tooLarge(c.Line, fmt.Sprintf("the document is longer than %d MiB", mostText>>20))}
	case c.mayHold() > mostNodes:
		return doc, []Problem{c.tooLarge(c.Line, fmt.Sprintf("the document may hold more than %d values", mostNodes))}
	}
	dec := yaml.NewDecoder(bytes.NewReader(withoutSurrogates(c.Text)))
	var n yaml.Node
	switch err := dec.Decode(&n); {
	case errors.Is(err, io.EOF):
		return doc, nil
	case err != nil:
		return doc, c.broken(err)
	}
	if n.Kind != yaml.DocumentNode || len(n.Content) != 1 {
		return doc, nil
	}
	root := n.Content[0]
	s := settler{chunk: c, lines: c.lines(), anchored: map[*yaml.Node]int{}}
	if size := s.settle(root, 0); size > mostNodes {
		return doc, []Problem{c.tooLarge(max(root.Line, c.Line), fmt.Sprintf("the document holds more than %d values or %d levels, its aliases expanded", mostNodes, mostDepth))}
	}
	doc.Root = Value{n: root}
	if c.Item && root.Kind == yaml.SequenceNode && len(root.Content) == 1 {
		doc.Root = Value{n: root.Content[0]}
	}
	if doc.Root.Get("kind").Text() == "" {
		return doc, nil // of another program, which reads it its own way
	}
	return doc, s.problems
}

// mayHold is about how many values a text holds at most, found without parsing it: one
// of two bytes takes 200 in memory. Each begins a line or follows a mark of YAML.
func (c Chunk) mayHold() int {
	if len(c.Text) <= mostNodes {
		return 0
	}
	n, last := 0, byte(0)
	for _, b := range c.Text {
		switch b {
		case '\n', '\r', ',', ':', '[', '{':
			n++
		case ' ', '\t':
			if last == '-' || last == '?' {
				n++
			}
		}
		last = b
	}
	return n
}

func (c Chunk) tooLarge(line int, message string) Problem {
	column := 1
	if line == c.Line {
		column += c.Before
	}
	return Problem{ID: "yaml-too-large", Place: Place{c.File.Name, line, column}, Message: message, Way: "split it"}
}

// lines leads a line as YAML counts them, with breaks of one character that few
// editors know, to the line of the file; nil where both are the same but for the
// chunk's beginning.
func (c Chunk) lines() []int {
	if !c.otherBreaks() {
		return nil
	}
	all := []int{0, c.Line}
	line := c.Line
	for _, b := range anyBreak.FindAll(c.Text, -1) {
		if b[len(b)-1] == '\n' {
			line++
		}
		all = append(all, line)
	}
	return all
}

// anyBreak is a break of YAML 1.1 (rule b-break), by which kubectl's reader counts.
var anyBreak = regexp.MustCompile("\r?\n|\r|\u0085|\u2028|\u2029")

// otherBreaks says that there may be one that is no newline.
func (c Chunk) otherBreaks() bool {
	return bytes.IndexByte(c.Text, '\r') >= 0 || bytes.Contains(c.Text, []byte("\u0085")) || bytes.Contains(c.Text, []byte("\u2028")) || bytes.Contains(c.Text, []byte("\u2029"))
}

// surrogate is a JSON escape of half a character, which YAML knows only whole.
var surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// withoutSurrogates puts a character of the same length in the place of each half in
// a JSON value, so that positions stay.
func withoutSurrogates(text []byte) []byte {
	if t := bytes.TrimLeft(text, " \t\r\n"); len(t) == 0 || t[0] != '{' || !bytes.Contains(text, []byte(`\ud`)) && !bytes.Contains(text, []byte(`\uD`)) {
		return text
	}
	return surrogate.ReplaceAll(text, []byte(`\ufffd`))
}
