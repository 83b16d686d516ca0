package helm

import (
	"archive/tar"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint/source"
	"assay/test/require"
)

// needed skips a test where helm is not in PATH.
func needed(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("helm"); err != nil {
		require.Missing(t, require.Helm, "helm is not in PATH; .ci/run install builds it into .cache/bin")
	}
}

// chart writes a chart named web, of these files beside its Chart.yaml.
func chart(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(dir, "web")
	all := map[string]string{"Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n"}
	for name, body := range files {
		all[name] = body
	}
	for name, body := range all {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read reads a chart; problems come without the folder that it lies in.
func read(t *testing.T, path string, values ...string) (files []*source.File, problems []string) {
	t.Helper()
	for f, more := range source.Read(t.Context(), []string{path}, source.Options{Values: values}) {
		if f != nil {
			files = append(files, f)
		}
		for _, p := range more {
			status := " fail "
			if p.Unknown {
				status = " unknown "
			}
			problems = append(problems, strings.ReplaceAll(p.ID+status+p.Place.String()+" "+p.Message, filepath.Dir(path)+"/", ""))
		}
	}
	return files, problems
}

func templates() map[string]string {
	return map[string]string{
		"values.yaml":          "replicas: 3\nnames: [a, b]\n",
		"templates/_help.tpl":  "{{- define \"web.pod\" -}}\ncontainers:\n  - name: web\n    image: {{ .Values.image | default \"web:1\" }}\n    imagePullPolicy: Always\n{{- end }}\n{{- define \"web.name\" -}}\nweb\n{{- end }}\n",
		"templates/web.yaml":   "# {{ .Release.Name }}\napiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: {{ include \"web.name\" . }}\nspec:\n  replicas: {{ .Values.replicas }}\n  minReadySeconds: 7\n  template:\n    spec:\n      {{- include \"web.pod\" . | nindent 6 }}\n",
		"templates/many.yaml":  "{{- range .Values.names }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ . }}\ndata:\n  literal: \"yes\"\n{{- if eq (include \"web.name\" $) \"web\" }}\n  compared: \"yes\"\n{{- end }}\n{{- end }}\n",
		"templates/hook.yaml":  "# remark\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hook\n  annotations: {helm.sh/hook: pre-install}\n",
		"templates/NOTES.txt":  "Thanks.\n",
		"templates/empty.yaml": "{{- if .Values.never }}\nkind: Never\n{{- end }}\n",
		"more.yaml":            "replicas: 5\n",
	}
}

// TestChartLeadsBack holds that literal lines lead to their templates, through includes
// and loops, and that what values fill in leads nowhere.
func TestChartLeadsBack(t *testing.T) {
	needed(t)
	dir := chart(t, templates())
	files, problems := read(t, dir, filepath.Join(dir, "more.yaml"))
	if len(problems) > 0 || len(files) != 3 {
		t.Fatalf("%d files, %v", len(files), problems)
	}
	got := map[string]string{}
	for _, f := range files {
		// A comment may be one that leaves out findings.
		for n := range f.Lines() {
			if string(f.Line(n+1)) == "# remark" {
				p, _ := f.Origin(n+1, 1)
				got["comment"] = strings.TrimPrefix(p.String(), dir+"/")
			}
		}
		if !f.Rendered {
			t.Errorf("%s is not marked as rendered", f.Name)
		}
		for _, c := range f.Chunks() {
			doc, broken := c.Parse()
			if len(broken) > 0 {
				t.Errorf("%v", broken)
			}
			root := doc.Root
			pod := root.Get("spec", "template", "spec", "containers")
			for name, v := range map[string]source.Value{
				"name": root.Get("metadata", "name"), "replicas": root.Get("spec", "replicas"), "minReadySeconds": root.Get("spec", "minReadySeconds"),
				"literal": root.Get("data", "literal"), "compared": root.Get("data", "compared"), "hook": root.Get("metadata", "annotations", "helm.sh/hook"),
			} {
				if p, ok := f.Origin(v.Line(), v.Column()); ok {
					got[name] = strings.TrimPrefix(p.String(), dir+"/")
				}
			}
			for _, one := range pod.Items() {
				for _, name := range []string{"image", "imagePullPolicy"} {
					if p, ok := f.Origin(one.Get(name).Line(), one.Get(name).Column()); ok {
						got[name] = strings.TrimPrefix(p.String(), dir+"/")
					}
				}
			}
			if r := root.Get("spec", "replicas"); r.Exists() && r.Text() != "5" {
				t.Errorf("the values were not taken: %s replicas", r.Text())
			}
		}
	}
	want := map[string]string{
		"minReadySeconds": "templates/web.yaml:8:20", "imagePullPolicy": "templates/_help.tpl:5:22",
		"literal": "templates/many.yaml:8:12", "compared": "templates/many.yaml:10:13", "hook": "templates/hook.yaml:6:31",
		"name": "templates/hook.yaml:5:9", "comment": "templates/hook.yaml:1:1",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestChartThatFails holds faults of templates against the places that helm gives.
func TestChartThatFails(t *testing.T) {
	needed(t)
	for name, tt := range map[string]struct{ template, want string }{
		"a value of nothing":  {"a: 1\nb: {{ .Values.x.y }}\n", "helm-template fail web/templates/a.yaml:2:"},
		"a function":          {"a: 1\n{{ nothing }}\n", "helm-template fail web/templates/a.yaml:2:"},
		"an end":              {"a: 1\n{{ if true }}\n", "helm-template fail web/templates/a.yaml:"},
		"it asks":             {"a: 1\nb: {{ required \"give an image\" .Values.image }}\n", "helm-template unknown web/templates/a.yaml:2:"},
		"recursion":           {"{{ define \"x\" }}{{ include \"x\" . }}{{ end }}\na: {{ include \"x\" . }}\n", "helm-template fail web/templates/a.yaml:"},
		"memory without end":  {"a: {{ range until 2000000000 }}x{{ end }}\n", "helm-template fail web/Chart.yaml:1:1 helm renders nothing: helm broke down: "},
		"a cluster is asked":  {"a: {{ lookup \"v1\" \"Secret\" \"default\" \"x\" | toJson }}\n", ""},
		"the environment":     {"a: {{ env \"HOME\" }}\n", "helm-template fail web/templates/a.yaml:1:"},
		"a file of the disk":  {"a: {{ .Files.Get \"/etc/passwd\" }}{{ .Files.Get \"../../etc/passwd\" }}\n", ""},
		"a name is looked up": {"a: {{ getHostByName \"x.test\" | quote }}\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files, problems := read(t, chart(t, map[string]string{"templates/a.yaml": tt.template}))
			if got := strings.Join(problems, "; "); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") {
				t.Errorf("%s, want %s", got, tt.want)
			}
			for _, f := range files {
				if strings.Contains(string(f.Body), "root:") {
					t.Errorf("%s", f.Body)
				}
			}
		})
	}
}

// TestChartThatGivesNoYAML holds that its other templates are read.
func TestChartThatGivesNoYAML(t *testing.T) {
	needed(t)
	files, problems := read(t, chart(t, map[string]string{"templates/bad.yaml": "kind: X\na: {{ .Values.x }}: [\n", "templates/good.yaml": "kind: Y\n"}))
	if len(files) != 2 || len(problems) > 0 {
		t.Fatalf("%d files, %v", len(files), problems)
	}
	for _, f := range files {
		if _, broken := f.Chunks()[0].Parse(); (len(broken) > 0) != strings.HasSuffix(f.Name, "bad.yaml") {
			t.Errorf("%s: %v", f.Name, broken)
		}
	}
}

// TestChartWithPipesAndDevices holds that nothing waits for what never ends.
func TestChartWithPipesAndDevices(t *testing.T) {
	needed(t)
	for name, do := range map[string]func(at string) error{
		"a pipe":              func(at string) error { return syscall.Mkfifo(at, 0o600) },
		"a device":            func(at string) error { return os.Symlink("/dev/zero", at) },
		"a link to itself":    func(at string) error { return os.Symlink(at, at) },
		"a link to the chart": func(at string) error { return os.Symlink("..", at) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := chart(t, map[string]string{"templates/a.yaml": "kind: X\n"})
			if err := do(filepath.Join(dir, "templates", "b.yaml")); err != nil {
				t.Fatal(err)
			}
			files, problems := read(t, dir)
			if len(files)+len(problems) == 0 {
				t.Error("neither a file nor a problem")
			}
			t.Logf("%d files, %v", len(files), problems)
		})
	}
}

// TestArchive reads a packed chart, and writes nothing where one leads out of its folder.
func TestArchive(t *testing.T) {
	needed(t)
	for name, tt := range map[string]struct {
		file, want string
		files      int
	}{
		"well made":  {"web/templates/a.yaml", "", 1},
		"leads out":  {"web/../../evil.yaml", "helm-template fail web.tgz:1:1 ", 0},
		"above all":  {"../evil.yaml", "", 0}, // helm takes the first part for the chart's name
		"from root":  {"/evil.yaml", "", 0},
		"not packed": {"", "helm-template fail web.tgz:1:1 ", 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "a", "b")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, "web.tgz")
			pack(t, path, tt.file)
			files, problems := read(t, path)
			if got := strings.Join(problems, "; "); !strings.HasPrefix(got, tt.want) || (got == "") != (tt.want == "") || len(files) != tt.files {
				t.Errorf("%d files, %s, want %s", len(files), got, tt.want)
			}
			for up := dir; up != filepath.Dir(up); up = filepath.Dir(up) {
				if _, err := os.Stat(filepath.Join(up, "evil.yaml")); err == nil {
					t.Errorf("evil.yaml was written to %s", up)
				}
			}
		})
	}
}

// pack writes a chart of one template under any name; without a name it packs nothing.
func pack(t *testing.T, path, name string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if name == "" {
		return
	}
	gz := gzip.NewWriter(f)
	defer gz.Close()
	w := tar.NewWriter(gz)
	defer w.Close()
	for _, file := range []struct{ name, body string }{{"web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n"}, {name, "kind: X\n"}} {
		if err := w.WriteHeader(&tar.Header{Name: file.name, Size: int64(len(file.body)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(file.body)); err != nil {
			t.Fatal(err)
		}
	}
}
