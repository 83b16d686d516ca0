package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chartFiles are a chart of a template and a helper.
func chartFiles() map[string]string {
	return map[string]string{
		"web/Chart.yaml":           "apiVersion: v2\nname: web\nversion: 1.0.0\n",
		"web/values.yaml":          "replicas: 3\nnames: [a, b]\n",
		"web/templates/_help.tpl":  "{{- define \"web.pod\" -}}\ncontainers:\n  - name: web\n    image: {{ .Values.image | default \"web:1\" }}\n    imagePullPolicy: Always\n{{- end }}\n{{- define \"web.name\" -}}\nweb\n{{- end }}\n",
		"web/templates/web.yaml":   "# {{ .Release.Name }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ include \"web.name\" . }}\nspec:\n  replicas: {{ .Values.replicas }}\n  minReadySeconds: 7\n  template:\n    spec:\n      {{- include \"web.pod\" . | nindent 6 }}\n",
		"web/templates/many.yaml":  "{{- range .Values.names }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ . }}\ndata:\n  literal: \"yes\"\n{{- if eq (include \"web.name\" $) \"web\" }}\n  compared: \"yes\"\n{{- end }}\n{{- end }}\n",
		"web/templates/NOTES.txt":  "Thanks.\n",
		"web/templates/empty.yaml": "{{- if .Values.never }}\nkind: Never\n{{- end }}\n",
	}
}

// helm puts a helm into PATH: what a shell script does.
func helm(t *testing.T, script string) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "helm"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}

// copies is a helm that takes a line without {{ as it stands, and leaves others out.
const copies = `for f in "$3"/templates/*.yaml; do echo "---"; echo "# Source: web/templates/${f##*/}"; grep -v '{{' "$f"; done`

func TestChartLeadsBackToItsTemplates(t *testing.T) {
	helm(t, copies)
	dir := write(t, chartFiles())
	files, names, problems := readAllOf(t, dir, dir)
	if d := cmp.Diff([]string{"web/templates/empty.yaml", "web/templates/many.yaml", "web/templates/web.yaml"}, names); d != "" || len(problems) > 0 {
		t.Fatalf("%s %v", d, problems)
	}
	want := map[string]string{"minReadySeconds": "web/templates/web.yaml:8:20", "literal": "web/templates/many.yaml:8:12", "compared": "web/templates/many.yaml:10:13"}
	if d := cmp.Diff(want, origins(files, dir)); d != "" {
		t.Error(d)
	}
}

// origins is where some values of a chart lead to; those that lead nowhere are left out.
func origins(files []*File, dir string) map[string]string {
	got := map[string]string{}
	for _, f := range files {
		for _, c := range f.Chunks() {
			doc, _ := c.Parse()
			pod := Value{}
			if all := doc.Root.Get("spec", "template", "spec", "containers").Items(); len(all) > 0 {
				pod = all[0]
			}
			for name, v := range map[string]Value{
				"minReadySeconds": doc.Root.Get("spec", "minReadySeconds"), "replicas": doc.Root.Get("spec", "replicas"),
				"literal": doc.Root.Get("data", "literal"), "compared": doc.Root.Get("data", "compared"),
				"image": pod.Get("image"), "imagePullPolicy": pod.Get("imagePullPolicy"), "name": doc.Root.Get("metadata", "name"),
			} {
				if p, ok := f.Origin(v.Line(), v.Column()); ok {
					got[name] = strings.TrimPrefix(p.String(), dir+"/")
					if f.Edited(p.File) == nil {
						got[name] += " without its text"
					}
				}
			}
		}
	}
	return got
}

func TestChartWithoutHelm(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := write(t, chartFiles())
	files, _, problems := readAllOf(t, dir, filepath.Join(dir, "web"))
	if d := cmp.Diff([]string{"helm-missing unknown web/Chart.yaml:1:1 the chart is rendered by helm, which is not in PATH"}, problems); d != "" || len(files) > 0 {
		t.Error(d)
	}
}

func TestChartThatFails(t *testing.T) {
	for name, tt := range map[string]struct{ says, want string }{
		"a value":   {"Error: template: web/templates/web.yaml:8:20: executing \"web/templates/web.yaml\" at <.Values.a.b>: nil pointer evaluating interface {}.b\nhelm.go:90: stack", `helm-template fail web/templates/web.yaml:8:21 helm renders nothing: template: web/templates/web.yaml:8:20: executing "web/templates/web.yaml" at <.Values.a.b>: nil pointer evaluating interface {}.b`},
		"syntax":    {"Error: parse error at (web/templates/web.yaml:9): function \"x\" not defined", `helm-template fail web/templates/web.yaml:9:1 helm renders nothing: parse error at (web/templates/web.yaml:9): function "x" not defined`},
		"it asks":   {"Error: execution error at (web/templates/web.yaml:5:9): an image is needed", `helm-template unknown web/templates/web.yaml:5:10 helm renders nothing: execution error at (web/templates/web.yaml:5:9): an image is needed`},
		"memory":    {"fatal error: out of memory\n\nruntime stack:\nx", `helm-template fail web/Chart.yaml:1:1 helm renders nothing: helm broke down: out of memory`},
		"elsewhere": {"Error: chart requires kubeVersion: >=9.9", `helm-template fail web/Chart.yaml:1:1 helm renders nothing: chart requires kubeVersion: >=9.9`},
	} {
		t.Run(name, func(t *testing.T) {
			helm(t, "cat >&2 <<'END'\nlevel=DEBUG msg=x\n"+tt.says+"\nEND\nexit 1\n")
			dir := write(t, chartFiles())
			files, _, problems := readAllOf(t, dir, dir)
			if d := cmp.Diff([]string{tt.want}, problems); d != "" || len(files) > 0 {
				t.Error(d)
			}
		})
	}
}

func TestChartIsRenderedAlone(t *testing.T) {
	t.Setenv("HELM_KUBETOKEN", "secret")
	t.Setenv("KUBECONFIG", "/secret")
	helm(t, `echo "---"; echo "# Source: web/templates/env.yaml"; env; echo "args: $*"`)
	dir := write(t, chartFiles())
	values := filepath.Join(dir, "web/values.yaml")
	var body string
	for f, problems := range Read(t.Context(), []string{filepath.Join(dir, "web")}, Options{Values: []string{values, "https://127.0.0.1:1/v.yaml"}}) {
		if f != nil {
			body = string(f.Body)
		}
		for _, p := range problems {
			if p.ID != "unreadable-file" || p.Place.File != "https://127.0.0.1:1/v.yaml" {
				t.Errorf("%+v", p)
			}
		}
	}
	if strings.Contains(body, "secret") || strings.Contains(body, "127.0.0.1") || !strings.Contains(body, "--values="+values) {
		t.Error(body)
	}
}

func TestChartOfAnotherKind(t *testing.T) {
	helm(t, "exit 1")
	dir := write(t, map[string]string{
		"lib/Chart.yaml":              "apiVersion: v2\nname: lib\ntype: library\n",
		"broken/Chart.yaml":           "apiVersion: v2\n name: lib\n",
		"deps/Chart.yaml":             "apiVersion: v2\nname: deps\ndependencies: [{name: here}, {name: packed}, {name: away}]\n",
		"deps/charts/here/Chart.yaml": "name: here\n", "deps/charts/packed-1.0.0.tgz": "",
	})
	_, _, problems := readAllOf(t, dir, dir)
	want := []string{
		"yaml-syntax fail broken/Chart.yaml:2:6 the document is no YAML: mapping values are not allowed in this context",
		"helm-dependency unknown deps/Chart.yaml:3:53 the chart takes in away, which does not lie in charts/: nothing is rendered",
	}
	if d := cmp.Diff(want, problems); d != "" {
		t.Error(d)
	}
}

func TestMarksStandAfterLiteralLines(t *testing.T) {
	body := "a: 1\n{{- /* of\n\nmany lines */}}\nb: {{ \"}}\" }}\nc: 2\r\n\n# d\n---\n{{ if\n x }}\n  e: |\n    f\n{{ end }}g"
	got := string(withMarks([]byte(body), 3))
	want := "a: 1 #\ue0003:1\ue001\n{{- /* of\n\nmany lines */}}\nb: {{ \"}}\" }}\nc: 2 #\ue0003:6\ue001\r\n\n# d #\ue0003:8\ue001\n---\n{{ if\n x }}\n  e: | #\ue0003:12\ue001\n    f #\ue0003:13\ue001\n{{ end }}g"
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestNoTemplateLeadsOutOfItsChart holds that names that a template prints as helm's own
// lead to no other file.
func TestNoTemplateLeadsOutOfItsChart(t *testing.T) {
	c := &chart{path: filepath.Join("deploy", "chart")}
	for source, want := range map[string]string{
		"demo/templates/a.yaml":  "deploy/chart/templates/a.yaml",
		"demo/../../secret.yaml": "deploy/chart",
		"demo//etc/secret.yaml":  "deploy/chart",
	} {
		if got := filepath.ToSlash(c.shown(source)); got != want {
			t.Errorf("%s is shown as %s, want %s", source, got, want)
		}
	}
}
