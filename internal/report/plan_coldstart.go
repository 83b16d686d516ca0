package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"assay/internal/figure"
	"assay/internal/plan/coldstart"
)

// PlanColdStart writes for a terminal how long a start takes: the answer, each
// technique alone and the best together, the phases of those that matter.
func PlanColdStart(w io.Writer, r coldstart.Result, opt TextOptions, explain bool) error {
	t := newTextWriter(w, opt)
	t.wrap("", startSubject(r.Request), dim)
	t.line("")
	t.wrap("  ", sentence(r.Say), bold)
	t.line("")
	t.grid(words(startHeads(r), startRows(r)))
	for _, id := range []string{coldstart.Baseline, coldstart.Chosen, coldstart.Best, coldstart.BestWarm} {
		if o, ok := r.Option(id); ok {
			t.startPhases(o)
		}
	}
	for i, text := range startWarnings(r) {
		if i == 0 {
			t.line("")
		}
		t.wrap("  ! ", text, yellow)
	}
	for i, s := range r.Skipped {
		if i == 0 {
			t.line("")
		}
		t.wrap("  ", string(s.Technique)+" is left out: "+plain(s.Why), dim)
	}
	for i, remark := range r.Remarks {
		if i == 0 {
			t.line("")
		}
		t.wrap("  ", sentence(remark), dim)
	}
	if explain {
		t.line("")
		t.wrap("  ", "What is promised, and what was measured", bold)
		for _, c := range r.Claims {
			t.wrap("  "+c.Name+": ", claimText(c), "")
		}
		t.line("")
		t.figures(startFigures(r))
	}
	return t.w.Flush()
}

func startSubject(a coldstart.Asked) string {
	s := fmt.Sprintf("image %s, %s of weights from %s, on %s with %s, images on %s at %s, %s", a.ImageSizes, figureSize(float64(a.Weights)), a.From, plain(a.Instance), osName(a.OS),
		a.Disk, byteRate(a.DiskRate), plain(a.Engine))
	if a.Replicas > 1 {
		s += fmt.Sprintf(", %d nodes at once", a.Replicas)
	}
	if a.Measured {
		s += ", engine as logged"
	}
	return s
}

func osName(os coldstart.OS) string {
	if os == coldstart.Bottlerocket {
		return "Bottlerocket"
	}
	return "AL2023"
}

func startHeads(r coldstart.Result) []string {
	heads := []string{"start", "low", "mid", "high", "saved", "longest phase", "if it took none"}
	if r.Request.SLO != nil {
		heads = append(heads, "SLO")
	}
	return heads
}

// startRows are the options, seconds by their range.
func startRows(r coldstart.Result) [][]string {
	rows := make([][]string, len(r.Options))
	for i, o := range r.Options {
		saved := none
		if o.Saved != nil {
			saved = strings.TrimPrefix(fmt.Sprintf("%.0f %%", *o.Saved), "-")
			if o.Worse {
				saved += " longer"
			}
		}
		name := o.ID
		rows[i] = []string{name, wholeSeconds(o.Total.Low), wholeSeconds(o.Total.Mid), wholeSeconds(o.Total.High), saved,
			o.Next.Phase + ", " + wholeSeconds(o.Next.Seconds.Mid), wholeSeconds(o.Next.Remaining.Mid)}
		if o.SLO != nil {
			rows[i] = append(rows[i], *o.SLO)
		}
	}
	return rows
}

func wholeSeconds(v float64) string {
	if v < 9.95 {
		return short(math.Round(10*v)/10) + " s"
	}
	return commas(fmt.Sprintf("%.0f", v)) + " s"
}

func (t *textWriter) startPhases(o coldstart.Option) {
	t.line("")
	t.wrap("  ", sentence(o.Name), bold)
	for _, p := range o.Phases {
		why := p.Binding
		if why == "" {
			why = p.Formula
		}
		if p.Kind == figure.Measured {
			why += " (measured)"
		}
		t.wrap(fmt.Sprintf("  %-12s%-17s  mid %-9s", p.Name, startRange(p.Seconds), wholeSeconds(p.Seconds.Mid)), plain(why), "")
	}
}

func startRange(r figure.Range) string {
	if r.Low == r.High {
		return wholeSeconds(r.Mid)
	}
	return wholeSeconds(r.Low) + " to " + wholeSeconds(r.High)
}

// startWarnings are those of all options, each once, by the option that it is of.
func startWarnings(r coldstart.Result) []string {
	var out []string
	seen := map[string]bool{}
	for _, o := range r.Options {
		for _, text := range o.Warnings {
			if !seen[text] {
				seen[text] = true
				out = append(out, o.ID+": "+plain(text))
			}
		}
	}
	return out
}

func claimText(c coldstart.Claim) string {
	var parts []string
	for _, m := range c.Measured {
		parts = append(parts, fmt.Sprintf("%.0f %% (%s)", m.Pct, m.What))
	}
	s := fmt.Sprintf("said to save %.0f to %.0f %% of %s", c.Low, c.High, c.Of)
	if len(parts) > 0 {
		s += "; measured " + strings.Join(parts, ", ")
	}
	if c.Here != nil {
		s += fmt.Sprintf("; of this start %.0f %%", *c.Here)
	}
	return plainTo(s+". "+sentence(c.Verdict), 1000)
}

// startFigures are those of the options whose phases are shown.
func startFigures(r coldstart.Result) []figure.Figure {
	var all []figure.Figure
	for _, id := range []string{coldstart.Baseline, coldstart.Best, coldstart.BestWarm} {
		if o, ok := r.Option(id); ok {
			all = append(all, o.Figures...)
		}
	}
	return all
}

// PlanColdStartMarkdown writes the same for a page.
func PlanColdStartMarkdown(w io.Writer, r coldstart.Result, explain bool) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## Cold start\n\n%s\n\n**%s**\n\n", md(sentence(startSubject(r.Request))), md(sentence(r.Say)))
	markdownGrid(b, words(startHeads(r), startRows(r)))
	for _, id := range []string{coldstart.Baseline, coldstart.Chosen, coldstart.Best, coldstart.BestWarm} {
		o, ok := r.Option(id)
		if !ok {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n", md(plain(o.Name)))
		rows := make([][]string, len(o.Phases))
		for i, p := range o.Phases {
			rows[i] = []string{p.Name, startRange(p.Seconds), wholeSeconds(p.Seconds.Mid), string(p.Kind), p.Binding, p.Formula, factSource(p.Source)}
		}
		markdownGrid(b, words([]string{"phase", "range", "mid", "kind", "binds", "how", "source"}, rows))
	}
	b.WriteString("\n")
	for _, text := range startWarnings(r) {
		fmt.Fprintf(b, "- %s\n", md(text))
	}
	for _, s := range r.Skipped {
		fmt.Fprintf(b, "- %s is left out: %s\n", s.Technique, md(plain(s.Why)))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(b, "- %s\n", md(sentence(remark)))
	}
	if explain {
		b.WriteString("\n")
		for _, c := range r.Claims {
			fmt.Fprintf(b, "- %s: %s\n", c.Name, md(claimText(c)))
		}
		b.WriteString("\n")
		if err := FiguresMarkdown(b, startFigures(r)); err != nil {
			return err
		}
	}
	_, err := b.WriteTo(w)
	return err
}
