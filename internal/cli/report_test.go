package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/record"
)

// runDir is a folder with a finished run of no level.
func runDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	end := time.Date(2026, 11, 30, 9, 1, 0, 0, time.UTC)
	run := &record.Run{Schema: record.Schema, Start: end.Add(-time.Minute), End: &end, Spec: json.RawMessage(`{}`), Complete: true}
	if err := record.SaveRun(dir, run); err != nil {
		t.Fatal(err)
	}
	return dir
}

// assay runs a command line in this process, before a terminal where width is
// not 0.
func assay(width int, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Main(&Env{Args: args, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }, StdoutWidth: width})
	return code, out.String(), errs.String()
}

func TestReportReplacesAFileOnlyByAWholeReport(t *testing.T) {
	broken := runDir(t)
	write(t, filepath.Join(broken, record.RequestsFile), "nonsense\n")
	for name, args := range map[string][]string{
		"an unknown form":     {"report", runDir(t), "-o", "pdf"},
		"a form before a run": {"report", t.TempDir(), "-o", "pdf"},
		"no run":              {"report", t.TempDir()},
		"broken lines":        {"report", broken, "-o", "html"},
	} {
		out := filepath.Join(t.TempDir(), "out")
		write(t, out, "precious")
		if code, _, stderr := assay(0, append(args, "--out", out)...); code != exitUsage || stderr == "" {
			t.Errorf("%s: exit %d, %q; want %d and why", name, code, stderr, exitUsage)
		}
		if got := read(t, out); got != "precious" {
			t.Errorf("%s: the file now holds %q", name, got)
		}
	}

	out := filepath.Join(t.TempDir(), "out")
	write(t, out, "old")
	if code, _, stderr := assay(80, "report", runDir(t), "--out", out); code != exitOK {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	if got := read(t, out); !strings.Contains(got, "No level") || strings.Contains(got, "\x1b") {
		t.Errorf("the file holds %q, want the report without a terminal's colours", got)
	}
}

func TestReportSaysInEveryFormThatLinesAreBroken(t *testing.T) {
	for _, file := range []string{record.RequestsFile, record.MetricsFile, record.ClientFile} {
		dir := runDir(t)
		write(t, filepath.Join(dir, file), "{}\nnonsense\n")
		for _, form := range []string{"text", "json", "markdown", "html"} {
			code, stdout, stderr := assay(0, "report", dir, "-o", form)
			if code != exitUsage || stdout != "" || !strings.Contains(stderr, file+":2") {
				t.Errorf("%s as %s: exit %d, stdout %q, stderr %q; want its line named", file, form, code, stdout, stderr)
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
