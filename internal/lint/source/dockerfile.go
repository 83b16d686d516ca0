package source

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Dockerfile is the instructions of a file, in stages. What cannot be told apart is
// taken as it stands: a build tool says what is wrong with it.
type Dockerfile struct {
	Before []*Instruction // ARG before the first FROM
	Stages []*Stage
}

// Stage is a FROM and what follows it.
type Stage struct {
	Name string // after AS; empty: none
	Base string // image or stage, as it is written
	From *Instruction
	Body []*Instruction
}

// Instruction is one instruction: its lines joined where they are continued, without
// comments, and with the texts that stand behind it as here-documents.
type Instruction struct {
	Name  string // in capitals
	Text  string // what follows the name
	parts []part
}

// part says where a piece of the text stands in the file.
type part struct {
	begin        int // in Text
	line, column int // of the piece; columns count bytes from 1 here
	text         string
}

// Place is where an offset of the text stands.
func (i *Instruction) Place(f *File, offset int) Place {
	p := i.parts[0]
	for _, next := range i.parts[1:] {
		if next.begin > offset {
			break
		}
		p = next
	}
	within := min(max(offset-p.begin, 0), len(p.text))
	line := f.Line(p.line)
	return Place{f.Name, p.line, utf8.RuneCount(line[:min(p.column-1+within, len(line))]) + 1}
}

// mostInstructions bounds a file: the longest that are written have some hundreds.
const mostInstructions = 10_000

// Instructions reads a Dockerfile.
func (f *File) Instructions() *Dockerfile {
	r := &dockerReader{lines: strings.Split(string(f.Body), "\n"), escape: '\\'}
	r.directives()
	d := &Dockerfile{}
	for n := 0; n < mostInstructions; n++ {
		i := r.next()
		if i == nil {
			break
		}
		switch {
		case i.Name == "FROM":
			d.Stages = append(d.Stages, stageOf(i))
		case len(d.Stages) == 0:
			d.Before = append(d.Before, i)
		default:
			s := d.Stages[len(d.Stages)-1]
			s.Body = append(s.Body, i)
		}
	}
	return d
}

func stageOf(from *Instruction) *Stage {
	s := &Stage{From: from}
	var words []string
	for _, w := range strings.Fields(from.Text) {
		if !strings.HasPrefix(w, "--") {
			words = append(words, w)
		}
	}
	if len(words) > 0 {
		s.Base = words[0]
	}
	if len(words) > 2 && strings.EqualFold(words[1], "as") {
		s.Name = words[2]
	}
	return s
}

// Last is the stage that becomes the image, with those that it starts from, itself last.
func (d *Dockerfile) Last() []*Stage {
	if len(d.Stages) == 0 {
		return nil
	}
	chain := []*Stage{d.Stages[len(d.Stages)-1]}
	for len(chain) <= len(d.Stages) {
		base := d.Named(chain[0].Base, chain[0])
		if base == nil {
			break
		}
		chain = append([]*Stage{base}, chain...)
	}
	return chain
}

// Named is an earlier stage of that name; nil: it is an image.
func (d *Dockerfile) Named(name string, before *Stage) *Stage {
	var found *Stage
	for _, s := range d.Stages {
		if s == before {
			break
		}
		if s.Name != "" && strings.EqualFold(s.Name, name) {
			found = s
		}
	}
	return found
}

type dockerReader struct {
	lines  []string
	at     int // the line that is read next, from 0
	escape byte
}

var directive = regexp.MustCompile(`(?i)^#\s*([a-z]+)\s*=\s*(\S+)\s*$`)

// directives are comments before all else; escape says what continues a line.
func (r *dockerReader) directives() {
	for _, line := range r.lines {
		m := directive.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return
		}
		if strings.EqualFold(m[1], "escape") && m[2] == "`" {
			r.escape = '`'
		}
	}
}

// next is the next instruction; nil at the end.
func (r *dockerReader) next() *Instruction {
	for r.at < len(r.lines) && passedOver(r.lines[r.at]) {
		r.at++
	}
	if r.at >= len(r.lines) {
		return nil
	}
	first := strings.TrimRight(r.lines[r.at], "\r")
	begin := len(first) - len(strings.TrimLeft(first, " \t"))
	name, _, _ := strings.Cut(strings.ReplaceAll(first[begin:], "\t", " "), " ")
	name = strings.TrimSuffix(name, string(r.escape))
	i := &Instruction{Name: strings.ToUpper(name)}
	after := begin + len(name)
	after += len(first[after:]) - len(strings.TrimLeft(first[after:], " \t"))
	var b strings.Builder
	r.lineInto(i, &b, after)
	r.heredocs(i, &b)
	i.Text = b.String()
	return i
}

func passedOver(line string) bool {
	t := strings.TrimSpace(line)
	return t == "" || t[0] == '#'
}

// lineInto takes the rest of a line, and the lines that continue it.
func (r *dockerReader) lineInto(i *Instruction, b *strings.Builder, column int) {
	for more := true; more && r.at < len(r.lines); {
		line := strings.TrimRight(r.lines[r.at], "\r")
		if len(i.parts) > 0 && passedOver(line) {
			r.at++ // a comment, or an empty line, within
			continue
		}
		text, continued := r.continued(line[min(column, len(line)):])
		i.parts = append(i.parts, part{b.Len(), r.at + 1, column + 1, text})
		b.WriteString(text)
		if more = continued; more {
			b.WriteByte(' ')
		}
		r.at++
		column = 0
	}
}

// continued cuts off what continues a line.
func (r *dockerReader) continued(line string) (string, bool) {
	trimmed := strings.TrimRight(line, " \t")
	if trimmed == "" || trimmed[len(trimmed)-1] != r.escape {
		return line, false
	}
	return trimmed[:len(trimmed)-1], true
}

var heredoc = regexp.MustCompile(`(?:^|[^<])<<(-?)(["']?)([A-Za-z_][A-Za-z0-9_]*)(["']?)`)

// heredocs takes the texts that RUN, COPY and ADD name by <<.
func (r *dockerReader) heredocs(i *Instruction, b *strings.Builder) {
	if i.Name != "RUN" && i.Name != "COPY" && i.Name != "ADD" {
		return
	}
	const most = 20
	for _, m := range heredoc.FindAllStringSubmatch(b.String(), most) {
		end := m[3]
		for ; r.at < len(r.lines); r.at++ {
			line := strings.TrimRight(r.lines[r.at], "\r")
			if bare := strings.TrimLeft(line, "\t"); line == end || m[1] == "-" && bare == end {
				r.at++
				break
			}
			b.WriteByte('\n')
			i.parts = append(i.parts, part{b.Len(), r.at + 1, 1, line})
			b.WriteString(line)
		}
	}
}
