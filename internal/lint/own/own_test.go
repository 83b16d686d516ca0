package own_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/own"
	"assay/internal/lint/source"
)

var want = regexp.MustCompile(`# want (\S+ \S+)`)

func TestRulesOverObjects(t *testing.T) {
	rules, err := own.Read(filepath.Join("testdata", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	body, err := os.ReadFile(filepath.Join("testdata", "objects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for i, line := range strings.Split(string(body), "\n") {
		if m := want.FindStringSubmatch(line); m != nil {
			wanted = append(wanted, fmt.Sprintf("%d %s", i+1, m[1]))
		}
	}
	var got []string
	messages := map[string]string{}
	for _, f := range lint.Files([]*source.File{{Name: "objects.yaml", Body: body}}, lint.Options{Rules: rules}).Findings {
		got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Status, f.ID))
		messages[fmt.Sprintf("%d %s", f.Line, f.ID)] = f.Message
	}
	slices.Sort(wanted)
	slices.Sort(got)
	if d := cmp.Diff(wanted, got); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
	for at, message := range map[string]string{
		"3 team-label":    "no label says which team answers for it",
		"15 own-registry": "the image docker.io/b:1 is not of registry.example",
		"13 memory":       `not so: self == null || quantity(self).compareTo(quantity("64Gi")) <…`,
	} {
		if messages[at] != message {
			t.Errorf("%s says %q, want %q", at, messages[at], message)
		}
	}
}

func TestRuleSaysWhatItsFileSays(t *testing.T) {
	rules, err := own.Read(filepath.Join("testdata", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	r := rules[0]
	got := []string{r.ID, string(r.Severity), string(r.Subject), r.Title, r.Why, r.Fix, r.Source()}
	want := []string{"team-label", "error", "own rules", "A workload belongs to no team", "Whoever is on call cannot ask anybody.", "Add the label team.", "Handbook: https://handbook.example/labels"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if rules[1].Severity != lint.Warning || rules[3].Kinds != nil {
		t.Errorf("defaults: %s, %v", rules[1].Severity, rules[3].Kinds)
	}
}

// Each mistake has its place.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "f.yaml: holds no rules"},
		{"- a", "f.yaml:1:1: want a mapping"},
		{"rules: 5", "f.yaml:1:8: rules must be a list"},
		{"rule: []", `f.yaml:1:1: no key is called "rule", nearest: rules`},
		{"rules:\n  - id: A b\n    expr: 'true'", "f.yaml:2:9: a rule needs an id"},
		{"rules:\n  - id: a", "f.yaml:2:5: a rule needs an expr"},
		{"rules:\n  - {id: a, expr: 'true'}\n  - {id: a, expr: 'true'}", "f.yaml:3:10: there is a rule a already"},
		{"rules:\n  - {id: taken, expr: 'true'}", "f.yaml:2:10: there is a rule taken already"},
		{"rules:\n  - {id: a, expr: 'true', severity: high}", `f.yaml:2:37: "high" is no severity`},
		{"rules:\n  - {id: a, expr: 'true', kind: [Pod]}", `f.yaml:2:27: no key is called "kind", nearest: kinds`},
		{"rules:\n  - {id: a, expr: 'true', kinds: Pod}", "f.yaml:2:34: kinds must be a list"},
		{"rules:\n  - {id: a, expr: object.metadata.name}\n", ""},
		{"rules:\n  - {id: a, expr: size(object.kind)}\n", "f.yaml:2:19: expr must give bool, not int"},
		{"rules:\n  - id: a\n    expr: objct.kind == 'a'", "f.yaml:3:11: expr: undeclared reference to 'objct'"},
		{"rules:\n  - id: a\n    expr: \"1 +\"", "f.yaml:3:15: expr: Syntax error"},
		{"rules:\n  - id: a\n    expr: |\n      true &&\n      objct.kind == 'a'", "f.yaml:5:7: expr: undeclared reference"},
		{"rules:\n  - id: a\n    expr: >-\n      true &&\n      objct.kind == 'a'", "f.yaml:5:7: expr: undeclared reference"},
		{"rules:\n  - id: a\n    expr: true &&\n      objct.kind == 'a'", "f.yaml:4:7: expr: undeclared reference"},
		{"rules:\n  - id: a\n    expr: '''x'' == objct.kind'", "f.yaml:3:21: expr: undeclared reference"},
		{"rules:\n  - id: a\n    expr: \"\\\"x\\\" == objct.kind\"", "f.yaml:3:21: expr: undeclared reference"},
		{"rules:\n  - id: a\n    expr: |\n      true &&\n\n", "f.yaml:4:14: expr: Syntax error"},
		{"rules:\n  - {id: a, expr: 'true', path: 'spec.'}", "f.yaml:2:33: path is \"spec.\""},
		{"rules:\n  - {id: a, expr: 'true', path: spec..a}", "f.yaml:2:33: path is \"spec..a\""},
		{"rules:\n  - {id: a, expr: 'true', path: 'spec.a[*'}", "f.yaml:2:33: path is"},
		{"rules:\n  - {id: a, expr: 'true', messageExpr: '5'}", "f.yaml:2:40: messageExpr must give string, not int"},
		{"rules:\n  - {id: a, expr: 'true', title: [a]}", "f.yaml:2:34: title must be text"},
		{"rules:\n\t- a", "f.yaml:2:"},
		{"rules:\n  - {id: a, expr: " + strings.Repeat("(", 5000) + "}", "f.yaml:2:"},
		{"rules:\n  - {id: a, expr: \"" + strings.Repeat("x", 20_000) + "\"}", "expr is longer than 16 KiB"},
	} {
		_, err := own.Parse("f.yaml", []byte(c.text), &lint.Rule{ID: "taken"})
		if c.want == "" {
			if err != nil {
				t.Errorf("%s\n%v", c.text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s\ngot  %v\nwant %s", c.text, err, c.want)
		}
	}
}

func TestReadNamesWhatItCannotOpen(t *testing.T) {
	if _, err := own.Read(filepath.Join("testdata", "none.yaml")); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("%v", err)
	}
}

// A message made of a secret does not show it.
func TestSecretsStayHidden(t *testing.T) {
	rules, err := own.Parse("f.yaml", []byte("rules:\n  - {id: a, path: 'data[*]', expr: self == 'x', messageExpr: '\"it is \" + self'}\n  - {id: b, expr: object.data.token}"))
	if err != nil {
		t.Fatal(err)
	}
	object := &source.File{Name: "o", Body: []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {token: c2VjcmV0c2VjcmV0}\n")}
	found := lint.Files([]*source.File{object}, lint.Options{Rules: rules}).Findings
	if text := fmt.Sprintf("%+v", found); len(found) != 2 || strings.Contains(text, "c2VjcmV0") {
		t.Error(text)
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"rules.yaml", "objects.yaml"} {
		body, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	object := &source.File{Name: "o", Body: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: b}\n")}
	f.Fuzz(func(t *testing.T, body []byte) {
		rules, err := own.Parse("f.yaml", body)
		if err != nil {
			return
		}
		for _, r := range rules {
			if r.ID == "" || r.Object == nil {
				t.Fatalf("a rule that is none: %+v", r)
			}
		}
		_, _ = lint.Run(t.Context(), func(yield func(*source.File, []source.Problem) bool) { yield(object, nil) }, lint.Options{Rules: rules})
	})
}
