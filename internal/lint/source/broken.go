package source

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// broken is a syntax error with its place in the file. Of a file that a user did not
// name it is none of ours where it is made for other programs: a template without a
// chart, a JSON file with comments.
func (c Chunk) broken(err error) []Problem {
	template := bytes.Contains(c.Text, []byte("{{"))
	json := strings.HasSuffix(strings.ToLower(c.File.Name), ".json")
	if !c.File.Named && !c.File.Rendered && (template || json) && !bytes.Contains(c.Text, []byte("apiVersion")) {
		return nil
	}
	p := Problem{ID: "yaml-syntax", Place: Place{c.File.Name, c.Line, 1}}
	message := err.Error()
	var load *yaml.LoadError
	if errors.As(err, &load) {
		message = load.Message
		at, context := load.Mark, load.ContextMark
		if context.Line > 0 && context.Line != at.Line {
			message += fmt.Sprintf(" (%s that begins in line %d)", load.ContextMsg, c.Line+context.Line-1)
		}
		p.Place.Line, p.Place.Column = c.Line+max(0, at.Line-1), max(1, at.Column)
	}
	p.Message = "the document is no YAML: " + message
	lines := bytes.Split(c.Text, []byte{'\n'})
	p.Place.Line = min(p.Place.Line, c.Line+len(lines)-1)
	switch tab := c.tab(lines, p.Place.Line); {
	case tab > 0:
		p.ID, p.Place.Line, p.Place.Column = "tab-indent", tab, 1+bytes.IndexByte(lines[tab-c.Line], '\t')
		p.Message = "a tab indents the line; YAML takes spaces alone"
	case template:
		p.Way = "it looks like a template: give the chart or kustomization that it belongs to, or render it first"
	}
	if text := lines[p.Place.Line-c.Line]; len(text) <= 400 {
		p.Text = string(bytes.TrimRight(text, "\r"))
	}
	return []Problem{p}
}

// tab is the line about an error that a tab indents; 0: none does.
func (c Chunk) tab(lines [][]byte, line int) int {
	for _, at := range []int{line, line - 1, line + 1} {
		if i := at - c.Line; i >= 0 && i < len(lines) {
			text := lines[i]
			if indent := text[:len(text)-len(bytes.TrimLeft(text, " \t"))]; bytes.IndexByte(indent, '\t') >= 0 && len(bytes.TrimSpace(text)) > 0 {
				return at
			}
		}
	}
	return 0
}
