package report

import (
	"bytes"
	"fmt"
	"io"

	"assay/internal/plan"
)

// ServePlanMarkdown writes the same for a pull request or a page.
func ServePlanMarkdown(w io.Writer, r *plan.Result, all bool) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## %s\n\n%s\n\n**%s**\n", md(servedModel(r)), md(servedLoad(r)), md(sentence(r.Verdict.Say)))
	for _, a := range r.Verdict.Also {
		fmt.Fprintf(b, "\n%s\n", md(sentence(a)))
	}
	if n := r.Verdict.Nearest; n != nil {
		b.WriteString("\n")
		for _, m := range n.Misses {
			fmt.Fprintf(b, "- %s\n", md(m))
		}
		for _, m := range n.Relax {
			fmt.Fprintf(b, "- what works: %s\n", md(m))
		}
	}
	if o := shownOption(r); o != nil {
		b.WriteString("\n| | |\n|:--|:--|\n")
		for _, f := range optionFacts(r, *o) {
			fmt.Fprintf(b, "| %s | %s |\n", md(f.Name), whole(f.Text))
		}
		fmt.Fprintf(b, "| start | `%s` |\n", startLine(r, *o))
	}
	if len(r.Options) > 0 {
		b.WriteString("\n")
		n := limitOf(all, len(r.Options))
		markdownGrid(b, optionGrid(r, n))
		if more := moreOptions(r, n); more != "" {
			fmt.Fprintf(b, "\n%s\n", md(more))
		}
	}
	markdownRejections(b, r, all)
	for i, s := range servedRemarks(r) {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "- %s\n", md(s))
	}
	if o := shownOption(r); o != nil && len(o.Figures) > 0 {
		fmt.Fprintf(b, "\n<details><summary>Where the numbers of %s come from</summary>\n\n", md(o.ID))
		if err := FiguresMarkdown(b, o.Figures); err != nil {
			return err
		}
		b.WriteString("\n</details>\n")
	}
	_, err := b.WriteTo(w)
	return err
}

func markdownRejections(b *bytes.Buffer, r *plan.Result, all bool) {
	if len(r.Rejected) == 0 {
		return
	}
	b.WriteString("\n| rejected | why |\n|:--|:--|\n")
	if all {
		for _, j := range r.Rejected {
			fmt.Fprintf(b, "| %s %s | %s |\n", md(j.Instance), md(j.Layout), whole(plain(j.Reason)))
		}
		return
	}
	for _, g := range rejectedGroups(r.Rejected) {
		fmt.Fprintf(b, "| %s | %s |\n", md(g.Name), whole(g.Text))
	}
}
