package report

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/record"
)

// writtenBy says which other tool's file a run was read from; empty for a run
// of Assay's own.
func writtenBy(run record.Run) string {
	if len(run.Definitions) == 0 {
		return ""
	}
	name, version := plain(run.Tool.Name), plain(run.Tool.Version)
	if _, assay, ok := strings.Cut(version, "written by "); ok {
		return "written by " + assay + " in the format of " + name
	}
	return strings.TrimSpace("written by " + name + " " + version)
}

// definitionLine is one metric of another tool beside Assay's, in words.
func definitionLine(d record.Definition) string {
	s := plain(d.Metric)
	if f := plain(d.Field); f != "" {
		s += " (there " + f + ")"
	}
	switch d.Comparable {
	case record.DifferentDefinition:
		s += ": not comparable"
	case record.ConvertedDefinition:
		s += ": in Assay's definition"
	default:
		s += ": comparable"
	}
	if why := plain(d.Why); why != "" {
		s += "; " + why
	}
	return s
}

// quotedLines are the percentiles that the other tool gives and that the
// sample cannot support, a line a level.
func quotedLines(run record.Run) []string {
	var out []string
	for _, l := range run.Levels {
		if len(l.Quoted) == 0 {
			continue
		}
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(l.Quoted)) {
			parts = append(parts, fmt.Sprintf("%s %s ms", name, short(l.Quoted[name])))
		}
		out = append(out, fmt.Sprintf("Quoted by %s, from too few samples to be sure, at %s: %s.", plain(run.Tool.Name), plain(l.ID), strings.Join(parts, ", ")))
	}
	return out
}

func (t *textWriter) definitions(run record.Run) {
	if len(run.Definitions) == 0 {
		return
	}
	t.line("")
	t.line("  " + t.style("definitions", bold))
	for _, d := range run.Definitions {
		t.wrap("  ", definitionLine(d), "")
	}
	for _, s := range quotedLines(run) {
		t.wrap("  ", s, dim)
	}
}

func markdownDefinitions(b *bytes.Buffer, run record.Run) {
	if len(run.Definitions) == 0 {
		return
	}
	b.WriteString("\n### Definitions\n\n| metric | there | theirs | ours | comparable | |\n|---|---|---|---|---|---|\n")
	for _, d := range run.Definitions {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", md(plain(d.Metric)), md(plain(d.Field)), md(plain(d.Theirs)), md(plain(d.Ours)), md(plain(d.Comparable)), md(plain(d.Why)))
	}
	for _, s := range quotedLines(run) {
		fmt.Fprintf(b, "\n%s\n", md(s))
	}
}

// foreignNotes are the lines above for a form that has no place of its own for
// them.
func foreignNotes(run record.Run) []string {
	s := writtenBy(run)
	if s == "" {
		return nil
	}
	out := []string{sentence(s)}
	for _, d := range run.Definitions {
		out = append(out, sentence(definitionLine(d)))
	}
	return append(out, quotedLines(run)...)
}
