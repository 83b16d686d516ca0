package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s differs, -want +got (accept with -update):\n%s", path, d)
	}
}

func text(t *testing.T, in Input, opt TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, in, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	for name, f := range fixtures {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", []byte(text(t, f().input(), TextOptions{})))
		})
	}
}

func TestTextFits(t *testing.T) {
	for name, f := range fixtures {
		for _, width := range []int{60, 80, 100, 140} {
			for line := range strings.Lines(text(t, f().input(), TextOptions{Width: width})) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%s at width %d: a line of %d characters: %s", name, width, n, line)
				}
			}
		}
	}
	if n := strings.Count(text(t, saturationRun().input(), TextOptions{}), "\n"); n > 40 {
		t.Errorf("a saturation run takes %d lines, more than 40", n)
	}
}

func TestTextIsBriefOnWhatIsUndecided(t *testing.T) {
	s := strings.Join(strings.Fields(text(t, baselineRun().input(), TextOptions{})), " ")
	if !strings.Contains(s, "TTFT p95 < 500 ms undecided (n=100)") || strings.Contains(s, "binomial") {
		t.Errorf("an undecided criterion is not brief:\n%s", s)
	}
	if !strings.Contains(markdown(t, baselineRun().input()), "binomial") {
		t.Error("Markdown lacks the reason of an undecided criterion")
	}
}

func TestTextColor(t *testing.T) {
	in := clientLimitedRun().input()
	if s := text(t, in, TextOptions{}); strings.Contains(s, "\x1b") {
		t.Error("an escape sequence without Color")
	}
	if s := text(t, in, TextOptions{Color: true}); !strings.Contains(s, "\x1b[33m") {
		t.Error("no yellow for a client-limited level with Color")
	}
}

// hostile puts into every field that a server can fill what would break a
// terminal, a table or a page.
func hostile() Input {
	const evil = "</script><script>alert(1)</script>\x1b[31m|`\"'\u202e\n# x"
	f := saturationRun()
	f.run.Target.Model, f.run.Target.URL = evil, "http://h/"+evil
	f.run.Target.Engine = record.TargetEngine{Name: evil, Version: evil}
	f.run.Notes = []string{evil}
	f.run.Bound.Evidence[0].Fact, f.run.Bound.Evidence[0].Unit, f.run.Bound.Next = evil, evil, evil
	f.run.Inspection.Remarks = []string{evil}
	f.run.Levels[0].Validity = record.Validity{Verdict: record.Invalid, Reasons: []string{evil}}
	f.run.Levels[0].Errors, f.run.Levels[0].Requests.Failed = map[string]int{evil: 1}, 1
	f.run.Levels[0].Server.Reconciled[0].What = evil
	f.run.Levels[1].ID, f.run.Levels[1].Scenario = evil, evil
	f.run.Command = append(f.run.Command, evil)
	f.run.Saturation.Estimates[0].Note = evil
	for i := range f.requests {
		f.requests[i].Error, f.requests[i].Detail = evil, evil
	}
	return f.input()
}

func TestTextKeepsServerStringsFromTheTerminal(t *testing.T) {
	s := text(t, hostile(), TextOptions{})
	if strings.ContainsAny(s, "\x1b\u202e") {
		t.Errorf("a control character reached the terminal:\n%q", s)
	}
}
