package lint

import (
	"strings"

	"go.yaml.in/yaml/v4"
)

// removeFlow takes the key at i, and what it holds, out of a mapping in flow style on one
// line.
func (p *Pass) removeFlow(n *yaml.Node, i int) []Edit {
	if !oneLine(n) {
		return nil
	}
	line := p.File.Line(n.Line)
	begin, end := bytesOf(line, n.Content[i].Column), flowEnd(line, n.Content[i+1])
	switch {
	case end <= 0 || begin < 0:
		return nil
	case i+2 < len(n.Content):
		end = bytesOf(line, n.Content[i+2].Column)
	case i > 0:
		begin = flowEnd(line, n.Content[i-1])
	}
	if begin <= 0 || end < begin {
		return nil
	}
	return span{p.File, n.Line, begin, end}.edit("")
}

// insertFlow puts one more key behind a node.
func (p *Pass) insertFlow(behind *yaml.Node, text string) []Edit {
	line := p.File.Line(behind.Line)
	end := flowEnd(line, behind)
	if end <= 0 || !oneLine(behind) || strings.Contains(text, "\n") {
		return nil
	}
	return span{p.File, behind.Line, end, end}.edit(", " + text)
}

func oneLine(n *yaml.Node) bool {
	for _, c := range n.Content {
		if c.Line != n.Line || !oneLine(c) {
			return false
		}
	}
	return true
}

// flowEnd is the offset behind a node in its line; 0: it is not known.
func flowEnd(line []byte, n *yaml.Node) int {
	begin := bytesOf(line, n.Column)
	if begin < 0 || n.Kind == yaml.AliasNode || n.Anchor != "" {
		return 0
	}
	if n.Kind == yaml.ScalarNode {
		if length := scalarLength(string(line[begin:]), n); length > 0 {
			return begin + length
		}
		return 0
	}
	end := begin + 1
	if len(n.Content) > 0 {
		if end = flowEnd(line, n.Content[len(n.Content)-1]); end == 0 {
			return 0
		}
	}
	for ; end < len(line); end++ {
		switch line[end] {
		case ' ', ',':
		case '}', ']':
			return end + 1
		default:
			return 0
		}
	}
	return 0
}
