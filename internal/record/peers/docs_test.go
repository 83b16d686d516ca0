package peers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tools in the order of the documentation.
var tools = []string{VLLM, SGLang, AIPerf, GuideLLM, InferencePerf, LLMD}

// TestDocsHoldTheDefinitions keeps the table of docs/formats.md as the code has
// it.
func TestDocsHoldTheDefinitions(t *testing.T) {
	const file = "../../../docs/formats.md"
	const from, to = "-run Docs -update -->\n", "<!-- end -->"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(b), from)
	_, tail, ok2 := strings.Cut(rest, to)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	want := head + from + definitionTable() + to + tail
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, string(b)); d != "" {
		t.Errorf("%s is not as the code has it; run this test with -update (-want +got):\n%s", file, d)
	}
}

func definitionTable() string {
	var b strings.Builder
	b.WriteString("| tool | metric | there | theirs | aggregates | requests | what differs | read in |\n|---|---|---|---|---|---|---|---|\n")
	for _, tool := range tools {
		for _, r := range relations[tool] {
			why := r.aggregates.why
			if r.requests.why != "" && r.requests.why != why && r.requests.why != fromLines {
				why += "; with requests: " + r.requests.why
			}
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s | %s |\n", tool, strings.ToUpper(r.metric), code(r.field), r.theirs, r.aggregates.comparable, r.requests.comparable, why, code(r.source))
		}
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return "–"
	}
	return "`" + s + "`"
}

// TestEveryToolHasItsDefinitions demands one for each metric that a reader of
// its files fills, with a reason wherever a figure must not be compared.
func TestEveryToolHasItsDefinitions(t *testing.T) {
	for _, tool := range tools {
		have := map[string]bool{}
		for _, r := range relations[tool] {
			have[r.metric] = true
			if ours[r.metric] == "" {
				t.Errorf("%s: %s has no definition of ours", tool, r.metric)
			}
			for _, j := range []judgement{r.aggregates, r.requests} {
				if j.comparable == "different" && j.why == "" {
					t.Errorf("%s: %s is different for no reason", tool, r.metric)
				}
			}
		}
		for _, m := range []string{ttft, itl, icl, e2e, throughput} {
			if !have[m] {
				t.Errorf("%s: nothing is said of %s", tool, m)
			}
		}
	}
}
