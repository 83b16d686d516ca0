package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"assay/internal/lint"
)

// LintMarkdown writes findings for a pull request: a table, and below it each rule once.
func LintMarkdown(w io.Writer, res lint.Result) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "**assay lint**: %s\n", md(lintSummary(res)))
	for i, f := range res.Findings {
		if i == 0 {
			b.WriteString("\n| | rule | where | object | what |\n|---|---|---|---|---|\n")
		}
		what := string(f.Severity)
		if f.Status == lint.Unknown {
			what = "unknown"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s |\n", what, md(f.ID), md(lintPlace(f)), md(objectName(f.Object)), mdEscaper.Replace(plainTo(f.Message, mostMessage)))
	}
	said := map[string]bool{}
	for _, f := range res.Findings {
		if said[f.ID] {
			continue
		}
		said[f.ID] = true
		fmt.Fprintf(b, "\n**%s**: %s", md(f.ID), whole(f.Why))
		if f.Fix != "" {
			fmt.Fprintf(b, " Fix: %s", whole(f.Fix))
		}
		if f.Source != "" {
			fmt.Fprintf(b, " Source: %s.", whole(strings.TrimSuffix(f.Source, ".")))
		}
		b.WriteString("\n")
	}
	_, err := b.WriteTo(w)
	return err
}
