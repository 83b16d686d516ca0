package report

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"assay/internal/facts"
	"assay/internal/plan/coldstart"
	"assay/internal/plan/storage"
)

// planTexts are both forms of both plans.
func planTexts(t *testing.T, explain bool) (text, markdown map[string]string) {
	t.Helper()
	node, err := facts.InstanceNamed("g6e.12xlarge")
	if err != nil {
		t.Fatal(err)
	}
	place, err := storage.Plan(storage.Request{Size: 140e9, Readers: 8, LoadWithin: time.Minute, Use: storage.Weights, Instance: &node, IO2: true})
	if err != nil {
		t.Fatal(err)
	}
	start, err := coldstart.Plan(coldstart.Request{Image: 12e9, Weights: 60e9, Instance: node, SLO: 2 * time.Minute, Chosen: []coldstart.Technique{coldstart.Parallel, coldstart.Stream}})
	if err != nil {
		t.Fatal(err)
	}
	text, markdown = map[string]string{}, map[string]string{}
	for name, write := range map[string]func(*bytes.Buffer, *bytes.Buffer) error{
		"storage": func(a, b *bytes.Buffer) error {
			if err := PlanStorage(a, place, TextOptions{}, explain); err != nil {
				return err
			}
			return PlanStorageMarkdown(b, place, explain)
		},
		"coldstart": func(a, b *bytes.Buffer) error {
			if err := PlanColdStart(a, start, TextOptions{}, explain); err != nil {
				return err
			}
			return PlanColdStartMarkdown(b, start, explain)
		},
	} {
		var a, b bytes.Buffer
		if err := write(&a, &b); err != nil {
			t.Fatal(err)
		}
		text[name], markdown[name] = a.String(), b.String()
	}
	return text, markdown
}

func TestPlansFitATerminal(t *testing.T) {
	text, _ := planTexts(t, true)
	for name, s := range text {
		for _, line := range strings.Split(s, "\n") {
			if n := utf8.RuneCountInString(line); n > defaultWidth && !strings.Contains(line, "https://") {
				t.Errorf("%s: %d characters: %s", name, n, line)
			}
		}
	}
	for name, words := range map[string][]string{
		"storage":   {"S3 with Mountpoint meets the need", "overruled: a reader gets at most 2.1 GB/s of 2.33 GB/s", "s3-mountpoint", "binds first", "default loader takes 250 MB/s to 2.1 GB/s"},
		"coldstart": {"an SLO of 120 s may be met", "As chosen: soci-parallel + stream.", "if it took none", "! chosen: the disk gives 125 MiB/s", "said to save 60 to 80 %"},
	} {
		for _, w := range words {
			if !strings.Contains(text[name], w) {
				t.Errorf("%s does not say %q:\n%s", name, w, text[name])
			}
		}
	}
}

func TestPlansAreTablesInMarkdown(t *testing.T) {
	_, markdown := planTexts(t, false)
	for name, s := range markdown {
		columns, rows := 0, 0
		for _, line := range strings.Split(s, "\n") {
			if !strings.HasPrefix(line, "|") {
				columns = 0
				continue
			}
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			if columns == 0 {
				columns = n
			}
			if n != columns {
				t.Errorf("%s: a row of %d columns in a table of %d: %s", name, n-1, columns-1, line)
			}
			rows++
		}
		if rows < 10 {
			t.Errorf("%s has %d rows:\n%s", name, rows, s)
		}
	}
}
