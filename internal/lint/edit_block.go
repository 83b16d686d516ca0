package lint

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"

	"assay/internal/lint/source"
)

// Remove takes a key and what it holds out of a mapping. A mapping that would be empty
// becomes {}.
func (p *Pass) Remove(parent source.Value, key string) []Edit {
	n, ok := p.mapping(parent)
	if !ok {
		return nil
	}
	i := keyIndex(n, key)
	switch {
	case i < 0:
		return nil
	case n.Style&yaml.FlowStyle != 0:
		return p.removeFlow(n, i)
	}
	k, v := n.Content[i], n.Content[i+1]
	end := p.blockEnd(k.Line, k.Column-1, isBlockList(v))
	switch before := p.before(k); {
	case blank(before) && len(n.Content) == 2:
		return p.replaceLines(k.Line, end, before+"{}")
	case blank(before):
		return edit(p.File, k.Line, 1, end+1, 1, "")
	case strings.Trim(before, " -") == "" && i+2 < len(n.Content):
		return p.removeFirst(k, n.Content[i+2], end)
	}
	return nil
}

// removeFirst takes out the first key of an item, which stands behind its dash.
func (p *Pass) removeFirst(key, next *yaml.Node, end int) []Edit {
	at := bytesOf(p.File.Line(next.Line), next.Column)
	if next.Line != end+1 || at < 0 {
		return nil // a comment stands between
	}
	return edit(p.File, key.Line, bytesOf(p.File.Line(key.Line), key.Column)+1, next.Line, at+1, "")
}

// Insert puts lines of YAML, without indentation of their own, into a mapping, behind
// a key and what it holds; behind all where the key is empty or not there.
func (p *Pass) Insert(parent source.Value, after, text string) []Edit {
	n, ok := p.mapping(parent)
	if !ok || len(n.Content) == 0 {
		return nil
	}
	i := keyIndex(n, after)
	if i < 0 {
		i = len(n.Content) - 2
	}
	if n.Style&yaml.FlowStyle != 0 {
		return p.insertFlow(n.Content[i+1], text)
	}
	k := n.Content[i]
	indent := strings.Repeat(" ", k.Column-1)
	return p.insertLines(p.blockEnd(k.Line, k.Column-1, isBlockList(n.Content[i+1])), indent, indent, text)
}

// mapping is one that stands where it is used: no alias.
func (p *Pass) mapping(v source.Value) (*yaml.Node, bool) {
	n := v.Node()
	ok := n != nil && n.Kind == yaml.MappingNode && p.editable() && n.Line == v.Line() && n.Column == v.Column()
	return n, ok
}

func keyIndex(n *yaml.Node, key string) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return i
		}
	}
	return -1
}

func isBlockList(n *yaml.Node) bool {
	return n.Kind == yaml.SequenceNode && n.Style&yaml.FlowStyle == 0
}

// before is what stands in a node's line before it.
func (p *Pass) before(n *yaml.Node) string {
	line := p.File.Line(n.Line)
	return string(line[:max(0, bytesOf(line, n.Column))])
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

// blockEnd is the last line of what begins in a line and is indented deeper than its
// first character; items of a list may stand as deep as the key that holds them.
func (p *Pass) blockEnd(line, indent int, list bool) int {
	end := line
	for at := line + 1; at <= p.File.Lines(); at++ {
		text := p.File.Line(at)
		by, empty := indentOf(text)
		rest := text[by:]
		switch {
		case empty:
		case by > indent, list && by == indent && (bytes.HasPrefix(rest, []byte("- ")) || string(rest) == "-"):
			end = at
		case rest[0] == '#': // of what follows, unless the block goes on
		default:
			return end
		}
	}
	return end
}

// replaceLines puts one line in the place of several.
func (p *Pass) replaceLines(line, end int, text string) []Edit {
	return edit(p.File, line, 1, end, len(p.File.Line(end))+1, text)
}

// insertLines puts lines behind a line, with the file's ends of lines.
func (p *Pass) insertLines(behind int, first, others, text string) []Edit {
	ending := "\n"
	if bytes.Contains(p.File.Body, []byte("\r\n")) {
		ending = "\r\n"
	}
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		indent := others
		if i == 0 {
			indent = first
		}
		b.WriteString(ending + strings.TrimRight(indent+line, " "))
	}
	at := len(p.File.Line(behind)) + 1
	return edit(p.File, behind, at, behind, at, b.String())
}
