package source

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// marked leads lines of a rendered chart back to its templates. A copy of the chart, in
// whose templates each literal line ends in a comment with its number, is rendered once
// more; where the text is the same but for the comments, they say what came from where,
// through includes and loops too. It is done when it is first asked.
type marked struct {
	chart  *chart
	ctx    context.Context
	values []string

	once  sync.Once
	lines map[string][]Place // by source, then by line of its text from 0; no line: none
	names []string           // of templates, by the number in a mark
	texts map[string]*File   // templates, by the name that is shown
}

// A mark is a comment between two characters for private use.
const (
	markBegin = " #\ue000"
	markEnd   = "\ue001"
)

var mark = regexp.MustCompile(markBegin + `(\d+):(\d+)` + markEnd)

func (m *marked) origin(f *File, source string, line, column int) (Place, bool) {
	m.once.Do(m.make)
	all := m.lines[source]
	if line < 1 || line > len(all) || all[line-1].Line == 0 {
		return Place{}, false
	}
	p := all[line-1]
	here, there := f.Line(line), m.texts[p.File].Line(p.Line)
	p.Column = column + indentOf(there) - indentOf(here)
	return p, p.Column > 0
}

func indentOf(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }

func (m *marked) edited(name string) []byte {
	m.once.Do(m.make)
	if f := m.texts[name]; f != nil {
		return f.Body
	}
	return nil
}

// make renders the chart plainly and with marks. Where a helper's marks break the
// chart, as where its text is compared, helpers go without.
func (m *marked) make() {
	m.texts, m.lines = map[string]*File{}, map[string][]Place{}
	plain, _, _ := m.chart.template(m.ctx, m.chart.path, m.values)
	_, want := cut(plain)
	for _, helpers := range []bool{true, false} {
		_, got := cut(m.render(helpers))
		for source, body := range want {
			if m.lines[source] == nil {
				m.lines[source] = m.join(body, got[source])
			}
		}
	}
}

// render is what the chart gives with marks.
func (m *marked) render(helpers bool) []byte {
	dir, err := os.MkdirTemp("", "assay-chart-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	err = copyChart(m.chart.path, dir, func(rel string, body []byte) []byte {
		if !helpers && (strings.HasPrefix(filepath.Base(rel), "_") || filepath.Ext(rel) == ".tpl") {
			return body
		}
		name := filepath.Join(m.chart.path, rel)
		m.texts[name] = &File{Name: name, Body: body}
		m.names = append(m.names, name)
		return withMarks(body, len(m.names)-1)
	})
	if err != nil {
		return nil
	}
	text, _, _ := m.chart.template(m.ctx, dir, m.values)
	return text
}

// join is where each line of a plain text comes from; nil: it is not the marked one.
func (m *marked) join(plain, marked []byte) []Place {
	want, got := bytes.Split(plain, []byte{'\n'}), bytes.Split(marked, []byte{'\n'})
	if len(want) != len(got) {
		return nil
	}
	all := make([]Place, len(want))
	for i, line := range got {
		found := mark.FindAllSubmatch(line, -1)
		text := mark.ReplaceAll(line, nil)
		if len(found) != 1 || !bytes.Equal(text, want[i]) {
			continue
		}
		file, _ := strconv.Atoi(string(found[0][1]))
		number, _ := strconv.Atoi(string(found[0][2]))
		if file >= len(m.names) {
			continue
		}
		p := Place{File: m.names[file], Line: number}
		if literal := m.texts[p.File].Line(number); bytes.Equal(bytes.TrimSpace(literal), bytes.TrimSpace(text)) {
			all[i] = p
		}
	}
	return all
}

// withMarks ends each literal line of a template in its mark: one that no action
// touches, and that YAML takes a comment after.
func withMarks(body []byte, file int) []byte {
	if bytes.ContainsAny(body, "\ue000\ue001") || !utf8.Valid(body) {
		return body
	}
	touched := touchedLines(body)
	var out bytes.Buffer
	for i, line := range bytes.SplitAfter(body, []byte{'\n'}) {
		text := bytes.TrimRight(line, "\r\n")
		bare := bytes.TrimSpace(text)
		out.Write(text)
		if len(bare) > 0 && !touched[i] && !isMarker(text, "---") && !isMarker(text, "...") {
			out.WriteString(markBegin + strconv.Itoa(file) + ":" + strconv.Itoa(i+1) + markEnd)
		}
		out.Write(line[len(text):])
	}
	return out.Bytes()
}

// touchedLines are the lines, from 0, on which an action or a comment of a template
// begins, goes on or ends.
func touchedLines(body []byte) map[int]bool {
	touched := map[int]bool{}
	line, inside := 0, false
	var quote byte
	for i := 0; i < len(body); i++ {
		c := body[i]
		switch {
		case c == '\n':
			line++
			if quote != '`' {
				quote = 0
			}
		case !inside && bytes.HasPrefix(body[i:], []byte("{{")):
			inside = true
			i++
			if after := bytes.TrimLeft(bytes.TrimPrefix(body[i+1:], []byte("-")), " \n\t\r"); bytes.HasPrefix(after, []byte("/*")) {
				end := bytes.Index(body[i:], []byte("*/"))
				if end < 0 {
					end = len(body) - i
				}
				for range bytes.Count(body[i:i+end], []byte{'\n'}) + 1 {
					touched[line] = true
					line++
				}
				line--
				i += end
			}
		case inside && quote != 0:
			if c == '\\' && quote == '"' {
				i++
			} else if c == quote {
				quote = 0
			}
		case inside && (c == '"' || c == '`'):
			quote = c
		case inside && bytes.HasPrefix(body[i:], []byte("}}")):
			touched[line] = true
			inside = false
			i++
		}
		if inside {
			touched[line] = true
		}
	}
	return touched
}
