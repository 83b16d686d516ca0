package report

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"assay/internal/lint"
)

// LintText writes findings for a terminal: each with its line and a caret under what is
// wrong. Why, how to mend it and the source are said with the first finding of a rule.
func LintText(w io.Writer, res lint.Result, opt TextOptions) error {
	t := newTextWriter(w, opt)
	said := map[string]bool{}
	for _, f := range res.Findings {
		t.finding(f, said)
	}
	t.line(lintSummary(res))
	return t.w.Flush()
}

// tones of severities; what is unknown is no fault.
var lintTones = map[lint.Severity]string{lint.Error: red, lint.Warning: yellow, lint.Info: dim}

func (t *textWriter) finding(f lint.Finding, said map[string]bool) {
	head, tone := lintHead(f)
	const indent = "    "
	first, rest := "", wrapped(plainTo(f.Message, mostMessage), t.width-len(head)-2)
	if len(rest) > 0 {
		first, rest = rest[0], rest[1:]
	}
	t.line(t.style(head, tone) + ": " + t.style(first, bold))
	for _, line := range wrapped(strings.Join(rest, " "), t.width-len(indent)) {
		t.line(indent + t.style(line, bold))
	}
	gutter := strings.Repeat(" ", len(strconv.Itoa(f.Line)))
	t.line(gutter + t.style("--> ", dim) + lintPlace(f) + suffixed("  ", objectName(f.Object)))
	t.quote(f, gutter, tone)
	for _, note := range []struct{ name, text string }{{"why", f.Why}, {"fix", f.Fix}, {"source", f.Source}} {
		key := f.ID + "\x00" + note.name + "\x00" + note.text
		if note.text == "" || said[key] {
			continue
		}
		said[key] = true
		t.wrap(gutter+" = "+note.name+": ", plainTo(note.text, mostMessage), "")
	}
	t.line("")
}

// lintHead is how a finding begins, and its tone.
func lintHead(f lint.Finding) (head, tone string) {
	head, tone = string(f.Severity), lintTones[f.Severity]
	if f.Status == lint.Unknown {
		head, tone = "unknown", dim
	}
	return head + "[" + f.ID + "]", tone
}

// mostMessage bounds a message, in characters: it may quote what was linted.
const mostMessage = 1000

func lintPlace(f lint.Finding) string {
	place := plain(f.File)
	if f.Line > 0 {
		place += fmt.Sprintf(":%d:%d", f.Line, max(1, f.Column))
	}
	if f.Rendered {
		place += " (rendered)"
	}
	return place
}

func objectName(o lint.Ref) string {
	name := plain(o.Name)
	if o.Namespace != "" {
		name = plain(o.Namespace) + "/" + name
	}
	return strings.TrimSpace(plain(o.Kind) + " " + name)
}

func suffixed(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// quote shows the line and a caret under the part that is meant.
func (t *textWriter) quote(f lint.Finding, gutter, tone string) {
	if strings.TrimSpace(f.Text) == "" {
		return
	}
	text, at, length := quoted(f, t.width-len(gutter)-3)
	bar := t.style(" | ", dim)
	t.line(gutter + strings.TrimRight(bar, " "))
	t.line(t.style(strconv.Itoa(f.Line), dim) + bar + text)
	t.line(gutter + bar + strings.Repeat(" ", at) + t.style(strings.Repeat("^", length), tone))
}

// lintSummary is the last line.
func lintSummary(res lint.Result) string {
	errors, warnings, infos := 0, 0, 0
	for _, f := range res.Findings {
		switch {
		case f.Status != lint.Fail:
		case f.Severity == lint.Error:
			errors++
		case f.Severity == lint.Warning:
			warnings++
		default:
			infos++
		}
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, what)
		}
	}
	add(errors, plural(errors, "error"))
	add(warnings, plural(warnings, "warning"))
	add(infos, fmt.Sprintf("%d for information", infos))
	add(res.Summary.Unknown, fmt.Sprintf("%d unknown", res.Summary.Unknown))
	add(res.Summary.Suppressed, fmt.Sprintf("%d suppressed", res.Summary.Suppressed))
	found := "nothing found"
	if len(parts) > 0 {
		found = strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s in %s of %s; %s", found, plural(res.Objects, "object"), plural(res.Files, "file"), plural(res.Summary.Pass, "check")+" passed")
}
