package train

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each key of docs/train.md's table is in the answer.
func TestDocumentedKeys(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "train.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, ok := strings.Cut(string(doc), "## The answer's keys")
	if !ok {
		t.Fatal("docs/train.md has no table of keys")
	}
	b, err := json.Marshal(planned(t, ask(t, "llama-3.1-8b", func(r *Request) { r.Budget = 1 })))
	if err != nil {
		t.Fatal(err)
	}
	var answer any
	if err := json.Unmarshal(b, &answer); err != nil {
		t.Fatal(err)
	}
	keys := 0
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, key := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[1], -1) {
			keys++
			if !has(answer, strings.Split(strings.ReplaceAll(key[1], "[]", ""), ".")) {
				t.Errorf("the answer has no %s", key[1])
			}
		}
	}
	if keys < 25 {
		t.Errorf("%d keys in the table", keys)
	}
}

func has(v any, path []string) bool {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	if len(path) == 0 {
		return true
	}
	m, ok := v.(map[string]any)
	if !ok {
		return false
	}
	next, ok := m[path[0]]
	return ok && has(next, path[1:])
}
