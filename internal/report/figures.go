package report

import (
	"bytes"
	"io"
	"strings"

	"assay/internal/facts"
	"assay/internal/figure"
)

// figures explains numbers for a terminal: what each is, its formula with the
// inputs filled in, and where it comes from.
func (t *textWriter) figures(figures []figure.Figure) {
	for _, f := range figures {
		t.wrap("  ", plain(f.Name)+" = "+figureValue(f), bold)
		if f.Formula != "" {
			t.wrap("    = ", plain(f.Formula), "")
		}
		if s := figureInputs(f.Inputs); s != "" {
			t.wrap("    with ", s, "")
		}
		for _, s := range figureSources(f) {
			t.wrap("    source: ", s, dim)
		}
	}
}

// FiguresMarkdown writes the same as a table.
func FiguresMarkdown(w io.Writer, figures []figure.Figure) error {
	b := &bytes.Buffer{}
	markdownGrid(b, figureGrid(figures))
	_, err := b.WriteTo(w)
	return err
}

func figureGrid(figures []figure.Figure) grid {
	rows := make([][]string, len(figures))
	for i, f := range figures {
		rows[i] = []string{plain(f.Name), figureValue(f), plain(f.Formula), figureInputs(f.Inputs), strings.Join(figureSources(f), "; ")}
	}
	return words([]string{"number", "value", "formula", "with", "source"}, rows)
}

// figureValue is a number with its unit, its range where it has one, and how it
// came about.
func figureValue(f figure.Figure) string {
	s := inUnit(f.Value, f.Unit)
	if r := f.Range; r != nil && r.Low != r.High {
		s += ", between " + inUnit(r.Low, f.Unit) + " and " + inUnit(r.High, f.Unit)
	}
	if f.Kind != "" {
		s += " (" + string(f.Kind) + ")"
	}
	return s
}

func figureInputs(inputs []figure.Input) string {
	parts := make([]string, len(inputs))
	for i, in := range inputs {
		parts[i] = plain(in.Name) + " = " + inUnit(in.Value, in.Unit)
	}
	return strings.Join(parts, ", ")
}

// figureSources are where a number and its inputs come from, each once.
func figureSources(f figure.Figure) []string {
	var out []string
	seen := map[facts.Source]bool{{}: true}
	add := func(s facts.Source) {
		if !seen[s] {
			seen[s] = true
			out = append(out, factSource(s))
		}
	}
	add(f.Source)
	for _, in := range f.Inputs {
		add(in.Source)
	}
	return out
}

func factSource(s facts.Source) string {
	text := plain(s.Title)
	if s.URL != "" {
		text += ", " + plain(s.URL)
	}
	if s.Date != "" {
		text += ", as of " + plain(s.Date)
	}
	return text
}

// inUnit prints a number in the unit that a person reads it in: bytes in GiB or
// MiB, times and prices as everywhere.
func inUnit(v float64, unit string) string {
	switch unit {
	case "":
		return short(v)
	case "bytes":
		return byteSize(v)
	case "bytes/s", "B/s":
		return byteRate(v)
	case "ms":
		return millis(v)
	case "USD":
		return usd(v)
	}
	if per, ok := strings.CutPrefix(unit, "USD"); ok {
		return usd(v) + plain(per)
	}
	return short(v) + " " + plain(unit)
}

// byteSize prints bytes in the largest binary unit that leaves at least 1.
func byteSize(v float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if v >= u.size || -v >= u.size {
			return num(v/u.size) + " " + u.name
		}
	}
	return short(v) + " B"
}

// byteRate prints bytes a second, in powers of ten as data sheets do.
func byteRate(v float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"TB/s", 1e12}, {"GB/s", 1e9}, {"MB/s", 1e6}, {"KB/s", 1e3}} {
		if v >= u.size {
			return short(v/u.size) + " " + u.name
		}
	}
	return short(v) + " B/s"
}
