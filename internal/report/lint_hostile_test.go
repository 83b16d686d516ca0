package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"strings"
	"testing"
	"unicode"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// hostileNames are names of files that a form could trip over.
var hostileNames = []string{
	"a\nb.yaml", "a\r\n::error::x.yaml", "50%.yaml", "a,b:c=d.yaml", "C:\\a.yaml", "x\x1b[31m.yaml", "caf\xe9.yaml", "\ufffe\uffff\x00.yaml",
	"]]>&<![CDATA[.yaml", "|`*_[a](b).yaml", "\u202egnp.yaml", " .yaml", strings.Repeat("long/", 400) + ".yaml", "mailto:x?y#z.yaml",
}

// hostileResult has a finding, one that is unknown and one suppressed, whose texts and
// objects are hostile, in each of those files.
func hostileResult() lint.Result {
	text := "kind: \"K\\e[2J\\n\\0\"\napiVersion: v1\nmetadata: {name: \"n\\n::warning::\\x85\\uFFFE]]>|\", namespace: \"%0A\"}\ndata:\n  fail: \"\\a\\b\\uFFFF %25 ]]> \\u2028\"\n  unknown: x\t# \u009b31m\n  left: x # assay:ignore demo ]]> %0A |\n"
	rule := &lint.Rule{ID: "demo", Severity: lint.Error, Subject: lint.Drain, Title: "A title", Why: "Why: 100 %, a\nline.", Fix: "Fix ]]>."}
	rule.Object = func(p *lint.Pass, o *lint.Object) {
		p.Fail(o.Get("data", "fail"), "it is %s\n::error::x", o.Get("data", "fail").Text())
		p.Unknown(o.Get("data", "unknown"), "%s", "\x00\x1b]0;x\x07\xff")
		p.Fail(o.Get("data", "left"), "left")
	}
	var files []*source.File
	for _, name := range hostileNames {
		files = append(files, &source.File{Name: name, Body: []byte(text)})
	}
	return lint.Files(files, lint.Options{Rules: []*lint.Rule{rule}})
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r != '\n' && r != '\t' && unicode.In(r, unicode.Cc, unicode.Cf) {
			t.Fatalf("%U stands in the output: %.300q", r, b.String())
		}
	}
	return b.String()
}

// A name or a text of what is linted makes no line, command or element of its own.
func TestHostileTextStaysText(t *testing.T) {
	res := hostileResult()
	n := len(hostileNames)
	if res.Summary.Fail != n || res.Summary.Unknown != n || res.Summary.Suppressed != n {
		t.Fatalf("%+v", res.Summary)
	}
	t.Run("text", func(t *testing.T) {
		got := written(t, func(w io.Writer) error { return LintText(w, res, TextOptions{}) })
		if heads := strings.Count("\n"+got, "\nerror[demo]: ") + strings.Count("\n"+got, "\nunknown[demo]: "); heads != 2*n {
			t.Errorf("%d findings are shown, want %d", heads, 2*n)
		}
	})
	t.Run("github", func(t *testing.T) {
		got := written(t, func(w io.Writer) error { return LintGitHub(w, res) })
		lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
		if len(lines) != 2*n+1 {
			t.Fatalf("%d lines for %d findings", len(lines), 2*n)
		}
		for _, line := range lines[:2*n] {
			// As the runner reads it: ::command key=value,…::message, all escapes undone.
			head, message, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
			command, properties, _ := strings.Cut(head, " ")
			if !ok || command != "error" && command != "notice" || !strings.Contains(message, "Fix") {
				t.Errorf("%q", line)
			}
			keys := map[string]string{}
			for _, p := range strings.Split(properties, ",") {
				k, v, _ := strings.Cut(p, "=")
				keys[k] = v
			}
			if len(keys) != 4 || keys["line"] == "" || keys["col"] == "" || keys["title"] == "" {
				t.Errorf("%q has properties %v", line, keys)
			}
		}
	})
	t.Run("junit", func(t *testing.T) {
		got := written(t, func(w io.Writer) error { return LintJUnit(w, res, lint.Warning) })
		var suites junitSuites
		if err := xml.Unmarshal([]byte(got), &suites); err != nil {
			t.Fatal(err)
		}
		if len(suites.Suites) != n || suites.Failures != n || suites.Skipped != 2*n {
			t.Errorf("%d suites, %d failures, %d skipped", len(suites.Suites), suites.Failures, suites.Skipped)
		}
	})
	t.Run("markdown", func(t *testing.T) {
		got := written(t, func(w io.Writer) error { return LintMarkdown(w, res) })
		rows := 0
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "| ") {
				if cells := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|"); cells != 6 {
					t.Errorf("%d bars in %q", cells, line)
				}
				rows++
			}
		}
		if rows != 2*n+1 || strings.Contains(got, "[a](b)") || strings.Contains(got, "<!") {
			t.Errorf("%d rows:\n%.2000s", rows, got)
		}
	})
	t.Run("sarif", func(t *testing.T) {
		var b bytes.Buffer
		if err := LintSARIF(&b, res, "1"); err != nil {
			t.Fatal(err)
		}
		var log sarifLog
		if err := json.Unmarshal(b.Bytes(), &log); err != nil {
			t.Fatal(err)
		}
		if len(log.Runs[0].Results) != 3*n {
			t.Fatalf("%d results", len(log.Runs[0].Results))
		}
		for i, r := range log.Runs[0].Results[:2*n] {
			uri := r.Locations[0].Physical.Artifact.URI
			u, err := url.Parse(uri)
			if err != nil || u.Scheme != "" || u.Host != "" || u.RawQuery != "" || u.Fragment != "" {
				t.Errorf("%q: %+v, %v", uri, u, err)
				continue
			}
			if got := strings.TrimPrefix(u.Path, "./"); got != res.Findings[i].File {
				t.Errorf("%q is read as %q, want %q", uri, got, res.Findings[i].File)
			}
		}
	})
}
