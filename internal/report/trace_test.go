package report

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"assay/internal/trace"
)

// traceOfAll is a trace of which everything is known.
func traceOfAll() trace.Report {
	f, n := func(v float64) *float64 { return &v }, func(v int) *int { return &v }
	lengths := func(p50, p95, most int) trace.Lengths {
		return trace.Lengths{N: 1200, Mean: f(float64(p50) * 1.1), P50: n(p50), P95: n(p95), Max: n(most)}
	}
	ttft := lengths(210, 900, 4000)
	return trace.Report{
		File: "traces/agents.jsonl", Format: "weka", Because: `its first row has "requests" and "block_size"`, Whole: true,
		Verdict: trace.Verdict{Use: trace.ReplaySpread, Say: "can be replayed, but not as it stands: quantised: 1,200 rows on 300 ticks of 3 s"},
		Remarks: []string{"18 of 1,200 rows do not fit in a context of 32,768 tokens (1.5 %), 4 of them by the prompt alone: leave them out"},
		Rows:    1200, SpanS: f(900), PerS: f(1.33), Distinct: n(300),
		Gaps:     trace.Gaps{Mean: f(0.75), CV: f(2.1), Max: f(9)},
		Stamps:   &trace.Stamps{TickS: f(3), Shared: 1190, MostAtOnce: 12},
		Bursts:   trace.Bursts{D1: f(4.25), D10: f(2.5)},
		Arrivals: &trace.Bins{WidthS: 100, Counts: []int{10, 0, 80, 40, 200, 120, 5, 1, 90}},
		ISL:      lengths(6000, 40_000, 126_195), OSL: lengths(340, 800, 2000),
		Context:        &trace.Fit{Limit: 32_768, Prompt: 4, Total: 18},
		PrefixHitBound: f(0.64), Prefix: &trace.Prefix{Unit: "tokens", BlockSize: 64, HitTokens: 6400, PromptTokens: 10_000, HitBlocks: 100, Blocks: 150},
		Sessions: &trace.Sessions{N: 80, Turns: lengths(14, 60, 300), ThinkMS: lengths(1500, 61_000, 900_000)},
		Models:   []trace.Model{{Name: "a", Rows: 900}, {Name: "b", Rows: 100}, {Name: "c", Rows: 90}, {Name: "d", Rows: 60}, {Name: "e", Rows: 50}},
		TTFT:     &ttft,
	}
}

// traceOfPrompts is a file of prompts, of which little can be known.
func traceOfPrompts() trace.Report {
	f, n := func(v float64) *float64 { return &v }, func(v int) *int { return &v }
	return trace.Report{
		File: "prompts.txt", Format: "text", Because: "it is text", Rows: 3, Whole: true,
		Verdict: trace.Verdict{Use: trace.ReplayAtLoad, Say: "has no time stamps: its 3 rows can be sent at a load of your choice"},
		Chars:   trace.Lengths{N: 3, Mean: f(40), P50: n(38), P95: n(60), Max: n(60)},
	}
}

func TestTraceGolden(t *testing.T) {
	for name, r := range map[string]trace.Report{"trace-all": traceOfAll(), "trace-prompts": traceOfPrompts()} {
		var text, page bytes.Buffer
		if err := Trace(&text, r, TextOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := TraceMarkdown(&page, r); err != nil {
			t.Fatal(err)
		}
		golden(t, name+".txt", text.Bytes())
		golden(t, name+".md", page.Bytes())
	}
}

func TestTraceFitsAndIsPlain(t *testing.T) {
	r := traceOfAll()
	r.Models[0].Name, r.File = "\x1b[31mred", "a\u202eb|c"
	for _, width := range []int{60, 80, 120} {
		var b bytes.Buffer
		if err := Trace(&b, r, TextOptions{Width: width}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("at width %d a line of %d characters: %s", width, n, line)
			}
		}
		if strings.ContainsAny(b.String(), "\x1b\u202e") {
			t.Error("a name of the trace's drives the terminal")
		}
	}
}

func TestSparkline(t *testing.T) {
	for _, c := range []struct {
		counts []int
		width  int
		want   string
	}{
		{[]int{0, 1, 4, 8}, 10, " ▁▄█"},
		{[]int{1, 1, 4, 4, 8, 0}, 3, "▂██"},
		{[]int{0, 0}, 4, "  "},
		{nil, 4, ""},
	} {
		if got := sparkline(c.counts, c.width); got != c.want {
			t.Errorf("sparkline(%v, %d) = %q, want %q", c.counts, c.width, got, c.want)
		}
	}
}
