package lint

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"assay/internal/lint/source"
)

// Edit replaces a span of a file's text. Lines and columns count from 1, columns in
// bytes; the end is exclusive. Equal ends insert.
type Edit struct {
	Line, Column       int
	EndLine, EndColumn int
	Old                string // what stands there; the edit is left out where it does not
	New                string
}

// The edits of a pass change what they name and nothing else: comments, order and
// quotes of all else stay. They are nil where the change is not mechanical (an alias, a
// text over several lines, flow style over several lines) and where the text is in no
// file that a user edits. Edits for one finding are joined by append.
//
//	p.Fail(v, "…").Edits = p.SetScalar(v, "60")

// SetScalar writes a scalar anew. Its quotes stay; a plain one is quoted where the new
// text would mean something else without, or quoted says so.
func (p *Pass) SetScalar(v source.Value, text string) []Edit {
	s, ok := p.scalar(v)
	if !ok {
		return nil
	}
	switch v.Node().Style &^ yaml.TaggedStyle {
	case yaml.DoubleQuotedStyle:
		text = quoted(text)
	case yaml.SingleQuotedStyle:
		text = "'" + strings.ReplaceAll(text, "'", "''") + "'"
	default:
		if v.Tag() == "!!str" {
			text = Plain(text)
		}
	}
	return s.edit(text)
}

// Replace writes another text where one stands at a place, such as a word within a value.
func (p *Pass) Replace(at source.Value, old, text string) []Edit {
	if !p.editable() {
		return nil
	}
	line := p.File.Line(at.Line())
	begin := bytesOf(line, at.Column())
	if begin < 0 || !strings.HasPrefix(string(line[begin:]), old) {
		return nil
	}
	return span{p.File, at.Line(), begin, begin + len(old)}.edit(text)
}

// Rename writes the key of a mapping anew.
func (p *Pass) Rename(parent source.Value, key, name string) []Edit {
	return p.SetScalar(parent.Key(key), name)
}

// Plain is a text as a plain scalar where that means the text, else in quotes.
func Plain(text string) string {
	var n yaml.Node
	if err := yaml.Unmarshal([]byte("k: "+text+"\n"), &n); err == nil && len(n.Content) == 1 && len(n.Content[0].Content) == 2 {
		if v := n.Content[0].Content[1]; v.Kind == yaml.ScalarNode && v.Style == 0 && v.ShortTag() == "!!str" && v.Value == text && !strings.ContainsAny(text, "\n#,[]{}") && !legacyBool[strings.ToLower(text)] {
			return text
		}
	}
	return quoted(text)
}

// legacyBool are words that YAML 1.1, which kubectl reads, takes for truth values.
var legacyBool = map[string]bool{"y": true, "n": true, "yes": true, "no": true, "on": true, "off": true}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(text) + `"`
}

// span is a part of one line, in bytes from 0.
type span struct {
	file             *source.File
	line, begin, end int
}

func (s span) edit(text string) []Edit {
	return edit(s.file, s.line, s.begin+1, s.line, s.end+1, text)
}

// edit keeps what stands in a span, so that nothing else is ever replaced.
func edit(f *source.File, line, column, endLine, endColumn int, text string) []Edit {
	old := f.Body[f.Offset(line, column):f.Offset(endLine, endColumn)]
	return []Edit{{line, column, endLine, endColumn, string(old), text}}
}

// editable says that the pass's file is one that a user edits.
func (p *Pass) editable() bool {
	return p.File != nil && p.File.Name != "-" && !p.File.Rendered && p.File.Origin == nil
}

// scalar is where a scalar stands, its quotes included, if it is on one line.
func (p *Pass) scalar(v source.Value) (span, bool) {
	n := v.Node()
	if !p.editable() || !v.IsScalar() || n.Line != v.Line() || n.Column != v.Column() {
		return span{}, false
	}
	line := p.File.Line(n.Line)
	begin := bytesOf(line, n.Column)
	if begin < 0 {
		return span{}, false
	}
	length := scalarLength(string(line[begin:]), n)
	return span{file: p.File, line: n.Line, begin: begin, end: begin + length}, length > 0
}

// bytesOf is the offset of a column, which counts characters from 1; -1 past the line.
func bytesOf(line []byte, column int) int {
	at := 0
	for range column - 1 {
		if at >= len(line) {
			return -1
		}
		_, n := utf8.DecodeRune(line[at:])
		at += n
	}
	return at
}

// scalarLength is how many bytes of a line's rest a scalar takes; 0: it is not whole
// in this line, or an anchor or tag stands before it.
func scalarLength(rest string, n *yaml.Node) int {
	switch n.Style {
	case 0:
		if n.Value != "" && strings.HasPrefix(rest, n.Value) {
			return len(n.Value)
		}
	case yaml.SingleQuotedStyle:
		return quotedLength(rest, '\'')
	case yaml.DoubleQuotedStyle:
		return quotedLength(rest, '"')
	}
	return 0
}

func quotedLength(rest string, quote byte) int {
	if rest == "" || rest[0] != quote {
		return 0
	}
	for i := 1; i < len(rest); i++ {
		switch {
		case quote == '"' && rest[i] == '\\':
			i++
		case rest[i] == quote && quote == '\'' && i+1 < len(rest) && rest[i+1] == quote:
			i++
		case rest[i] == quote:
			return i + 1
		}
	}
	return 0
}

// indentOf is how many blanks a line begins with; blank says that nothing follows.
func indentOf(line []byte) (n int, blank bool) {
	rest := bytes.TrimLeft(line, " ")
	return len(line) - len(rest), len(bytes.TrimSpace(rest)) == 0
}
