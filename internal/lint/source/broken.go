package source

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
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
	lines := bytes.Split(c.Text, []byte{'\n'})
	p := Problem{ID: "yaml-syntax", Place: Place{c.File.Name, c.Line, 1}}
	message := err.Error()
	var load *yaml.LoadError
	if errors.As(err, &load) {
		message = load.Message
		at, context := load.Mark, load.ContextMark
		if context.Line > 0 && context.Line != at.Line {
			message += fmt.Sprintf(" (%s that begins in line %d)", load.ContextMsg, c.lineOf(context.Line))
		}
		if c.ends(lines, c.lineOf(at.Line)) && context.Line > 0 {
			at = context // what is not closed, not where the text ends
		}
		p.Place.Line, p.Place.Column = c.lineOf(at.Line), max(1, at.Column)
		if at.Line <= 1 {
			p.Place.Column += c.Before
		}
	}
	for p.Place.Line > c.Line && c.ends(lines, p.Place.Line) {
		p.Place.Line, p.Place.Column = p.Place.Line-1, 1
	}
	p.Message = "the document is no YAML: " + message
	switch tab := c.tab(lines, p.Place.Line); {
	case tab > 0:
		p.ID, p.Place.Line, p.Place.Column = "tab-indent", tab, 1+bytes.IndexByte(lines[tab-c.Line], '\t')
		p.Message = "a tab indents the line; YAML takes spaces alone"
	case template:
		p.Way = "it looks like a template: give the chart or kustomization that it belongs to, or render it first"
	}
	if text := lines[p.Place.Line-c.Line]; len(text) <= 400 {
		p.Text, p.Secret = string(bytes.TrimRight(text, "\r")), ofSecret.Match(c.Text)
	}
	return []Problem{p}
}

// ofSecret is what a Secret says of its kind, in YAML and in JSON.
var ofSecret = regexp.MustCompile(`(?m)["']?kind["']?:\s*["']?Secret\b`)

// ends says that nothing stands at a line of the file and after it.
func (c Chunk) ends(lines [][]byte, line int) bool {
	for i := max(0, line-c.Line); i < len(lines); i++ {
		if len(bytes.TrimSpace(lines[i])) > 0 {
			return false
		}
	}
	return true
}

// lineOf is the line of the file for one that YAML counts in the chunk.
func (c Chunk) lineOf(line int) int {
	return (&settler{chunk: c, lines: c.lines()}).line(max(1, line))
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
