package source

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Embedded reads the YAML or JSON that a scalar holds, as a ConfigMap's data do. Its
// positions are those of the file where the text is a literal block, else all are that
// of the scalar.
func (f *File) Embedded(v Value) (Document, bool) {
	n := v.Node()
	if n == nil || n.Kind != yaml.ScalarNode {
		return Document{}, false
	}
	doc, problems := Chunk{File: f, Text: []byte(n.Value), Line: 1}.Parse()
	if len(problems) > 0 || !doc.Root.Exists() {
		return Document{}, false
	}
	literal, indent := n.Style&yaml.LiteralStyle != 0, 0
	if literal {
		indent = f.indent(n.Line + 1)
	}
	moved(doc.Root.n, map[*yaml.Node]bool{}, func(m *yaml.Node) {
		if literal {
			m.Line, m.Column = m.Line+n.Line, m.Column+indent
		} else {
			m.Line, m.Column = n.Line, n.Column
		}
	})
	return doc, true
}

// moved visits each node once, be it merged into several mappings; an alias is passed
// over with what it stands for.
func moved(n *yaml.Node, seen map[*yaml.Node]bool, move func(*yaml.Node)) {
	if seen[n] {
		return
	}
	seen[n] = true
	move(n)
	for _, c := range n.Content {
		moved(c, seen, move)
	}
}

// indent is how many blanks a line of the file begins with.
func (f *File) indent(line int) int {
	text := f.Line(line)
	return len(text) - len(bytes.TrimLeft(text, " "))
}

// bytesOf is how many bytes the first characters of a line take.
func bytesOf(line []byte, characters int) int {
	at := 0
	for ; characters > 0 && at < len(line); characters-- {
		_, size := utf8.DecodeRune(line[at:])
		at += size
	}
	return at
}

// Within is the place of a byte of a scalar's text at which a token stands: the file is
// searched for as many occurrences of the token as the text holds before it. Where it
// is not found, as in text with escapes, the place is that of the scalar.
func (f *File) Within(v Value, offset int, token string) Value {
	n := v.Node()
	if n == nil || token == "" || offset < 0 || offset+len(token) > len(n.Value) || n.Value[offset:offset+len(token)] != token {
		return v
	}
	nth := strings.Count(n.Value[:offset], token)
	most := n.Line + 1 + strings.Count(n.Value, "\n")
	if n.Style&(yaml.FoldedStyle|yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0 || n.Style == 0 {
		most = n.Line + 1 + len(n.Value) // such text may take more lines than it has, each for a character
	}
	for line := n.Line; line <= most; line++ {
		text, from := f.Line(line), 0
		if text == nil {
			break
		}
		if line == n.Line {
			from = bytesOf(text, n.Column-1)
		}
		for {
			i := bytes.Index(text[from:], []byte(token))
			if i < 0 {
				break
			}
			if nth == 0 {
				at := *n
				at.Line, at.Column = line, utf8.RuneCount(text[:from+i])+1
				return Value{n: &at}
			}
			nth--
			from += i + len(token)
		}
	}
	return v
}
