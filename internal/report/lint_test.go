package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"assay/internal/facts"
	"assay/internal/lint"
	"assay/internal/lint/source"
)

// lintResult has a finding of each severity, one that is unknown, one suppressed, and
// texts that a form could trip over.
func lintResult() lint.Result {
	text := strings.Join([]string{
		"apiVersion: v1", "kind: ConfigMap", "metadata:", "  name: c", "  namespace: llm", "data:",
		"  error: \"it's 50%, two\\nlines\" # why",
		"  warning: 世界 <b>|`_*",
		"  info: " + strings.Repeat("x", 200) + " here",
		"  unknown: {a: \tb}",
		"  # assay:ignore demo-error the old engine, until 2027-01-31",
		"  error-again: x", "",
	}, "\n")
	rule := func(id string, s lint.Severity) *lint.Rule {
		return &lint.Rule{ID: id, Severity: s, Subject: lint.Drain, Title: "What " + id + " is", Why: "It breaks: 100 % of it.", Fix: "Write `b` in its place.",
			Sources: []facts.Source{{Title: "A source", URL: "https://example.test/page", Date: "2026-11-30"}}}
	}
	report := func(r *lint.Rule, key string, status lint.Status) *lint.Rule {
		r.Object = func(p *lint.Pass, o *lint.Object) {
			for k, v := range o.Get("data").Pairs() {
				switch {
				case !strings.HasPrefix(k.Text(), key):
				case status == lint.Fail:
					p.Fail(v, "%s stands here: 50%%, <b>", key)
				default:
					p.Unknown(v, "%s is not known", key)
				}
			}
		}
		return r
	}
	return lint.Files([]*source.File{{Name: "deploy/with space.yaml", Body: []byte(text)}}, lint.Options{
		Rules: []*lint.Rule{
			report(rule("demo-error", lint.Error), "error", lint.Fail), report(rule("demo-warning", lint.Warning), "warning", lint.Fail),
			report(rule("demo-info", lint.Info), "info", lint.Fail), report(rule("demo-unknown", lint.Error), "unknown", lint.Unknown),
		},
		Now: time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC),
	})
}

// TestLintForms holds each form against its golden file; -update writes them.
func TestLintForms(t *testing.T) {
	res := lintResult()
	for name, write := range map[string]func(io.Writer) error{
		"lint.txt":        func(w io.Writer) error { return LintText(w, res, TextOptions{}) },
		"lint-narrow.txt": func(w io.Writer) error { return LintText(w, res, TextOptions{Color: true, Width: 60}) },
		"lint.sarif":      func(w io.Writer) error { return LintSARIF(w, res, "1.2.3") },
		"lint.xml":        func(w io.Writer) error { return LintJUnit(w, res, lint.Warning) },
		"lint-github.txt": func(w io.Writer) error { return LintGitHub(w, res) },
		"lint.md":         func(w io.Writer) error { return LintMarkdown(w, res) },
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := write(&b); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), b.String()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestCaretStandsUnderWhatIsMeant holds the caret against the text above it, in columns
// of a terminal.
func TestCaretStandsUnderWhatIsMeant(t *testing.T) {
	for _, c := range []struct {
		name, text  string
		column, beg int
		width       int
		want        string // what the carets stand under
	}{
		{"a word", "a: word # x", 4, 1, 80, "word"},
		{"quotes", `a: "two words", b`, 4, 1, 80, `"two words"`},
		{"behind wide characters", "世界: x", 5, 1, 80, "x"},
		{"behind a tab", "\ta: x", 5, 1, 80, "x"},
		{"a key", "key: x", 1, 1, 80, "key"},
		{"a URL", "a: http://x:80/y", 4, 1, 80, "http://x:80/y"},
		{"in flow", "{a: b, c: d}", 5, 1, 80, "b"},
		{"far right", strings.Repeat("x ", 100) + "here " + strings.Repeat("y ", 100), 201, 1, 40, "here"},
		{"within a part of a line", strings.Repeat("x ", 50) + "here", 1101, 1001, 40, "here"},
		{"past the end", "a:", 9, 1, 80, ""},
	} {
		f := lint.Finding{Text: c.text, Column: c.column, Begin: c.beg}
		text, at, length := quoted(f, c.width)
		cells := cellsOf(text)
		got := strings.TrimSpace(strings.Join(cells[min(at, len(cells)):min(at+length, len(cells))], ""))
		if got != c.want {
			t.Errorf("%s: the caret is under %q of %q, want %q", c.name, got, text, c.want)
		}
		if len(cells) > c.width {
			t.Errorf("%s: %d columns in a width of %d", c.name, len(cells), c.width)
		}
	}
}

// cellsOf are the columns of a text; the second one of a wide character is empty.
func cellsOf(text string) []string {
	var cells []string
	for _, r := range text {
		cells = append(cells, string(r))
		if r >= 0x4e00 && r <= 0x9fff {
			cells = append(cells, "")
		}
	}
	return cells
}

// TestSARIFIsWhatServicesRead holds what code scanning asks of a log: each result names
// a rule by the index of its description, places count from 1, URIs are relative.
func TestSARIFIsWhatServicesRead(t *testing.T) {
	var b bytes.Buffer
	if err := LintSARIF(&b, lintResult(), "1.2.3"); err != nil {
		t.Fatal(err)
	}
	var log struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Rules []struct{ ID string }
				}
			}
			Results []struct {
				RuleID    string
				RuleIndex int
				Kind      string
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, StartColumn int }
					}
				}
				PartialFingerprints map[string]string
				Suppressions        []struct{ Kind, Justification string }
			}
		}
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) != 5 {
		t.Fatalf("version %s, %d runs", log.Version, len(log.Runs))
	}
	prints, suppressed := map[string]bool{}, 0
	for _, r := range log.Runs[0].Results {
		at := r.Locations[0].PhysicalLocation
		if log.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || at.Region.StartLine < 1 || at.Region.StartColumn < 1 {
			t.Errorf("%+v", r)
		}
		if at.ArtifactLocation.URI != "deploy/with%20space.yaml" {
			t.Errorf("URI %s", at.ArtifactLocation.URI)
		}
		if (r.Kind == "fail") == (r.Level == "none") {
			t.Errorf("kind %s has level %s", r.Kind, r.Level)
		}
		prints[r.PartialFingerprints["assay/v1"]] = true
		for _, s := range r.Suppressions {
			suppressed++
			if s.Kind != "inSource" || s.Justification != "the old engine, until 2027-01-31" {
				t.Errorf("suppressed: %+v", s)
			}
		}
	}
	if len(prints) != 5 || suppressed != 1 {
		t.Errorf("%d fingerprints, %d suppressed", len(prints), suppressed)
	}
}

func TestJUnitCounts(t *testing.T) {
	var b bytes.Buffer
	if err := LintJUnit(&b, lintResult(), lint.Warning); err != nil {
		t.Fatal(err)
	}
	var got junitSuites
	if err := xml.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Tests != 5 || got.Failures != 2 || got.Skipped != 3 || len(got.Suites) != 1 || len(got.Suites[0].Cases) != 5 {
		t.Errorf("%+v", got)
	}
	b.Reset()
	if err := LintJUnit(&b, lint.Result{Objects: 3, Files: 1}, lint.Warning); err != nil || !strings.Contains(b.String(), `tests="1" failures="0"`) {
		t.Errorf("a run without findings: %v %s", err, b.String())
	}
}

// TestLintTextFills: lines of a message after the first are as long as the width lets them.
func TestLintTextFills(t *testing.T) {
	message := strings.TrimSpace(strings.Repeat("word ", 60))
	res := lint.Result{Findings: []lint.Finding{{ID: "a-rule-with-a-long-name", Severity: lint.Error, Status: lint.Fail, Message: message}, {ID: "silent", Severity: lint.Error, Status: lint.Fail}}}
	lines := strings.Split(written(t, func(w io.Writer) error { return LintText(w, res, TextOptions{Width: 60}) }), "\n")
	if got, want := lines[1], "    word"+strings.Repeat(" word", 10); got != want {
		t.Errorf("second line %q, want %q", got, want)
	}
	if got := strings.Count(strings.Join(lines, " "), "word"); got != 60 {
		t.Errorf("%d words of 60", got)
	}
}

func TestLintFixedShowsNoSecret(t *testing.T) {
	var out strings.Builder
	LintFixed(&out, []lint.Fixed{{File: "a.yaml", Findings: 1, Before: []byte("a: 1\n  password: \"correct horse 4711\nb: 1\n"), After: []byte("a: 2\n  password: \"correct horse 4711\nb: 1\n")}})
	if got := out.String(); strings.Contains(got, "4711") || !strings.Contains(got, "+a: 2\n") || !strings.Contains(got, "   password: [hidden]\n b: 1\n") {
		t.Error(got)
	}
}
