package report

import (
	"strings"
	"testing"

	"assay/internal/facts"
	"assay/internal/figure"
)

func TestFiguresSayWhatDefendsThem(t *testing.T) {
	bus := facts.Source{Title: "data sheet", URL: "https://example.com/l4", Date: "2026-11-30"}
	f := figure.Figure{Name: "decode step", Value: 12.34, Unit: "ms", Range: &figure.Range{Low: 10, Mid: 12.34, High: 15}, Kind: figure.Estimated,
		Formula: "weights / bandwidth",
		Inputs: []figure.Input{{Name: "weights", Value: 15 << 30, Unit: "bytes"}, {Name: "bandwidth", Value: 300e9, Unit: "bytes/s", Source: bus},
			{Name: "again", Value: 1, Source: bus}},
		Source: facts.Source{Title: "a\x1b[31mb"}}
	var text, page strings.Builder
	w := newTextWriter(&text, TextOptions{Width: 200})
	w.figures([]figure.Figure{f})
	if err := w.w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := FiguresMarkdown(&page, []figure.Figure{f}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"decode step = 12.3 ms, between 10.0 ms and 15.0 ms (estimated)", "= weights / bandwidth",
		"weights = 15.0 GiB, bandwidth = 300 GB/s, again = 1", "data sheet, https://example.com/l4, as of 2026-11-30"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if n := strings.Count(text.String(), "data sheet"); n != 1 {
		t.Errorf("a source of two inputs is named %d times", n)
	}
	if strings.Contains(text.String()+page.String(), "\x1b") {
		t.Error("a source's title steers the terminal")
	}
	if !strings.Contains(page.String(), "| decode step | 12.3 ms") {
		t.Errorf("Markdown:\n%s", page.String())
	}
}

func TestInUnit(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{96636764160, "bytes", "90.0 GiB"}, {512, "bytes", "512 B"}, {3.35e12, "bytes/s", "3.35 TB/s"},
		{5.672, "USD/h", "$5.67/h"}, {12500, "ms", "12.5 s"}, {128, "tokens", "128 tokens"}, {2, "", "2"},
	} {
		if got := inUnit(c.v, c.unit); got != c.want {
			t.Errorf("inUnit(%g, %q) = %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}
