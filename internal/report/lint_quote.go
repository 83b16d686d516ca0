package report

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"assay/internal/lint"
)

// tabWidth is how many blanks a tab is shown as.
const tabWidth = 4

// quoted is the line of a finding as a terminal shows it in a width, and where in it,
// in columns of the terminal, what is meant stands and how long that is. A long line is
// cut on both sides of it.
func quoted(f lint.Finding, width int) (text string, at, length int) {
	width = max(width, 20)
	runes := []rune(strings.TrimRight(f.Text, " \t\r"))
	mark := min(max(0, f.Column-max(1, f.Begin)), len(runes))
	end := min(mark+tokenLength(runes[mark:]), len(runes))
	shown := func(part []rune) string {
		var b strings.Builder
		for _, r := range part {
			switch {
			case r == '\t':
				b.WriteString(strings.Repeat(" ", tabWidth))
			case r == unicode.ReplacementChar, unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
				b.WriteRune(' ')
			default:
				b.WriteRune(r)
			}
		}
		return b.String()
	}
	before, token, after := shown(runes[:mark]), shown(runes[mark:end]), shown(runes[end:])
	if f.Begin > 1 {
		before = "…" + before
	}
	token = ansi.Truncate(token, width/2, "…")
	if most := width - ansi.StringWidth(token) - min(ansi.StringWidth(after), width/4); ansi.StringWidth(before) > most {
		before = ansi.TruncateLeft(before, ansi.StringWidth(before)-most+1, "…")
	}
	at, length = ansi.StringWidth(before), max(1, ansi.StringWidth(token))
	return before + token + ansi.Truncate(after, width-at-length, "…"), at, length
}

// tokenLength is how many characters belong to what a line's rest begins with: a text
// in quotes, or all up to a blank, a comma or a bracket.
func tokenLength(rest []rune) int {
	if len(rest) == 0 {
		return 1
	}
	if quote := rest[0]; quote == '"' || quote == '\'' {
		for i := 1; i < len(rest); i++ {
			if rest[i] == quote {
				return i + 1
			}
		}
		return 1
	}
	for i, r := range rest {
		if r == ' ' || r == '\t' || r == ',' || r == ']' || r == '}' || r == ':' && (i+1 == len(rest) || rest[i+1] == ' ') {
			return max(1, i)
		}
	}
	return len(rest)
}
