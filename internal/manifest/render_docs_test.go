package manifest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestDocsHaveEachKey: docs/render.md has each key that the section render may hold,
// under the heading of its part, and no other.
func TestDocsHaveEachKey(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "render.md"))
	if err != nil {
		t.Fatal(err)
	}
	documented := keysOf(string(page))
	read := readKeys(t)
	for part, keys := range read {
		for key := range keys {
			if !documented[part][key] {
				t.Errorf("docs/render.md has no key %s under %s", key, part)
			}
		}
	}
	for part, keys := range documented {
		for key := range keys {
			if !read[part][key] {
				t.Errorf("docs/render.md has %s under %s, which assay.yaml does not take", key, part)
			}
		}
	}
}

// keysOf are the keys of the tables of keys, by the part that the heading names.
func keysOf(page string) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	part, table := "", false
	for line := range strings.Lines(page) {
		switch {
		case strings.HasPrefix(line, "## "):
			part, table = "render", false
		case strings.HasPrefix(line, "### "):
			part, table = strings.TrimSpace(strings.TrimPrefix(line, "### ")), false
		case strings.HasPrefix(line, "| key |"):
			table = true
		case !strings.HasPrefix(line, "| `"):
		case table:
			cell, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
			for i, key := range strings.Split(cell, "`") {
				if i%2 == 1 {
					if all[part] == nil {
						all[part] = map[string]bool{}
					}
					all[part][key] = true
				}
			}
		}
	}
	return all
}

// readKeys are the keys that package spec reads, by part: those of every mapping in its
// files render*.go.
func readKeys(t *testing.T) map[string]map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "spec", "render*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	all := map[string]map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		part := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(name), "render_"), ".go")
		if part == "values" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if id, named := typeName(lit); !ok || !named || id != "fields" {
				return true
			}
			for _, e := range lit.Elts {
				key, err := strconv.Unquote(e.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				if all[part] == nil {
					all[part] = map[string]bool{}
				}
				all[part][key] = true
			}
			return true
		})
	}
	return all
}

func typeName(lit *ast.CompositeLit) (string, bool) {
	if lit == nil {
		return "", false
	}
	id, ok := lit.Type.(*ast.Ident)
	if !ok {
		return "", false
	}
	return id.Name, true
}
