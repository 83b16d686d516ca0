package rules

import (
	"embed"
	"io/fs"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"assay/internal/practice"
)

//go:embed cases
var cases embed.FS

// Example is how the two cases of a rule differ, line by line: what is found begins
// with -, what stands in its place with +, and a line … is between parts. It is empty
// for a rule whose fault no single file can hold.
func Example(id string) string {
	before, after := caseOf(id, "fail"), caseOf(id, "pass")
	if before == nil || after == nil {
		return ""
	}
	_, body, _ := strings.Cut(string(diff.Diff("", before, "", after)), "\n@@")
	var b strings.Builder
	for i, line := range strings.Split(strings.TrimSuffix("@@"+body, "\n"), "\n") {
		switch {
		case strings.HasPrefix(line, "@@") && i == 0, strings.HasPrefix(line, `\ No newline`):
		case strings.HasPrefix(line, "@@"):
			b.WriteString("…\n")
		default:
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	return practice.Veil(b.String())
}

// expectation is what a case says to the test that runs it.
var expectation = regexp.MustCompile(`[ \t]*# want [a-z0-9 -]+`)

// caseOf is a case without what it says to its test; nil where there is none.
func caseOf(id, which string) []byte {
	names, err := fs.Glob(cases, "cases/"+id+"."+which+".*")
	if err != nil || len(names) != 1 {
		return nil
	}
	body, err := cases.ReadFile(names[0])
	if err != nil {
		return nil
	}
	var b strings.Builder
	for line := range strings.Lines(string(body)) {
		if kept := expectation.ReplaceAllString(line, ""); kept != line && strings.TrimSpace(kept) == "" {
			continue
		} else {
			b.WriteString(kept)
		}
	}
	return []byte(b.String())
}
