package report

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"assay/internal/trace"
)

// traceFact is one line of what a trace is like.
type traceFact struct{ Name, Text string }

// Trace writes for a terminal what a trace is like: the verdict first.
func Trace(w io.Writer, r trace.Report, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", traceSubject(r), dim)
	t.line("")
	t.wrap("  ", sentence(r.Verdict.Say), bold)
	t.line("")
	if r.Arrivals != nil {
		t.line("  arrivals    " + sparkline(r.Arrivals.Counts, min(60, t.width-14)))
	}
	for _, f := range traceFacts(r) {
		t.wrap(fmt.Sprintf("  %-12s", f.Name), f.Text, "")
	}
	for i, remark := range r.Remarks {
		if i == 0 {
			t.line("")
		}
		t.wrap("  ! ", sentence(remark), yellow)
	}
	return t.w.Flush()
}

// TraceMarkdown writes the same for a pull request or a page.
func TraceMarkdown(w io.Writer, r trace.Report) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## %s\n\n%s\n\n**%s**\n\n", md(plain(filepath.Base(r.File))), md(sentence(traceSubject(r))), md(sentence(r.Verdict.Say)))
	if len(r.Remarks) > 0 {
		for _, remark := range r.Remarks {
			fmt.Fprintf(b, "- %s\n", md(sentence(remark)))
		}
		b.WriteString("\n")
	}
	b.WriteString("| | |\n|---|---|\n")
	if r.Arrivals != nil {
		fmt.Fprintf(b, "| arrivals | `%s` |\n", sparkline(r.Arrivals.Counts, 60))
	}
	for _, f := range traceFacts(r) {
		fmt.Fprintf(b, "| %s | %s |\n", md(f.Name), md(f.Text))
	}
	_, err := b.WriteTo(w)
	return err
}

func traceSubject(r trace.Report) string {
	s := fmt.Sprintf("%s: %s, of format %s: %s", plain(r.File), plural(r.Rows, "row"), r.Format, plain(r.Because))
	if !r.Whole {
		s += "; the file is broken after them"
	}
	return s
}

// traceFacts are what is known of a trace, in the order in which one asks.
func traceFacts(r trace.Report) []traceFact {
	var facts []traceFact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, traceFact{name, text})
		}
	}
	add("", arrivalFact(r))
	add("gaps", gapFact(r.Gaps))
	add("timestamps", stampFact(r))
	add("burstiness", burstFact(r.Bursts))
	add("prompt", lengthFact(r.ISL, "tokens"))
	if r.ISL.N == 0 {
		add("prompt", lengthFact(r.Chars, "characters"))
	}
	add("answer", lengthFact(r.OSL, "tokens"))
	add("context", contextFact(r))
	add("prefix", prefixFact(r))
	add("sessions", sessionFact(r.Sessions))
	add("models", modelFact(r.Models))
	if r.TTFT != nil {
		add("their TTFT", lengthFact(*r.TTFT, "ms"))
	}
	if r.Latency != nil {
		add("their E2E", lengthFact(*r.Latency, "ms"))
	}
	return facts
}

func arrivalFact(r trace.Report) string {
	if r.SpanS == nil {
		return ""
	}
	s := "over " + seconds(*r.SpanS)
	if r.PerS != nil {
		s += ", " + num(*r.PerS) + " requests/s in the mean"
	}
	return s
}

// seconds prints a number of seconds as a person would say it.
func seconds(s float64) string {
	switch {
	case s < 1:
		return millis(1000 * s)
	case s < 60:
		return short(s) + " s"
	case s >= 48*3600:
		return fmt.Sprintf("%d days %d h", int(s)/86400, int(s)/3600%24)
	}
	return span(trace.Duration(s))
}

func gapFact(g trace.Gaps) string {
	if g.Mean == nil {
		return ""
	}
	s := "mean " + seconds(*g.Mean)
	if g.CV != nil {
		s += ", coefficient of variation " + num(*g.CV) + " (1 is Poisson)"
	}
	return s + ", longest " + seconds(*g.Max)
}

func stampFact(r trace.Report) string {
	if r.Stamps == nil {
		return ""
	}
	s := count(*r.Distinct) + " different"
	if r.Stamps.TickS != nil {
		s += ", in ticks of " + seconds(*r.Stamps.TickS)
	}
	if r.Stamps.Shared > 0 {
		s += fmt.Sprintf("; %s share theirs with others, up to %s at once", plural(r.Stamps.Shared, "row"), count(r.Stamps.MostAtOnce))
	}
	return s
}

func burstFact(b trace.Bursts) string {
	var parts []string
	for _, w := range []struct {
		name string
		v    *float64
	}{{"1 s", b.D1}, {"10 s", b.D10}, {"60 s", b.D60}} {
		if w.v != nil {
			parts = append(parts, num(*w.v)+" over "+w.name)
		}
	}
	if parts == nil {
		return ""
	}
	return strings.Join(parts, ", ") + " (index of dispersion of counts; 1 is Poisson)"
}

func lengthFact(l trace.Lengths, unit string) string {
	if l.N == 0 {
		return ""
	}
	return fmt.Sprintf("%s: mean %s, p50 %s, p95 %s, max %s", unit, num(*l.Mean), count(*l.P50), count(*l.P95), count(*l.Max))
}

func contextFact(r trace.Report) string {
	if r.Context == nil {
		return ""
	}
	c := r.Context
	if c.Total == 0 {
		return "all rows fit in " + count(c.Limit) + " tokens"
	}
	return fmt.Sprintf("%s do not fit in %s tokens, %s by the prompt alone", plural(c.Total, "row"), count(c.Limit), count(c.Prompt))
}

func prefixFact(r trace.Report) string {
	if r.PrefixHitBound == nil {
		return ""
	}
	p := r.Prefix
	hit, all := p.HitTokens, p.PromptTokens
	if p.Unit == "blocks" {
		hit, all = p.HitBlocks, p.Blocks
	}
	return fmt.Sprintf("an infinite cache serves %s %% at best: %s of %s %s (blocks of %s tokens)",
		num(100**r.PrefixHitBound), count(hit), count(all), p.Unit, count(p.BlockSize))
}

func sessionFact(s *trace.Sessions) string {
	if s == nil || *s.Turns.Max < 2 {
		return ""
	}
	text := fmt.Sprintf("%s of %s turns in the mean, at most %s", count(s.N), num(*s.Turns.Mean), count(*s.Turns.Max))
	if t := s.ThinkMS; t.N > 0 {
		text += fmt.Sprintf("; think time p50 %s, p95 %s", seconds(float64(*t.P50)/1000), seconds(float64(*t.P95)/1000))
	}
	return text
}

// mostModels are named; the rest are counted.
const mostModels = 4

func modelFact(models []trace.Model) string {
	var parts []string
	for i, m := range models {
		if i == mostModels {
			parts = append(parts, count(len(models)-i)+" more")
			break
		}
		parts = append(parts, plainTo(m.Name, 60)+" "+count(m.Rows))
	}
	return strings.Join(parts, ", ")
}

// sparkline draws counts as a line of bars, no wider than width.
func sparkline(counts []int, width int) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	per := max(1, (len(counts)+width-1)/width)
	var sums []int
	for i, n := range counts {
		if i%per == 0 {
			sums = append(sums, 0)
		}
		sums[len(sums)-1] += n
	}
	top := 0
	for _, n := range sums {
		top = max(top, n)
	}
	var b strings.Builder
	for _, n := range sums {
		switch {
		case n == 0:
			b.WriteRune(' ')
		default:
			b.WriteRune(bars[(n*len(bars)-1)/top])
		}
	}
	return b.String()
}
