package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"assay/internal/survey"
)

// DiagnosisMarkdown writes the same for a ticket or a page.
func DiagnosisMarkdown(w io.Writer, r *survey.Result) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## %s\n\n%s.\n", md(diagnosisHead(r.Bound)), md(diagnosisSubject(r)))
	markdownBound(b, shownBound(r))
	var rows [][]string
	for _, i := range r.Instances {
		rows = append(rows, replicaRow(i))
	}
	cols, cells := shownColumns(rows)
	b.WriteString("\n### Replicas\n\n")
	rule := ""
	for _, c := range cols {
		b.WriteString("| " + md(strings.Trim(c.Head+", "+c.Unit, ", ")) + " ")
		rule += map[bool]string{true: "|:--", false: "|--:"}[c.Left]
	}
	b.WriteString("|\n" + rule + "|\n")
	for _, row := range cells {
		for _, cell := range row {
			b.WriteString("| " + md(strings.TrimSpace(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	lines := append(comparison(r), restartLines(r)...)
	lines = append(lines, tailLines(r)...)
	lines = append(lines, diagnosisRemarks(r)...)
	if len(lines) > 0 {
		b.WriteString("\n")
	}
	for _, l := range lines {
		fmt.Fprintf(b, "- %s\n", md(l))
	}
	_, err := b.WriteTo(w)
	return err
}
