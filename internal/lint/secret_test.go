package lint

import (
	"context"
	"strings"
	"testing"

	"assay/internal/lint/source"
	"assay/internal/practice"
)

// TestWrittenSecretsStayHidden looks for secrets on the lines of findings where the line
// does not have them as YAML reads them.
func TestWrittenSecretsStayHidden(t *testing.T) {
	long := strings.Repeat("abcdefghijklmnopqrstuvwxyz0123456789", 30)
	for name, c := range map[string]struct{ text, point, secret string }{
		"over two lines":       {"kind: Pod\nenv:\n  - name: DB_PASSWORD\n    value: hunter2 first\n      second\n", "value", "hunter2"},
		"with escapes":         {"kind: Pod\nenv:\n  - name: DB_PASSWORD\n    value: \"hun\\x74er2\"\n", "value", "er2"},
		"in a list":            {"kind: Pod\nenv:\n  - {name: DB_PASSWORD, value: [hunter2]}\n", "value", "hunter2"},
		"longer than is shown": {"kind: Pod\nenv:\n  - {name: DB_PASSWORD, value: " + long + "}\n", "value", long[:8]},
		"cut at its end":       {"kind: Pod\nenv:\n  - {name: DB_PASSWORD, x: " + strings.Repeat("y", 300) + ", value: " + long + "}\n", "x", long[:8]},
		"nested in a Secret":   {"apiVersion: v1\nkind: Secret\nstringData:\n  a: {b: hunter2}\n", "a", "hunter2"},
		"beside a Secret's":    {"apiVersion: v1\nkind: Secret\nmetadata: {name: s}\npass: hunter2\n", "pass", "hunter2"},
		"of a Secret's type":   {"apiVersion: v1\nkind: Secret\ntype: [hunter2]\n", "type", "hunter2"},
	} {
		points := &Rule{ID: "points", Severity: Warning, Object: func(p *Pass, o *Object) {
			var walk func(v source.Value)
			walk = func(v source.Value) {
				for k, item := range v.Pairs() {
					if k.Text() == c.point {
						p.Fail(item, "there")
					}
					walk(item)
				}
				for _, item := range v.Items() {
					walk(item)
				}
			}
			walk(o.Root)
		}}
		text := c.text
		if !strings.HasPrefix(text, "apiVersion") {
			text = "apiVersion: v1\n" + text
		}
		read := source.Read(context.Background(), []string{"-"}, source.Options{Stdin: strings.NewReader(text)})
		res, err := Run(context.Background(), read, Options{Rules: []*Rule{points}})
		if err != nil || len(res.Findings) != 1 {
			t.Errorf("%s: %d findings, %v; want 1", name, len(res.Findings), err)
			continue
		}
		if got := res.Findings[0].Text; strings.Contains(got, c.secret) || !strings.Contains(got, practice.Hidden) {
			t.Errorf("%s: the line is shown as %q", name, got)
		}
	}
}
