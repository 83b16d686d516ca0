package diagnose

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the generated parts of docs/diagnosis.md")

const page = "../../docs/diagnosis.md"

// section compares the part of the page between a name's marks with what the code
// says now, or writes it with -update.
func section(t *testing.T, name, want string) {
	t.Helper()
	b, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	text := string(b)
	_, rest, ok := strings.Cut(text, "<!-- "+name+":")
	mark, rest, ok2 := strings.Cut(rest, "-->\n")
	got, after, ok3 := strings.Cut(rest, "<!-- /"+name+" -->")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("%s has no marks for %s", page, name)
	}
	if *update {
		before, _, _ := strings.Cut(text, "<!-- "+name+":")
		text = before + "<!-- " + name + ":" + mark + "-->\n" + want + "<!-- /" + name + " -->" + after
		if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := cmp.Diff(got, want); d != "" {
		t.Errorf("%s, %s: -page +code (go test ./internal/diagnose -run '%s' -update writes it):\n%s", page, name, t.Name(), d)
	}
}

func TestDocsOfClasses(t *testing.T) {
	var b strings.Builder
	for _, c := range Classes {
		fmt.Fprintf(&b, "\n### %s (`%s`)\n\n%s\n", c.Title, c.Verdict, c.Meaning)
		list(&b, "What shows it:", c.Signs)
		list(&b, "What is mistaken for it, or hides it:", c.Traps)
		b.WriteString("\n| what to do | flag | does it help | what it costs |\n|---|---|---|---|\n")
		for _, r := range c.Remedies {
			flag := ""
			if r.Flag != "" {
				flag = "`" + r.Flag + "`"
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Text, flag, r.Helps, r.Cost)
		}
	}
	section(t, "classes", b.String()+"\n")
}

func list(b *strings.Builder, title string, items []string) {
	fmt.Fprintf(b, "\n%s\n", title)
	for _, item := range items {
		fmt.Fprintf(b, "- %s\n", item)
	}
}

func TestDocsOfThresholds(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| name | value | unit | meaning | source |\n|---|---|---|---|---|\n")
	for _, o := range DefaultThresholds() {
		fmt.Fprintf(&b, "| `%s` | %g | %s | %s | %s |\n", o.Name, o.Value, o.Unit, o.Meaning, o.Source)
	}
	section(t, "thresholds", b.String()+"\n")
}
