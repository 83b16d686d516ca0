package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"assay/internal/record"
)

// TextOptions say what the terminal can show. The zero value is plain text
// 100 characters wide.
type TextOptions struct {
	Color bool
	Width int // characters; 0: 100
}

// Terminal styles, as SGR parameters.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

const defaultWidth = 100

// leastWidth is the narrowest text that is written, however narrow the terminal.
const leastWidth = 40

func newTextWriter(w io.Writer, opt TextOptions) *textWriter {
	width := opt.Width
	if width <= 0 {
		width = defaultWidth
	}
	return &textWriter{w: bufio.NewWriter(w), color: opt.Color, width: max(width, leastWidth), terminal: opt.Width > 0}
}

// Text writes the verdict and the table of levels for a terminal.
func Text(w io.Writer, in Input, opt TextOptions) error {
	in.Run = onePerLoad(in.Run)
	t := newTextWriter(w, opt)
	v := judge(in.Run)

	if s := writtenBy(in.Run); s != "" {
		t.line(s)
	}
	t.wrap("", v.Subject, bold)
	t.wrap("", extent(in.Run), dim)
	t.line("")
	t.wrap("  ", v.Sentence, bold)
	t.line("")
	for _, a := range v.Answers {
		t.answer(a)
		if a.Name == "bound" {
			t.bound(in.Run.Bound)
		}
	}
	for _, g := range groups(in.Run.Levels) {
		t.line("")
		t.table(g)
	}
	t.definitions(in.Run)
	t.remarks(in.Run, v)
	return t.w.Flush()
}

type textWriter struct {
	w        *bufio.Writer
	color    bool
	width    int
	terminal bool // its width is a terminal's, beyond which lines break
}

func (t *textWriter) line(s string) { fmt.Fprintln(t.w, strings.TrimRight(s, " ")) }

func (t *textWriter) style(s, sgr string) string {
	if !t.color || sgr == "" {
		return s
	}
	return "\x1b[" + sgr + "m" + s + "\x1b[0m"
}

// wrap prints s in lines of the terminal's width; the lines after the first
// are indented as far as the first one's prefix.
func (t *textWriter) wrap(prefix, s, sgr string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(prefix))
	for i, line := range wrapped(s, t.width-len(indent)) {
		if i > 0 {
			prefix = indent
		}
		t.line(prefix + t.style(line, sgr))
	}
}

func wrapped(s string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, line)
			line = word
		default:
			line += " " + word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

const answerIndent = "                   " // as wide as "  operating point  "

func (t *textWriter) answer(a answer) {
	head := a.Text
	if note := cmp.Or(a.Brief, a.Note); note != "" {
		head += ": " + note
	}
	tones := map[string]string{"good": green, "bad": red, "warn": yellow}
	first := true
	for _, line := range wrapped(head, t.width-len(answerIndent)) {
		prefix := answerIndent
		if first {
			prefix = fmt.Sprintf("  %-17s", a.Name)
			line = t.styleStart(line, a.Text, tones[a.Tone])
		}
		t.line(prefix + line)
		first = false
	}
}

// styleStart styles the leading part of a line, bold where it has no tone.
func (t *textWriter) styleStart(line, start, sgr string) string {
	if sgr == "" {
		sgr = bold
	}
	if rest, ok := strings.CutPrefix(line, start); ok {
		return t.style(start, sgr) + rest
	}
	return line
}

func (t *textWriter) table(g group) {
	cols := fit(g, columns(g), t.width-2)
	cells := rows(g, cols)
	ws := widths(cols, cells)
	t.line("  " + t.style(plain(g.Scenario), bold))
	heads := make([][]string, 3)
	for _, c := range cols {
		a, b := twoLines(c.Head)
		heads[0], heads[1], heads[2] = append(heads[0], a), append(heads[1], b), append(heads[2], c.Unit)
	}
	for _, h := range heads {
		line := join(h, cols, ws)
		if strings.TrimSpace(line) != "" {
			t.line("  " + t.style(strings.TrimRight(line, " "), dim))
		}
	}
	for i, l := range g.Levels {
		line := join(cells[i], cols, ws)
		switch l.Validity.Verdict {
		case record.Valid:
		case record.Invalid:
			line = t.style(strings.TrimRight(line, " "), red)
		default:
			line = t.style(strings.TrimRight(line, " "), yellow)
		}
		t.line("  " + line)
	}
}

func join(cells []string, cols []column, ws []int) string {
	var b strings.Builder
	for i, cell := range cells {
		pad := strings.Repeat(" ", ws[i]-utf8.RuneCountInString(cell))
		if i > 0 {
			b.WriteString(strings.Repeat(" ", columnGap))
		}
		if cols[i].Left {
			b.WriteString(cell + pad)
		} else {
			b.WriteString(pad + cell)
		}
	}
	return b.String()
}

func (t *textWriter) remarks(run record.Run, v verdict) {
	var lines []string
	lines = append(lines, v.Warnings...)
	lines = append(lines, levelErrors(run)...)
	lines = append(lines, repeatRemarks(run)...)
	for _, s := range []string{lackRemark(run), tailRemark(run)} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	for _, n := range run.Notes {
		lines = append(lines, sentence(n))
	}
	if len(lines) > 0 {
		t.line("")
	}
	for _, l := range lines {
		t.wrap("  ", l, dim)
	}
}

// levelErrors says what failed at each level, by kind.
func levelErrors(run record.Run) []string {
	var out []string
	for _, g := range groups(run.Levels) {
		for _, l := range g.Levels {
			if e := errorsOf(l.Errors); e != "" {
				out = append(out, fmt.Sprintf("Level %s: %s of %s failed: %s.", g.name(l),
					count(l.Requests.Failed), count(l.Requests.Failed+l.Requests.Completed), e))
			}
		}
	}
	return out
}
