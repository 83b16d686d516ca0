package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"assay/internal/compare"
)

// CompareMarkdown writes a comparison for a comment on a pull request: the
// verdict, the gates, the figures that changed (with all, every one), and what
// differs besides, folded.
func CompareMarkdown(w io.Writer, c *compare.Comparison, all bool) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "**%s**\n\n", md(comparedSentence(c)))
	for _, g := range c.Gates {
		mark := map[string]string{compare.Failed: "❌", compare.Held: "✅"}[g.Verdict]
		if mark == "" {
			mark = "❔"
		}
		fmt.Fprintf(b, "- %s %s\n", mark, md(gateLine(g)))
	}
	if len(c.Gates) > 0 {
		b.WriteString("\n")
	}
	for _, block := range comparedBlocks(c, all) {
		markdownBlock(b, block)
	}
	if lines := comparedRemarks(c); len(lines) > 0 {
		for _, l := range lines {
			fmt.Fprintf(b, "- %s\n", md(l))
		}
		b.WriteString("\n")
	}
	markdownDifferences(b, c)
	_, err := b.WriteTo(w)
	return err
}

func markdownBlock(b *bytes.Buffer, block comparedBlock) {
	if len(block.Rows) > 0 {
		heads := append([]string{block.Title}, comparedHeads[1:]...)
		for _, h := range heads {
			b.WriteString("| " + md(h) + " ")
		}
		b.WriteString("|\n|:--|--:|--:|--:|--:|:--|\n")
		for _, r := range block.Rows {
			for i, cell := range r.Cells {
				cell = md(cell)
				if last := i == len(r.Cells)-1; last && (r.Tone == "bad" || r.Tone == "good") {
					cell = "**" + cell + "**"
				}
				b.WriteString("| " + cell + " ")
			}
			b.WriteString("|\n")
		}
	} else {
		b.WriteString(md(block.Title) + "\n")
	}
	if len(block.Notes) > 0 {
		b.WriteString("\n" + md(strings.Join(block.Notes, " ")) + "\n")
	}
	b.WriteString("\n")
}

func markdownDifferences(b *bytes.Buffer, c *compare.Comparison) {
	b.WriteString("<details><summary>The runs</summary>\n\n")
	for _, s := range comparedSides(c) {
		fmt.Fprintf(b, "- %s\n", md(s))
	}
	if len(c.Differences) > 0 {
		b.WriteString("\n| differs | BASE | NEW |\n|---|---|---|\n")
		for _, d := range c.Differences {
			fmt.Fprintf(b, "| %s | %s | %s |\n", md(d.What), md(d.Base), md(d.New))
		}
	}
	b.WriteString("\n</details>\n")
}
