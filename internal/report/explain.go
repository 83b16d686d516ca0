package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"assay/internal/diagnose"
	"assay/internal/explain"
)

// Explain writes a page for a terminal.
func Explain(w io.Writer, p explain.Page, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", fmt.Sprintf("%s (%s)", p.Title, p.Kind), bold)
	t.wrap("  ", ended(p.Is), "")
	if len(p.Facts) > 0 {
		t.line("")
	}
	width := 0
	for _, f := range p.Facts {
		width = max(width, len([]rune(f.Name)))
	}
	for _, f := range p.Facts {
		t.wrap(fmt.Sprintf("  %-*s  ", width, f.Name), f.Value, "")
	}
	explainNames(t, p.Names)
	explainList(t, "What shows it", p.Signs)
	explainExample(t, p.Example)
	explainList(t, "Traps", p.Traps)
	var steps []string
	for _, s := range p.Do {
		steps = append(steps, stepText(s))
	}
	explainList(t, "What to do", steps)
	if len(p.See) > 0 {
		t.line("")
		t.wrap("  See also ", strings.Join(p.See, ", "), "")
	}
	for i, s := range p.Sources {
		if i == 0 {
			t.line("")
		}
		t.wrap("  Source: ", sourceText(s), dim)
	}
	return t.w.Flush()
}

func explainList(t *textWriter, title string, items []string) {
	for i, item := range items {
		if i == 0 {
			t.line("")
			t.wrap("  ", title, bold)
		}
		t.wrap("    - ", ended(item), "")
	}
}

// explainExample shows what is wrong beside what is right.
func explainExample(t *textWriter, example string) {
	if example == "" {
		return
	}
	t.line("")
	t.wrap("  ", "Wrong (-) and right (+)", bold)
	for line := range strings.Lines(example) {
		line = strings.TrimRight(line, "\n")
		tone := ""
		switch {
		case strings.HasPrefix(line, "-"):
			tone = red
		case strings.HasPrefix(line, "+"):
			tone = green
		}
		t.line("    " + t.style(line, tone))
	}
}

// explainNames lists names in columns, and what is special of one below it.
func explainNames(t *textWriter, names []explain.Name) {
	publisher := 0
	for _, n := range names {
		publisher = max(publisher, len(n.Publisher))
	}
	for i, n := range names {
		if i == 0 {
			t.line("")
			t.wrap("  ", "Names", bold)
		}
		t.wrap(fmt.Sprintf("    %-*s  ", publisher, n.Publisher), n.Metric+nameText(n), "")
	}
}

// nameText is what is special of a name.
func nameText(n explain.Name) string {
	var parts []string
	if len(n.Product) > 0 {
		parts = append(parts, "by its labels "+strings.Join(n.Product, " × "))
	}
	if n.Since != "" {
		parts = append(parts, "since "+n.Since)
	}
	if n.Removed != "" {
		parts = append(parts, "removed in "+n.Removed)
	}
	if n.Enable != "" {
		parts = append(parts, "only with "+n.Enable)
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func stepText(s explain.Step) string {
	text := s.Text
	if s.Flag != "" {
		text += " (" + s.Flag + ")"
	}
	if s.Helps != "" {
		text += ": " + s.Helps
	}
	switch {
	case s.Cost == "":
	case s.Helps == diagnose.NoLonger, s.Helps == diagnose.DoesNot: // there it says why
		text += ": " + s.Cost
	default:
		text += ". Cost: " + s.Cost
	}
	return text
}

func sourceText(s explain.Source) string {
	text := s.Title
	if s.URL != "" {
		text += ", " + s.URL
	}
	if s.AsOf != "" {
		text += ", as of " + s.AsOf
	}
	return text
}

// whole escapes a text of our own for Markdown, without a bound. What stands in
// backticks is code, and stays.
func whole(s string) string {
	parts := strings.Split(s, "`")
	if len(parts)%2 == 0 { // one that nothing closes
		return mdEscaper.Replace(s)
	}
	for i := 0; i < len(parts); i += 2 {
		parts[i] = mdEscaper.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// ExplainMarkdown writes the same for a page.
func ExplainMarkdown(w io.Writer, p explain.Page) error {
	b := &bytes.Buffer{}
	fmt.Fprintf(b, "## %s\n\n%s\n", whole(p.Title), whole(ended(p.Is)))
	for i, f := range p.Facts {
		if i == 0 {
			b.WriteString("\n| | |\n|---|---|\n")
		}
		fmt.Fprintf(b, "| %s | %s |\n", whole(f.Name), whole(f.Value))
	}
	for i, n := range p.Names {
		if i == 0 {
			b.WriteString("\n| publisher | metric | labels | |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(b, "| %s | `%s` | %s | %s |\n", whole(n.Publisher), n.Metric, whole(strings.Join(n.Labels, ", ")), whole(strings.Trim(nameText(n), " ()")))
	}
	markdownList(b, "What shows it", p.Signs)
	if p.Example != "" {
		fmt.Fprintf(b, "\n```diff\n%s```\n", p.Example)
	}
	markdownList(b, "Traps", p.Traps)
	var steps []string
	for _, s := range p.Do {
		steps = append(steps, stepText(s))
	}
	markdownList(b, "What to do", steps)
	if len(p.See) > 0 {
		fmt.Fprintf(b, "\nSee also %s.\n", whole(strings.Join(p.See, ", ")))
	}
	for i, s := range p.Sources {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "Source: %s.\n", whole(sourceText(s)))
	}
	_, err := b.WriteTo(w)
	return err
}

func markdownList(b *bytes.Buffer, title string, items []string) {
	for i, item := range items {
		if i == 0 {
			fmt.Fprintf(b, "\n**%s**\n\n", title)
		}
		fmt.Fprintf(b, "- %s\n", whole(ended(item)))
	}
}

// ExplainTopics lists what can be explained, by kind.
func ExplainTopics(w io.Writer, groups []explain.Group, opt TextOptions) error {
	t := newTextWriter(w, opt)
	t.wrap("", "assay explain TOPIC says what a name means. These are known; case and hyphens do not matter.", "")
	for _, g := range groups {
		t.line("")
		t.wrap("", string(g.Kind), bold)
		t.wrap("  ", topicList(g), "")
	}
	return t.w.Flush()
}

// topicList leaves out what is between the first XID and the last: there is each.
func topicList(g explain.Group) string {
	if n := len(g.Topics); g.Kind == explain.XID && n > 2 {
		return g.Topics[0] + " to " + g.Topics[n-1]
	}
	return strings.Join(g.Topics, ", ")
}

// ExplainTopicsMarkdown lists the same for a page.
func ExplainTopicsMarkdown(w io.Writer, groups []explain.Group) error {
	b := &bytes.Buffer{}
	for _, g := range groups {
		fmt.Fprintf(b, "**%s**: %s\n\n", whole(string(g.Kind)), whole(topicList(g)))
	}
	_, err := b.WriteTo(w)
	return err
}
