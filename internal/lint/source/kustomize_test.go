package source

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// write makes files in a new folder; names lead down with slashes.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range files {
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

// readAllOf reads paths; names come without the folder that they lie in.
func readAllOf(t *testing.T, dir string, paths ...string) (files []*File, names []string, problems []string) {
	t.Helper()
	short := func(name string) string { return strings.TrimPrefix(name, dir+"/") }
	for f, more := range Read(t.Context(), paths, Options{}) {
		if f != nil {
			files = append(files, f)
			names = append(names, short(f.Name))
		}
		for _, p := range more {
			status := "fail"
			if p.Unknown {
				status = "unknown"
			}
			problems = append(problems, p.ID+" "+status+" "+short(p.Place.String())+" "+strings.ReplaceAll(p.Message, dir+"/", ""))
		}
	}
	return files, names, problems
}

const deployment = `# first
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: web
          image: web:1
          args: [--port, "80"]
        - name: side
          image: side:1
`

func overlay() map[string]string {
	return map[string]string{
		"base/kustomization.yaml": "resources: [deployment.yaml]\n",
		"base/deployment.yaml":    deployment,
		"base/notes.yaml":         "a: b\n",
		"prod/kustomization.yaml": "resources: [../base]\nnamePrefix: prod-\npatches: [{path: patch.yaml}]\nimages: [{name: side, newTag: '2'}]\n",
		"prod/patch.yaml":         "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 5\n  template:\n    spec:\n      terminationGracePeriodSeconds: 7\n",
	}
}

func TestKustomizationIsBuiltAndLeadsBack(t *testing.T) {
	dir := write(t, overlay())
	files, names, problems := readAllOf(t, dir, dir)
	if d := cmp.Diff([]string{"base/notes.yaml", "prod/kustomization.yaml"}, names); d != "" || len(problems) > 0 {
		t.Fatalf("%s %v", d, problems)
	}
	f := files[1]
	if !f.Rendered {
		t.Error("the build is not marked as rendered")
	}
	doc, _ := f.Chunks()[0].Parse()
	pod := doc.Root.Get("spec", "template", "spec")
	where := map[string]Value{
		"name":        doc.Root.Get("metadata", "name"),
		"replicas":    doc.Root.Get("spec", "replicas"),
		"grace":       pod.Get("terminationGracePeriodSeconds"),
		"image":       pod.Get("containers").Items()[0].Get("image"),
		"other image": pod.Get("containers").Items()[1].Get("image"),
		"container":   pod.Get("containers").Items()[1],
		"port":        pod.Get("containers").Items()[0].Get("args").Items()[1],
	}
	got := map[string]string{}
	for name, v := range where {
		got[name] = "rendered"
		if p, ok := f.Origin(v.Line(), v.Column()); ok {
			got[name] = strings.TrimPrefix(p.String(), dir+"/")
			if !strings.HasPrefix(got[name], "base/") && !strings.HasPrefix(got[name], "prod/") || f.Edited(p.File) == nil {
				t.Errorf("%s leads to %s, whose text is not at hand", name, p)
			}
		}
	}
	want := map[string]string{
		"name": "rendered", "replicas": "prod/patch.yaml:5:13", "grace": "prod/patch.yaml:8:38",
		"image": "base/deployment.yaml:12:18", "other image": "rendered",
		"container": "base/deployment.yaml:14:11", "port": "base/deployment.yaml:13:26",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPatchInAKustomizationIsLedBackTo(t *testing.T) {
	dir := write(t, map[string]string{
		"kustomization.yaml": "resources: [deployment.yaml]\npatches:\n- patch: |-\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: web}\n    spec:\n      minReadySeconds: 9\n",
		"deployment.yaml":    deployment,
	})
	files, _, problems := readAllOf(t, dir, dir)
	if len(files) != 1 || len(problems) > 0 {
		t.Fatalf("%d files, %v", len(files), problems)
	}
	doc, _ := files[0].Chunks()[0].Parse()
	v := doc.Root.Get("spec", "minReadySeconds")
	p, _ := files[0].Origin(v.Line(), v.Column())
	if got := strings.TrimPrefix(p.String(), dir+"/"); got != "kustomization.yaml:8:24" {
		t.Error(got)
	}
}

func TestKustomizationThatOnlyListsIsReadAsItStands(t *testing.T) {
	dir := write(t, overlay())
	files, names, problems := readAllOf(t, dir, filepath.Join(dir, "base"))
	if d := cmp.Diff([]string{"base/deployment.yaml", "base/notes.yaml"}, names); d != "" || len(problems) > 0 {
		t.Fatalf("%s %v", d, problems)
	}
	if files[0].Rendered || files[0].Origin != nil {
		t.Error("a file that is read as it stands is said to be rendered")
	}
}

func TestKustomizationFetchesNothing(t *testing.T) {
	for name, tt := range map[string]struct{ kustomization, want string }{
		"a file":       {"namespace: x\nresources:\n- deployment.yaml\n- https://u:secret@127.0.0.1:1/a.yaml?token=secret&ref=v1\n", "kustomize-remote unknown k/kustomization.yaml:4:3 https://127.0.0.1:1/a.yaml?ref=v1 would be fetched: what it holds is not seen"},
		"a repository": {"resources:\n- deployment.yaml\n- github.com/a/b//c?ref=v1\n", "kustomize-remote unknown k/kustomization.yaml:3:3 github.com/a/b//c?ref=v1 would be fetched: what it holds is not seen"},
		"over SSH":     {"namespace: x\nresources:\n- deployment.yaml\n- git@127.0.0.1:a/b.git\n", "kustomize-remote unknown k/kustomization.yaml:4:3 git@127.0.0.1:a/b.git would be fetched: what it holds is not seen"},
		"a patch":      {"resources: [deployment.yaml]\npatches:\n- path: http://127.0.0.1:1/p.yaml\n", "kustomize-remote unknown k/kustomization.yaml:3:9 http://127.0.0.1:1/p.yaml would be fetched: what it holds is not seen"},
		"data":         {"resources: [deployment.yaml]\nconfigMapGenerator:\n- name: a\n  files: [x=http://127.0.0.1:1/p]\n", "kustomize-remote unknown k/kustomization.yaml:4:11 http://127.0.0.1:1/p would be fetched: what it holds is not seen"},
		"a chart":      {"resources: [deployment.yaml]\nhelmCharts:\n- name: a\n  repo: https://x.test\n", "kustomize-remote unknown k/kustomization.yaml:2:1 helmCharts would run helm and fetch a chart: what comes out is not seen"},
		"a generator":  {"resources: [deployment.yaml]\ngenerators: [gen.yaml]\n", "kustomize-remote unknown k/kustomization.yaml:2:14 gen.yaml is a plugin or takes something from elsewhere, and is not run"},
		"not there":    {"namespace: x\nresources:\n- deployment.yaml\n- gone\n", "kustomize-build fail k/kustomization.yaml:4:3 gone is not there, so that kubectl apply -k fails"},
		"within":       {"namespace: x\nresources: [deployment.yaml, ../far]\n", "kustomize-remote unknown far/kustomization.yaml:1:13 https://x.test/a would be fetched: what it holds is not seen"},
		"a field":      {"resources: [deployment.yaml]\nnamePerfix: x\n", `kustomize-build fail k/kustomization.yaml:1:1 kubectl apply -k fails: invalid Kustomization: json: unknown field "namePerfix"`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{
				"k/kustomization.yaml":   tt.kustomization,
				"k/deployment.yaml":      deployment,
				"k/gen.yaml":             "apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: a}\nfiles: [x=http://127.0.0.1:1/p]\n",
				"far/kustomization.yaml": "resources: [https://x.test/a]\n",
			})
			_, names, problems := readAllOf(t, dir, filepath.Join(dir, "k"))
			if d := cmp.Diff([]string{tt.want}, problems); d != "" {
				t.Error(d)
			}
			if !slices.Contains(names, "k/deployment.yaml") {
				t.Errorf("what stands beside it was not read: %v", names)
			}
		})
	}
}

func TestKustomizationWithABrokenFile(t *testing.T) {
	dir := write(t, map[string]string{
		"kustomization.yaml": "namespace: x\nresources: [a.yaml, deployment.yaml]\n",
		"a.yaml":             "apiVersion: v1\nkind: ConfigMap\n metadata: x\n", "deployment.yaml": deployment,
	})
	files, names, problems := readAllOf(t, dir, dir)
	if d := cmp.Diff([]string{"a.yaml", "deployment.yaml"}, names); d != "" || len(problems) > 0 {
		t.Fatalf("%s %v", d, problems)
	}
	if _, broken := files[0].Chunks()[0].Parse(); len(broken) != 1 || broken[0].ID != "yaml-syntax" || broken[0].Place.Line != 3 {
		t.Errorf("%+v", broken)
	}
}
