package manifest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/telemetry"
)

var update = flag.Bool("update", false, "write docs/alerts.md and the golden files anew")

// docs/alerts.md is made from the alerts.
func TestDocsAreTheAlerts(t *testing.T) {
	golden(t, filepath.Join("..", "..", "docs", "alerts.md"), alertsPage())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; go test ./internal/manifest -update writes it anew (-file +made):\n%s", path, diff)
	}
}

func alertsPage() string {
	var b strings.Builder
	b.WriteString("# The alerts\n\n" +
		"`assay render monitoring` writes these, see [monitoring.md](monitoring.md). This page is made\n" +
		"from the alerts themselves; `assay explain NAME` shows one of them. Severities are those\n" +
		"that kube-prometheus-stack routes: critical (somebody has to act now), warning (within\n" +
		"days), info (worth knowing).\n\n" +
		"`FB_USED` and `GPU_UTIL` are in none of them: a serving engine takes its memory when it\n" +
		"starts, and one small kernel at a time makes a GPU fully utilised.\n\n" +
		"| alert | severity | for | fires when |\n|---|---|---|---|\n")
	for _, a := range Alerts {
		hold := a.For
		if hold == "" {
			hold = "at once"
		}
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s | %s |\n", a.Name, strings.ToLower(a.Name), a.Severity, hold, plain(a.Summary))
	}
	group := ""
	for _, a := range Alerts {
		if a.Group != group {
			group = a.Group
			fmt.Fprintf(&b, "\n## %s\n", group)
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", a.Name, a.Meaning)
		for i, s := range a.Steps {
			fmt.Fprintf(&b, "%d. %s\n", i+1, s)
		}
		fmt.Fprintf(&b, "\nLevel: %s.\n", strings.TrimSuffix(a.Level, "."))
		if a.Asks != "" {
			fmt.Fprintf(&b, "It is written only with %s.\n", a.Asks)
		}
		for _, n := range a.Needs {
			_, name, _ := telemetry.Lookup(n)
			fmt.Fprintf(&b, "Needs `%s`: %s.\n", n, name.Enable)
		}
		fmt.Fprintf(&b, "\n```promql\n%s\n```\n", a.Expr)
	}
	return b.String()
}

// plain is a summary without its templates, for a table.
func plain(summary string) string {
	if _, rest, ok := strings.Cut(summary, "}}: "); ok {
		return rest
	}
	return summary
}
