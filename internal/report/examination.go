package report

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"assay/internal/record"
)

var findingMarks = map[string]struct{ sign, sgr string }{
	record.Trouble: {"✗", red}, record.Remark: {"△", yellow}, record.Fine: {"✓", ""},
}

// ExaminationText writes what an endpoint is like for a terminal.
func ExaminationText(w io.Writer, x *record.Examination, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", examinedName(x), bold)
	t.line("")
	t.wrap("  ", examinedVerdict(x), bold)
	t.line("")
	for _, f := range x.Findings {
		m := findingMarks[f.Status]
		t.wrap("  "+m.sign+" ", plain(f.What), m.sgr)
		if f.Means != "" {
			t.wrap("    → ", plain(f.Means), "")
		}
	}
	for _, r := range x.Inspection.Remarks {
		t.wrap("  △ ", "it "+plain(r), yellow)
	}
	t.line("")
	for _, a := range x.Answers {
		t.wrap("  ", examinedTimes(a), "")
		if s := arrivals(a, t.width-4); s != "" {
			t.line("    " + s)
		}
	}
	t.line("")
	t.wrap("  a run will send: ", dialectWords(x.Dialect), "")
	return t.w.Flush()
}

// ExaminationMarkdown writes it as Markdown.
func ExaminationMarkdown(w io.Writer, x *record.Examination) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "## %s\n\n**%s**\n\n", md(examinedName(x)), md(examinedVerdict(x)))
	for _, f := range x.Findings {
		fmt.Fprintf(b, "- %s %s", findingMarks[f.Status].sign, md(f.What))
		if f.Means != "" {
			fmt.Fprintf(b, " — %s", md(f.Means))
		}
		fmt.Fprintln(b)
	}
	for _, r := range x.Inspection.Remarks {
		fmt.Fprintf(b, "- △ it %s\n", md(r))
	}
	fmt.Fprintln(b)
	for _, a := range x.Answers {
		fmt.Fprintf(b, "- %s\n", md(examinedTimes(a)))
	}
	fmt.Fprintf(b, "\nA run will send: %s\n", md(dialectWords(x.Dialect)))
	return b.Flush()
}

// ExaminationJSON writes it as JSON.
func ExaminationJSON(w io.Writer, x *record.Examination) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(x)
}

func examinedName(x *record.Examination) string {
	parts := []string{plain(x.Target.URL), "model " + plain(x.Target.Model), plain(x.Target.API)}
	if e := strings.TrimSpace(plain(x.Target.Engine.Name) + " " + plain(x.Target.Engine.Version)); e != "" {
		parts = append(parts, e)
	}
	return strings.Join(parts, "  ")
}

func examinedVerdict(x *record.Examination) string {
	worst := record.Fine
	for _, f := range x.Findings {
		if f.Status == record.Trouble {
			return "Figures of a run here would not be the engine's: " + plain(f.What) + "."
		}
		if f.Status == record.Remark {
			worst = record.Remark
		}
	}
	if worst == record.Remark || len(x.Inspection.Remarks) > 0 {
		return "It can be measured; how to read the figures is said below."
	}
	return "It can be measured as it is."
}

func examinedTimes(a record.Examined) string {
	parts := []string{plain(a.What) + ":"}
	if a.ConnectMS != nil {
		parts = append(parts, "connect "+millis(*a.ConnectMS)+",")
	}
	parts = append(parts, "headers "+millis(a.HeadersMS)+",")
	if a.TTFTMS != nil {
		parts = append(parts, "first token "+millis(*a.TTFTMS)+",")
	}
	parts = append(parts, "end "+millis(a.E2EMS))
	var tokens []string
	if a.PromptTokens != nil {
		tokens = append(tokens, count(*a.PromptTokens)+" tokens in")
	}
	if a.OutputTokens != nil {
		tokens = append(tokens, count(*a.OutputTokens)+" tokens out")
	}
	if len(tokens) > 0 {
		parts = append(parts, "("+strings.Join(tokens, ", ")+")")
	}
	return strings.Join(parts, " ")
}

// arrivals draws the chunks over the time of the answer, a column for each span.
func arrivals(a record.Examined, width int) string {
	if len(a.Reads) < 2 || a.E2EMS <= 0 {
		return ""
	}
	columns := make([]int, min(width, 64))
	most := 0
	for _, r := range a.Reads {
		i := min(int(r.AtMS/a.E2EMS*float64(len(columns))), len(columns)-1)
		columns[max(i, 0)] += r.Chunks
		most = max(most, columns[max(i, 0)])
	}
	var b strings.Builder
	b.WriteString("sent ")
	for _, n := range columns {
		if n == 0 {
			b.WriteRune('·')
			continue
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[(n*7)/most])
	}
	b.WriteString(" end")
	return b.String()
}

func dialectWords(d record.DialectUsed) string {
	var parts []string
	for _, f := range []struct {
		name string
		sent bool
	}{{"include_usage", d.IncludeUsage}, {"continuous_usage_stats", d.ContinuousUsage}, {"ignore_eos", d.IgnoreEOS}, {"min_tokens", d.MinTokens}} {
		if f.sent {
			parts = append(parts, f.name)
		}
	}
	if d.MaxTokensField != "" {
		parts = append([]string{d.MaxTokensField}, parts...)
	}
	if len(parts) == 0 {
		return "the fields of its API alone"
	}
	return strings.Join(parts, ", ")
}
