package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"assay/internal/plan/train"
)

// docs/train-runs.md is written from the runs that ship with the tool.
func TestTrainRunsDocument(t *testing.T) {
	b := bytes.NewBufferString(`# Published training runs

What the efficiency of ` + "`assay plan train`" + ` is fitted on, each run predicted from the
others. Written by ` + "`go test ./internal/report -run TrainRuns -update`" + ` from
[runs.csv](../internal/plan/train/runs.csv); [train.md](train.md) says how.

`)
	if err := TrainRunsMarkdown(b, train.Validate()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "train-runs.md")
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("docs/train-runs.md (-want +got; -update writes it):\n%s", diff)
	}
}

func TestTrainRunsOfATerminal(t *testing.T) {
	v := train.Validate()
	var b bytes.Buffer
	if err := TrainRuns(&b, v, TextOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, r := range v.Runs {
		if !strings.Contains(b.String(), r.ID) {
			t.Errorf("%s is not shown", r.ID)
		}
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > defaultWidth || strings.Contains(line, "published 1,039;") {
			t.Errorf("%d columns, or not in the table: %q", n, line)
		}
	}
	if !strings.Contains(b.String(), "without experts") || !strings.Contains(b.String(), "in range") {
		t.Errorf("no summary:\n%s", b.String())
	}
}
