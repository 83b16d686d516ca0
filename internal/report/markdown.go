package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"assay/internal/record"
)

// Markdown writes the verdict, the levels and how to repeat the run, in a
// length that fits a pull request.
func Markdown(w io.Writer, in Input) error {
	run := onePerLoad(in.Run)
	v := judge(run)
	b := &bytes.Buffer{}
	if s := writtenBy(run); s != "" {
		fmt.Fprintf(b, "%s\n\n", md(s))
	}
	fmt.Fprintf(b, "## %s\n\n", md(v.Subject))
	fmt.Fprintf(b, "**%s**\n\n%s.\n\n", md(v.Sentence), md(extent(run)))
	for _, s := range v.Warnings {
		fmt.Fprintf(b, "> %s\n>\n", md(s))
	}
	if len(v.Warnings) > 0 {
		b.Truncate(b.Len() - len(">\n"))
		b.WriteString("\n")
	}
	b.WriteString("| | | |\n|---|---|---|\n")
	for _, a := range v.Answers {
		fmt.Fprintf(b, "| %s | **%s** | %s |\n", md(a.Name), md(a.Text), md(a.Note))
	}
	markdownBound(b, run.Bound)
	for _, g := range groups(run.Levels) {
		markdownTable(b, g)
	}
	markdownDefinitions(b, run)
	markdownRemarks(b, run)
	markdownRepeat(b, run)
	_, err := b.WriteTo(w)
	return err
}

func markdownTable(b *bytes.Buffer, g group) {
	cols := columns(g)
	fmt.Fprintf(b, "\n### %s\n\n", md(g.Scenario))
	for _, c := range cols {
		head := c.Head
		if c.Unit != "" {
			head += ", " + c.Unit
		}
		b.WriteString("| " + md(head) + " ")
	}
	b.WriteString("|\n")
	for _, c := range cols {
		if c.Left {
			b.WriteString("|:--")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for i, row := range rows(g, cols) {
		for k, cell := range row {
			if bound := columnBound(cols[k], g.Levels[i]); bound != "" {
				cell += " (" + bound + ")"
			}
			b.WriteString("| " + md(cell) + " ")
		}
		b.WriteString("|\n")
	}
}

func markdownRemarks(b *bytes.Buffer, run record.Run) {
	lines := append(levelErrors(run), repeatRemarks(run)...)
	for _, s := range []string{lackRemark(run), tailRemark(run)} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	for _, n := range run.Notes {
		lines = append(lines, sentence(n))
	}
	if len(lines) > 0 {
		b.WriteString("\n")
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", md(l))
	}
}

func markdownRepeat(b *bytes.Buffer, run record.Run) {
	r := repeatOf(run)
	b.WriteString("\n<details><summary>Repeat it</summary>\n\n")
	if r.Command != "" {
		fence := strings.Repeat("`", max(3, longestRun(r.Command, '`')+1))
		fmt.Fprintf(b, "%ssh\n%s\n%s\n\n", fence, r.Command, fence)
	}
	for _, f := range r.Facts {
		fmt.Fprintf(b, "- %s: %s\n", md(f.Name), md(f.Value))
	}
	b.WriteString("\n</details>\n")
}

// longestRun is the length of the longest run of c in s.
func longestRun(s string, c rune) int {
	longest, n := 0, 0
	for _, r := range s {
		if r != c {
			n = 0
			continue
		}
		n++
		longest = max(longest, n)
	}
	return longest
}

var mdEscaper = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", "&lt;", ">", "&gt;", "|", `\|`, "#", `\#`, "&", "&amp;", "~", `\~`, "@", "@\u200b")

// md makes a text mean itself in Markdown: it cannot open a tag, a link or a
// table cell, nor notify a person on GitHub.
func md(s string) string { return mdEscaper.Replace(plain(s)) }
