package rules

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/source"
)

// made are cases that no file can hold: what makes the fault in a folder beside a
// manifest that is right, and the file that the finding names.
var made = map[string]struct {
	in   string
	line int
	do   func(dir string) error
}{
	"unreadable-file": {"gone.yaml", 1, func(dir string) error {
		return os.Symlink(filepath.Join(dir, "nowhere"), filepath.Join(dir, "gone.yaml"))
	}},
	"binary-file": {"b.yaml", 2, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "b.yaml"), []byte("a: b\n\x00\x01\x02"), 0o600)
	}},
	"dockerfile-too-large": {"Dockerfile", 1, func(dir string) error {
		return os.WriteFile(filepath.Join(dir, "Dockerfile"), bytes.Repeat([]byte("# nothing\n"), 1<<17), 0o600)
	}},
	"symlink-loop": {"loop", 1, func(dir string) error { return os.Symlink(".", filepath.Join(dir, "loop")) }},
	"symlink-outside": {"up", 1, func(dir string) error {
		return os.Symlink(filepath.Dir(dir), filepath.Join(dir, "up"))
	}},
	"folder-too-deep": {"d/d/d/d/d/d/d/d", 1, func(dir string) error {
		return os.MkdirAll(filepath.Join(dir, strings.Repeat("d/", 70)), 0o700)
	}},
}

// placed are rules whose cases mean something by their name and their place alone.
var placed = map[string]string{
	"kustomize-remote": "kustomization.yaml",
	"kustomize-build":  "kustomization.yaml",
	"helm-dependency":  "Chart.yaml",
}

// elsewhere are rules about other programs, with the tests that make them fail there.
var elsewhere = map[string][]string{
	"helm-missing":   {"../source/helm_test.go", "TestChartWithoutHelm"},
	"helm-template":  {"../source/helm_test.go", "TestChartThatFails"},
	"cluster-unread": {"../../cluster/objects_test.go", "TestObjectsAreManifests"},
}

// TestElsewhere says that such a test is there and speaks of the rule.
func TestElsewhere(t *testing.T) {
	for id, at := range elsewhere {
		body, err := os.ReadFile(at[0])
		if err != nil {
			t.Fatal(err)
		}
		_, test, _ := strings.Cut(string(body), "func "+at[1]+"(")
		if test, _, _ = strings.Cut(test, "\n}\n"); !strings.Contains(test, id) {
			t.Errorf("%s of %s does not speak of %s", at[1], at[0], id)
		}
	}
}

// helmThatCopies is a helm whose templates are literal.
const helmThatCopies = `#!/bin/sh
for f in "$3"/templates/*.yaml; do
	echo "---"
	echo "# Source: web/templates/${f##*/}"
	cat "$f"
done
`

// beside is what lies in the folder of a case that is placed.
var beside = map[string]string{
	"templates/limits.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: limits\n",
	"limits.yaml":           "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: limits\ndata:\n  most: \"4\"\n",
}

// TestPlaced holds such rules against their two cases, in a folder.
func TestPlaced(t *testing.T) {
	for id, name := range placed {
		t.Run(id, func(t *testing.T) {
			if got := findPlaced(t, id, "fail", name); got == 0 {
				t.Errorf("the failing case does not expect %s", id)
			}
			if got := findPlaced(t, id, "pass", name); got != 0 {
				t.Error("the passing case expects findings")
			}
		})
	}
}

// findPlaced lints a case in a folder and says how many lines of it expect the rule.
func findPlaced(t *testing.T, id, which, name string) (expected int) {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("cases", id+"."+which+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "helm"), []byte(helmThatCopies), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	files := maps.Clone(beside)
	files[name] = string(body)
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	res, err := lint.Run(t.Context(), source.Read(t.Context(), []string{dir}, source.Options{}), lint.Options{Rules: All()})
	if err != nil {
		t.Fatal(err)
	}
	var wants, got []string
	for i, line := range strings.Split(string(body), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			expected++
			wants = append(wants, fmt.Sprintf("%s:%d %s", name, i+1, strings.TrimSpace(m[1])))
		}
	}
	for _, f := range res.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s", strings.TrimPrefix(f.File, dir+"/"), f.Line, f.ID))
	}
	if d := cmp.Diff(wants, got); d != "" {
		t.Errorf("%s.%s (-want +got):\n%s", id, which, d)
	}
	if res.Objects == 0 && name != "Chart.yaml" {
		t.Error("no object was read")
	}
	return expected
}

// TestMade holds the rules about reading against folders that differ in the fault alone.
func TestMade(t *testing.T) {
	for id, m := range made {
		t.Run(id, func(t *testing.T) {
			if !slices.ContainsFunc(All(), func(r *lint.Rule) bool { return r.ID == id }) {
				t.Fatal("no rule explains it")
			}
			dir := filepath.Join(t.TempDir(), "manifests")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "z.yaml"), []byte("kind: ConfigMap\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if files, problems := readFolder(t, dir); files != 1 || len(problems) > 0 {
				t.Errorf("without the fault: %d files, %v", files, problems)
			}
			if err := m.do(dir); err != nil {
				t.Fatal(err)
			}
			files, problems := readFolder(t, dir)
			if files != 1 {
				t.Errorf("%d files were read beside the fault, want 1", files)
			}
			if len(problems) != 1 || problems[0].ID != id || !strings.HasPrefix(problems[0].Place.File, filepath.Join(dir, m.in)) || problems[0].Place.Line != m.line {
				t.Errorf("with it: %+v", problems)
			}
		})
	}
}

// readFolder is how many files are read of a folder, and what cannot be.
func readFolder(t *testing.T, dir string) (files int, problems []source.Problem) {
	t.Helper()
	for f, more := range source.Read(t.Context(), []string{dir}, source.Options{}) {
		if f != nil {
			files++
		}
		problems = append(problems, more...)
	}
	return files, problems
}
