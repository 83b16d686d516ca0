package report

import (
	"bytes"
	"strings"
	"testing"

	"assay/internal/record"
)

func TestExaminationIsEscapedAndFits(t *testing.T) {
	const evil = "a\x1b[2J\nb<script>|"
	ms, n := 12.5, 16
	x := &record.Examination{
		Target:     record.Target{URL: "http://h", Model: evil, API: "chat", Engine: record.TargetEngine{Name: evil}},
		Inspection: record.Inspection{Remarks: []string{evil}},
		Findings:   []record.Finding{{Status: record.Trouble, What: evil, Means: "do " + evil}, {Status: record.Fine, What: "fine"}},
		Answers: []record.Examined{{
			What: "a prompt", TTFTMS: &ms, E2EMS: 100, PromptTokens: &n, OutputTokens: &n,
			Reads: []record.Arrival{{AtMS: 12.5, Chunks: 1}, {AtMS: 60, Chunks: 8}, {AtMS: 100, Chunks: 1}},
		}},
	}
	for name, write := range map[string]func(*bytes.Buffer) error{
		"text":     func(b *bytes.Buffer) error { return ExaminationText(b, x, TextOptions{Width: 60}) },
		"markdown": func(b *bytes.Buffer) error { return ExaminationMarkdown(b, x) },
	} {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if strings.Contains(got, "\x1b") || name == "markdown" && strings.Contains(got, "<script>") {
			t.Errorf("%s lets through what the server said: %q", name, got)
		}
		for _, want := range []string{"would not be the engine's", "first token 12.5 ms", "16 tokens in, 16 tokens out"} {
			if !strings.Contains(strings.Join(strings.Fields(got), " "), want) {
				t.Errorf("%s lacks %q:\n%s", name, want, got)
			}
		}
		if name == "text" {
			for _, line := range strings.Split(got, "\n") {
				if len([]rune(line)) > 80 {
					t.Errorf("a line of %d characters: %s", len([]rune(line)), line)
				}
			}
			if !strings.Contains(got, "█") {
				t.Error("no arrivals are drawn")
			}
		}
	}
}
