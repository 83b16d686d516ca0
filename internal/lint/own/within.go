package own

import (
	"math"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"assay/internal/lint/source"
)

// within is the place in the file of a line (from 1) and a column (from 0) of an
// expression. YAML joins lines and takes indents away, but keeps what is no blank: the
// place is found by counting that.
func (r *reader) within(v source.Value, line, column int) (int, int) {
	if line < 1 { // of the whole
		return v.Line(), v.Column()
	}
	style := v.Node().Style
	at, from := v.Line(), v.Column()-1
	switch {
	case style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		at, from = at+1, 0
	case style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0:
		from++
	}
	before := solid(v.Text(), line, column)
	pastEnd := before == solid(v.Text(), math.MaxInt, 0)
	for ; at <= r.file.Lines(); at, from = at+1, 0 {
		text := []rune(string(r.file.Line(at)))
		for i := from; i < len(text); i++ {
			switch {
			case unicode.IsSpace(text[i]):
				continue
			case before == 0:
				return at, i + 1
			case style&yaml.SingleQuotedStyle != 0 && text[i] == '\'', style&yaml.DoubleQuotedStyle != 0 && text[i] == '\\':
				i++ // two stand for one
			}
			if before--; before == 0 && pastEnd {
				return at, i + 2
			}
		}
	}
	return v.Line(), v.Column()
}

// solid counts what is no blank before a place of a text.
func solid(text string, line, column int) int {
	n := 0
	for i, l := range strings.Split(text, "\n") {
		for k, c := range []rune(l) {
			if i+1 > line || i+1 == line && k >= column {
				return n
			}
			if !unicode.IsSpace(c) {
				n++
			}
		}
	}
	return n
}
