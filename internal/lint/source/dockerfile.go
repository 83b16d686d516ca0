package source

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"assay/internal/spelling"
)

// Dockerfile is the instructions of a file, in stages.
type Dockerfile struct {
	Before   []*Instruction // ARG before the first FROM
	Stages   []*Stage
	Problems []Problem // for which no build begins
}

// Stage is a FROM and what follows it.
type Stage struct {
	Name   string // after AS; empty: none
	Base   string // image or stage, as it is written
	Parent *Stage // the earlier stage that Base names; nil: it is an image
	From   *Instruction
	Body   []*Instruction
}

// Instruction is one instruction: its lines joined where they are continued, without
// comments, and with the texts that stand behind it as here-documents.
type Instruction struct {
	Name         string // in capitals
	Text         string // what follows the name
	Line, Column int    // of the name
	parts        []part
}

// part says where a piece of the text stands in the file.
type part struct {
	begin        int // in Text
	line, column int // of the piece; columns count bytes from 1 here
	text         string
}

// Place is where an offset of the text stands.
func (i *Instruction) Place(f *File, offset int) Place {
	after, _ := slices.BinarySearchFunc(i.parts, offset+1, func(p part, offset int) int { return p.begin - offset })
	p := i.parts[max(0, after-1)]
	within := min(max(offset-p.begin, 0), len(p.text))
	line := f.Line(p.line)
	return Place{f.Name, p.line, utf8.RuneCount(line[:min(p.column-1+within, len(line))]) + 1}
}

// mostDockerfile is the size of a Dockerfile that is read: some kilobytes are usual.
const mostDockerfile = 1 << 20

// Instructions reads a Dockerfile, once.
func (f *File) Instructions() *Dockerfile {
	f.dockerfile.once.Do(func() { f.dockerfile.read = f.instructions() })
	return f.dockerfile.read
}

func (f *File) instructions() *Dockerfile {
	d := &Dockerfile{}
	r := &dockerReader{file: f, lines: strings.Split(string(f.Body), "\n"), escape: '\\', of: d}
	r.directives()
	named := map[string]*Stage{}
	for i := r.next(); i != nil; i = r.next() {
		switch {
		case i.Name == "FROM":
			s := stageOf(i)
			s.Parent = named[strings.ToLower(s.Base)]
			if s.Name != "" {
				named[strings.ToLower(s.Name)] = s
			}
			d.Stages = append(d.Stages, s)
		case len(d.Stages) == 0:
			d.Before = append(d.Before, i)
		default:
			s := d.Stages[len(d.Stages)-1]
			s.Body = append(s.Body, i)
		}
	}
	r.begin()
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
	var chain []*Stage
	for at := d.Stages[len(d.Stages)-1]; at != nil; at = at.Parent {
		chain = append(chain, at)
	}
	slices.Reverse(chain)
	return chain
}

type dockerReader struct {
	file   *File
	lines  []string
	at     int // the line that is read next, from 0
	escape byte
	other  bool // another frontend reads the file, with instructions of its own
	of     *Dockerfile
}

var directive = regexp.MustCompile(`^#\s*([a-zA-Z][a-zA-Z0-9]*)\s*=\s*(.+?)\s*$`)

// directives are comments before all else; escape says what continues a line.
func (r *dockerReader) directives() {
	for _, line := range r.lines {
		m := directive.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			return
		}
		switch strings.ToLower(m[1]) {
		case "escape":
			if m[2] == "`" {
				r.escape = '`'
			}
		case "syntax":
			r.other = !ownFrontend.MatchString(m[2])
		case "check":
		default:
			return
		}
	}
}

// ownFrontend are images that read what Docker itself reads.
var ownFrontend = regexp.MustCompile(`(?:^|/)(?:docker/dockerfile|dockerfile-upstream|docker/dockerfile-upstream)(?::|@|$)`)

// instructionNames are all that there are. Source: the Dockerfile reference,
// https://docs.docker.com/reference/dockerfile/, read 2026-11-30.
var instructionNames = []string{"ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "MAINTAINER", "ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"}

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
	i := &Instruction{Name: strings.ToUpper(name), Line: r.at + 1, Column: utf8.RuneCountInString(first[:begin]) + 1}
	if !r.other && !slices.Contains(instructionNames, i.Name) {
		r.unknown(i, name)
	}
	after := begin + len(name)
	after += len(first[after:]) - len(strings.TrimLeft(first[after:], " \t"))
	var b strings.Builder
	r.lineInto(i, &b, after)
	r.heredocs(i, &b)
	i.Text = b.String()
	return i
}

// unknown reports an instruction that is none, once in a file: what follows a text that
// was meant to go on is often many of them.
func (r *dockerReader) unknown(i *Instruction, name string) {
	for _, p := range r.of.Problems {
		if p.ID == "dockerfile-syntax" {
			return
		}
	}
	const most = 40
	if len(name) > most {
		r.problem(i.Line, i.Column, "%s… is no instruction", strings.ToValidUTF8(name[:most], ""))
		return
	}
	meant := ""
	for _, n := range instructionNames {
		if len(n) > 3 && spelling.Distance(i.Name, n) <= 2 {
			meant = ": " + n + "?"
			break
		}
	}
	r.problem(i.Line, i.Column, "%s is no instruction%s", name, meant)
}

func (r *dockerReader) problem(line, column int, format string, args ...any) {
	r.of.Problems = append(r.of.Problems, Problem{ID: "dockerfile-syntax", Place: Place{r.file.Name, line, column}, Message: fmt.Sprintf(format, args...)})
}

// begin says where a file does not begin as it must.
func (r *dockerReader) begin() {
	for _, i := range r.of.Before {
		if i.Name != "ARG" && slices.Contains(instructionNames, i.Name) && !r.other {
			r.problem(i.Line, i.Column, "%s before the first FROM: there is no image yet", i.Name)
			return
		}
	}
	if len(r.of.Stages) == 0 && len(r.of.Problems) == 0 && !r.other {
		r.problem(1, 1, "no FROM: there is nothing to start from")
	}
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
		if len(line) >= bufio.MaxScanTokenSize {
			r.problem(r.at+1, 1, "a line of %d bytes: a build takes %d", len(line), bufio.MaxScanTokenSize-1)
		}
		text, continued := r.continued(line[min(column, len(line)):])
		i.parts = append(i.parts, part{b.Len(), r.at + 1, column + 1, text})
		b.WriteString(text)
		more = continued
		r.at++
		column = 0
	}
}

// continued cuts off what continues a line.
func (r *dockerReader) continued(line string) (string, bool) {
	trimmed := strings.TrimRight(line, " \t")
	n := len(trimmed)
	if n == 0 || trimmed[n-1] != r.escape || n > 1 && trimmed[n-2] == r.escape {
		return line, false
	}
	return trimmed[:n-1], true
}

// heredoc is a word that names a text which follows.
var heredoc = regexp.MustCompile(`^\d*<<(-?)["']?([A-Za-z0-9_.+-]+)["']?$`)

// heredocs takes the texts that RUN, COPY and ADD name by <<.
func (r *dockerReader) heredocs(i *Instruction, b *strings.Builder) {
	words := wordsOf(b.String())
	if i.Name == "ONBUILD" && len(words) > 0 {
		words[0] = strings.ToUpper(words[0])
	} else {
		words = append([]string{i.Name}, words...)
	}
	if len(words) < 2 || !slices.Contains([]string{"RUN", "COPY", "ADD"}, words[0]) || strings.HasPrefix(words[1], "[") {
		return
	}
	for _, w := range words[1:] {
		if m := heredoc.FindStringSubmatch(w); m != nil && !r.heredoc(i, b, m[2], m[1] == "-") {
			r.problem(i.Line, i.Column, "the text that begins with %s has no end: no line holds %s alone", w, m[2])
			return
		}
	}
}

// heredoc takes one text; false: it has no end.
func (r *dockerReader) heredoc(i *Instruction, b *strings.Builder, end string, tabs bool) bool {
	for ; r.at < len(r.lines); r.at++ {
		line := strings.TrimRight(r.lines[r.at], "\r")
		if line == end || tabs && strings.TrimLeft(line, "\t") == end {
			r.at++
			return true
		}
		b.WriteByte('\n')
		i.parts = append(i.parts, part{b.Len(), r.at + 1, 1, line})
		b.WriteString(line)
	}
	return false
}

// wordsOf parts a line at its blanks, those within quotes left; none where a quote has
// no end, as the build reads it.
func wordsOf(line string) []string {
	var words []string
	begin, quote := -1, byte(0)
	for at := 0; at < len(line); at++ {
		c := line[at]
		blank := quote == 0 && (c == ' ' || c == '\t')
		if !blank && begin < 0 {
			begin = at
		}
		switch {
		case c == '\\' && quote != '\'':
			at++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'':
			quote = c
		case blank && begin >= 0:
			words = append(words, line[begin:at])
			begin = -1
		}
	}
	if quote != 0 {
		return nil
	}
	if begin >= 0 {
		words = append(words, line[begin:])
	}
	return words
}
