package report

import (
	"bytes"
	"strings"
	"testing"
)

func markdown(t *testing.T, in Input) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, in); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	for _, name := range []string{"saturation", "client-limited", "baseline", "empty", "failed"} {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".md", []byte(markdown(t, fixtures[name]().input())))
		})
	}
}

func TestMarkdownEscapesServerStrings(t *testing.T) {
	s := markdown(t, hostile())
	code := s[strings.Index(s, "<details>"):]
	for _, bad := range []string{"<script", "\x1b", "\u202e"} {
		if strings.Contains(strings.Replace(s, code, "", 1), bad) {
			t.Errorf("%q reached the Markdown", bad)
		}
	}
	// Each row of a table has as many cells as its head.
	var head int
	for line := range strings.Lines(s) {
		if !strings.HasPrefix(line, "|") {
			head = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if head == 0 {
			head = n
		}
		if n != head {
			t.Errorf("a row of %d bars under a head of %d: %s", n, head, line)
		}
	}
}
