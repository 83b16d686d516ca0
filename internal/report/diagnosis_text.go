package report

import (
	"io"
	"strings"

	"assay/internal/record"
	"assay/internal/survey"
)

// Diagnosis writes what a look at a service says, for a terminal: the verdict
// first.
func Diagnosis(w io.Writer, r *survey.Result, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", diagnosisHead(r.Bound), bold)
	t.wrap("", diagnosisSubject(r), dim)
	t.line("")
	t.diagnosisFacts(shownBound(r))
	t.line("")
	t.replicas(r)
	t.block(comparison(r), yellow)
	t.block(restartLines(r), "")
	t.block(tailLines(r), dim)
	t.block(diagnosisRemarks(r), dim)
	return t.w.Flush()
}

func (t *textWriter) diagnosisFacts(b record.Bound) {
	for _, e := range b.Evidence {
		t.wrap("  + ", evidence(e), "")
	}
	for _, e := range b.Against {
		t.wrap("  − ", evidence(e), "")
	}
	if len(b.Missing) > 0 {
		t.wrap("  ? ", "not known: "+plains(b.Missing, ", "), "")
	}
	if next := plain(b.Next); next != "" {
		t.wrap("  → ", next, "")
	}
}

func (t *textWriter) replicas(r *survey.Result) {
	var rows [][]string
	for _, i := range r.Instances {
		rows = append(rows, replicaRow(i))
	}
	cols, cells := shownColumns(rows)
	ws := widths(cols, cells)
	heads := make([][]string, 3)
	for _, c := range cols {
		a, b := twoLines(c.Head)
		heads[0], heads[1], heads[2] = append(heads[0], a), append(heads[1], b), append(heads[2], c.Unit)
	}
	heads[0][0] = "  " + heads[0][0]
	ws[0] = max(ws[0], len(heads[0][0]))
	for _, h := range heads {
		if line := join(h, cols, ws); strings.TrimSpace(line) != "" {
			t.line(t.style(strings.TrimRight(line, " "), dim))
		}
	}
	for k, i := range r.Instances {
		line := strings.TrimRight(join(cells[k], cols, ws), " ")
		if i.Odd {
			line = t.style(line, yellow)
		}
		t.line(line)
	}
}

// block prints lines below an empty one.
func (t *textWriter) block(lines []string, sgr string) {
	if len(lines) > 0 {
		t.line("")
	}
	for _, l := range lines {
		t.wrap("  ", l, sgr)
	}
}

// DiagnosisLine is one event of a watch on one line.
func DiagnosisLine(e survey.Event) string {
	s := e.At.UTC().Format("15:04:05") + "  "
	if e.Result == nil {
		return s + "nothing could be read: " + plain(e.Error)
	}
	if e.Event == survey.Heartbeat {
		s += "still "
	}
	s += strings.TrimSuffix(diagnosisHead(e.Result.Bound), ".")
	if lines := comparison(e.Result); len(lines) > 0 {
		s += "; " + strings.Join(lines, "; ")
	}
	return s
}
