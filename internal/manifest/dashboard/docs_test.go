package dashboard

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/telemetry"
)

// TestDocsListThePanels holds the list in docs/dashboards.md.
func TestDocsListThePanels(t *testing.T) {
	const (
		file = "../../../docs/dashboards.md"
		mark = "<!-- panels: written by `go test ./internal/manifest/dashboard -update` -->\n"
	)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, got, found := strings.Cut(string(text), mark)
	if !found {
		t.Fatalf("%s has no mark", file)
	}
	var b strings.Builder
	for _, d := range dashboards(t, Options{}) {
		describe(t, &b, d)
	}
	if *update {
		if err := os.WriteFile(file, []byte(before+mark+b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(b.String(), got); diff != "" {
		t.Errorf("%s, -want +got (-update writes it):\n%s", file, diff)
	}
}

func describe(t *testing.T, b *strings.Builder, board Dashboard) {
	fmt.Fprintf(b, "\n### %s\n\n| panel | what it says |\n|---|---|\n", board.Title)
	for _, p := range decode(t, board.JSON).Panels {
		if p.RowPanel != nil {
			fmt.Fprintf(b, "| **%s** | |\n", *p.RowPanel.Title)
			continue
		}
		means, reads, _ := strings.Cut(*p.Panel.Description, "\n\nReads ")
		fmt.Fprintf(b, "| %s%s | %s |\n", *p.Panel.Title, onDemand(reads), means)
	}
}

// onDemand marks a panel whose exporter has to be told to publish what it reads.
func onDemand(reads string) string {
	for metric := range strings.SplitSeq(strings.TrimSuffix(reads, "."), ", ") {
		if _, name, ok := telemetry.Lookup(metric); ok && name.Engine == "dcgm" && !name.Default {
			return " †"
		}
	}
	return ""
}
