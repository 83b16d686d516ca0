package lint

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"assay/internal/lint/source"
)

// FailIn is Fail at an offset, in bytes, into a value of several lines, such as a
// script: it points at the line within.
func (p *Pass) FailIn(at source.Value, offset int, format string, args ...any) *Finding {
	f := p.add(Fail, p.placeOf(at), fmt.Sprintf(format, args...))
	n := at.Node()
	if n == nil || n.Style&yaml.LiteralStyle == 0 || offset < 0 || offset > len(n.Value) || f.Line != at.Line() {
		return f
	}
	before := n.Value[:offset]
	begin := strings.LastIndexByte(before, '\n') + 1
	line, _, _ := strings.Cut(n.Value[begin:], "\n")
	f.Line += 1 + strings.Count(before, "\n")
	f.Column = 1
	text := string(p.File.Line(f.Line))
	if i := strings.Index(text, line); i >= 0 {
		f.Column = utf8.RuneCountInString(text[:min(i+offset-begin, len(text))]) + 1
	}
	part, first := textOf(p.File, f.Line, f.Column)
	f.Text, f.Begin = hide(p.Object, part), first
	f.read = f.Place()
	return f
}

// FailWord is Fail at an offset into an instruction of a Dockerfile.
func (p *Pass) FailWord(i *source.Instruction, offset int, format string, args ...any) *Finding {
	f := p.add(Fail, i.Place(p.File, offset), fmt.Sprintf(format, args...))
	f.begins = i.Line
	return f
}

// FailPlace is Fail at a place of a file that is no YAML.
func (p *Pass) FailPlace(at source.Place, format string, args ...any) *Finding {
	return p.add(Fail, at, fmt.Sprintf(format, args...))
}
