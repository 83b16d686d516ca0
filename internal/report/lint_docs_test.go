package report

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	diff "github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/rules"
)

// docs/rules.md is made from the rules and their cases, so that it says what lint does.
func TestRulesPageOfTheDocs(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "rules.md")
	got := rulesDocs(rules.All())
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := diff.Diff(string(want), string(got)); d != "" {
		t.Errorf("docs/rules.md (-want +got; go test ./internal/report -run RulesPage -update writes it):\n%s", d)
	}
}

func rulesDocs(all []*lint.Rule) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Rules of lint

The %d rules that `+"`assay lint`"+` holds manifests against; [lint.md](lint.md) says how it is
run and how a finding is left out. Made from `+"`internal/lint/rules`"+` and the cases there;
`+"`assay explain RULE`"+` says the same.

An **error** does not work or loses work, a **warning** costs money or risks the service,
**info** is worth knowing. In examples a line with `+"`-`"+` is found, one with `+"`+`"+` is right, and
what stands around it is the same in both. What a rule cannot see is `+"`unknown`"+`, never a
failure. Those marked *--fix* are mended where that is mechanical.

`, len(all))
	var subjects []lint.Subject
	of := map[lint.Subject][]*lint.Rule{}
	for _, r := range all {
		if of[r.Subject] == nil {
			subjects = append(subjects, r.Subject)
		}
		of[r.Subject] = append(of[r.Subject], r)
	}
	slices.SortStableFunc(subjects, func(x, y lint.Subject) int {
		return cmp.Compare(slices.Index(lint.Subjects, x), slices.Index(lint.Subjects, y))
	})
	b.WriteString("| subject | rules |\n|---|---|\n")
	for _, s := range subjects {
		var links []string
		for _, r := range of[s] {
			links = append(links, "["+r.ID+"](#"+r.ID+")")
		}
		fmt.Fprintf(&b, "| %s | %s |\n", s, strings.Join(links, ", "))
	}
	for _, s := range subjects {
		fmt.Fprintf(&b, "\n## %s\n", strings.ToUpper(string(s[:1]))+string(s[1:]))
		for _, r := range of[s] {
			ruleDocs(&b, r)
		}
	}
	return b.Bytes()
}

// sentenceOf ends a text, and leaves its beginning: it may be a command.
func sentenceOf(s string) string { return strings.TrimSuffix(s, ".") + "." }

func ruleDocs(b *bytes.Buffer, r *lint.Rule) {
	fixable := ""
	if r.Fixable {
		fixable = ", *--fix*"
	}
	fmt.Fprintf(b, "\n### %s\n\n**%s** (%s%s). %s\n\nFix: %s\n", r.ID, whole(r.Title), r.Severity, fixable, whole(sentenceOf(r.Why)), whole(sentenceOf(r.Fix)))
	if example := rules.Example(r.ID); example != "" {
		fmt.Fprintf(b, "\n```diff\n%s```\n", example)
	}
	var from []string
	for _, s := range r.Sources {
		link := whole(s.Title)
		if address, ours := strings.CutPrefix(s.URL, "docs/"); ours || strings.HasPrefix(s.URL, "https://") {
			link = "[" + link + "](" + address + ")"
		} else if s.URL != "" {
			link += ", " + whole(s.URL)
		}
		from = append(from, link+" ("+s.Date+")")
	}
	fmt.Fprintf(b, "\nFrom %s.\n", strings.Join(from, "; "))
}
