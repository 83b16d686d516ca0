package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// run is what assay prints, run in a folder of these files.
func run(t *testing.T, files map[string]string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, body := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var out, errs bytes.Buffer
	code = Main(&Env{Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }})
	return out.String(), errs.String(), code
}

var fence = regexp.MustCompile("(?s)```(yaml|console)\n(.*?)```")

// The example of the document is what the program does.
func TestExampleOfOwnRules(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "own-rules.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := fence.FindAllStringSubmatch(string(doc), -1)
	if len(blocks) != 3 {
		t.Fatalf("the document has %d blocks", len(blocks))
	}
	command, want, _ := strings.Cut(strings.TrimPrefix(blocks[2][2], "$ assay "), "\n")
	got, stderr, code := run(t, map[string]string{"rules.yaml": blocks[0][2], "deploy.yaml": blocks[1][2]}, strings.Fields(command)...)
	if got != want || stderr != "" || code != exitNo {
		t.Errorf("exit %d %s\ngot\n%s\nwant\n%s", code, stderr, got, want)
	}
}

const (
	ownRules = "rules:\n  - {id: few, severity: error, path: spec.replicas, expr: self <= 2}\n"
	ownMap   = "apiVersion: example.com/v1\nkind: Thing\nmetadata:\n  name: a\n  annotations: {}\nspec:\n  replicas: 9\n"
)

func TestOwnRulesOfAssayYAML(t *testing.T) {
	for _, c := range []struct {
		name, config, object string
		args                 []string
		code                 int
		says                 string
	}{
		{"by the section", "lint: {rules: [rules/few.yaml]}", ownMap, nil, exitNo, "error[few]: not so: self <= 2\n --> dir/a.yaml:7:13  Thing a"},
		{"by both, once", "lint: {rules: [rules/few.yaml]}", ownMap, []string{"--rules", "rules/few.yaml"}, exitNo, "1 error in 1 object"},
		{"another severity", "lint: {rules: [rules/few.yaml], severity: {few: info}}", ownMap, nil, exitOK, "info[few]"},
		{"disabled", "lint: {rules: [rules/few.yaml], disable: [few]}", ownMap, nil, exitOK, "nothing"},
		{"ignored", "lint: {rules: [rules/few.yaml], ignore: [{rule: few, path: dir, reason: known}]}", ownMap, nil, exitOK, "1 suppressed"},
		{"by an annotation", "lint: {rules: [rules/few.yaml]}", strings.Replace(ownMap, "{}", "{assay/ignore.few: known}", 1), nil, exitOK, "1 suppressed"},
		{"by a comment", "lint: {rules: [rules/few.yaml]}", strings.Replace(ownMap, "9", "9 # assay:ignore few known", 1), nil, exitOK, "1 suppressed"},
		{"by none", "lint: {}", ownMap, nil, exitOK, "nothing"},
		{"no such file", "lint: {rules: [none.yaml]}", ownMap, nil, exitUsage, "none.yaml: no such file"},
		{"a mistake", "lint: {rules: [rules/wrong.yaml]}", ownMap, nil, exitUsage, "rules/wrong.yaml:3:23: expr: undeclared reference to 'nothing'"},
		{"a name that is taken", "lint: {rules: [rules/taken.yaml]}", ownMap, nil, exitUsage, "rules/taken.yaml:2:10: there is a rule unknown-field already"},
		{"standard input", "lint: {}", ownMap, []string{"--rules", "-"}, exitUsage, "own rules are read from files"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{
				"assay.yaml": c.config, "dir/a.yaml": c.object, "rules/few.yaml": ownRules,
				"rules/wrong.yaml": "rules:\n  - id: a\n    expr: object.a && nothing.b\n", "rules/taken.yaml": "rules:\n  - {id: unknown-field, expr: 'true'}\n",
			}
			stdout, stderr, code := run(t, files, append([]string{"lint", "dir"}, c.args...)...)
			if code != c.code || !strings.Contains(stdout+stderr, c.says) {
				t.Errorf("exit %d, want %d with %q\n%s%s", code, c.code, c.says, stdout, stderr)
			}
		})
	}
}

func TestExplainOfOwnRules(t *testing.T) {
	files := map[string]string{"few.yaml": ownRules}
	stdout, stderr, code := run(t, files, "explain", "few", "--rules", "few.yaml")
	if code != exitOK || !strings.Contains(stdout, "few.yaml wants: self <= 2") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if _, stderr, code := run(t, files, "explain", "few"); code != exitUsage {
		t.Errorf("exit %d without its file: %s", code, stderr)
	}
	if stdout, _, code := run(t, files, "explain", "knee", "--rules", "few.yaml"); code != exitOK || !strings.Contains(stdout, "knee") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
}
