package source

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Bounds of reading one hostile text, far above what the worst of them takes: about 6 s
// and 0.9 GiB allocated in all, twice as much where races are looked for.
const (
	mostCPU       = 60 * time.Second
	mostAllocated = 4 << 30
)

// withinBounds holds what a piece of work takes against bounds.
func withinBounds(t *testing.T, work func()) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	begin := cpu(t)
	work()
	runtime.ReadMemStats(&after)
	if took := cpu(t) - begin; took > mostCPU {
		t.Errorf("it takes %v of CPU", took)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > mostAllocated {
		t.Errorf("it takes %d MiB of memory in all", took>>20)
	}
}

func cpu(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestHostileText holds texts made to exhaust their reader against bounds. Each gives
// the first problem that it shows, and the number of all.
func TestHostileText(t *testing.T) {
	repeat := strings.Repeat
	for name, tt := range map[string]struct {
		text func() string
		want string
		n    int
	}{
		"a million documents":        {func() string { return repeat("---\nk: a\n", 1_000_000) }, "yaml-too-large x.yaml:200001:1", 1},
		"a million empty documents":  {func() string { return repeat("---\n", 1_000_000) }, "yaml-too-large x.yaml:100001:1", 1},
		"a million broken documents": {func() string { return repeat("---\nk: [\n", 1_000_000) }, "yaml-syntax x.yaml:2:1", 100_001},
		"a million ends":             {func() string { return repeat("...\n", 1_000_000) }, "yaml-too-large x.yaml:100001:1", 1},
		"a million JSON values":      {func() string { return repeat("{}", 1_000_000) }, "yaml-too-large x.yaml:1:200001", 1},
		"a list of a million":        {func() string { return "kind: List\nitems:\n" + repeat("- {}\n", 1_000_000) }, "yaml-too-large x.yaml:100003:1", 1},
		"a sequence of a million":    {func() string { return "k:\n" + repeat("- a\n", 1_000_000) }, "yaml-too-large x.yaml:1:1", 1},
		"a flow of a million":        {func() string { return "k: [" + repeat("a,", 1_000_000) + "]" }, "yaml-too-large x.yaml:1:1", 1},
		"a flow of empty flows":      {func() string { return "k: [" + repeat("[],", 400_000) + "]" }, "yaml-too-large x.yaml:1:1", 1},
		"flow, 100,000 levels":       {func() string { return "k: " + repeat("[", 100_000) + repeat("]", 100_000) }, "yaml-syntax x.yaml:1:10004", 1},
		"mappings, 100,000 levels":   {func() string { return repeat("{a: ", 100_000) + repeat("}", 100_000) }, "yaml-syntax x.yaml:1:40001", 1},
		"block, 100,000 levels":      {func() string { return repeat("- ", 100_000) }, "yaml-syntax x.yaml:1:20001", 1},
		"keys, 100,000 levels":       {func() string { return repeat("? ", 100_000) }, "yaml-syntax x.yaml:1:20001", 1},
		"indented, 2,000 levels": {func() string {
			var b strings.Builder
			for i := range 2000 {
				b.WriteString(repeat(" ", i) + "a:\n")
			}
			return b.String()
		}, "yaml-too-large x.yaml:1:1", 1},
		"a line of 32 MB":          {func() string { return "k: " + repeat("x", 32_000_000) }, "yaml-too-large x.yaml:1:1", 1},
		"a line of 4 MB":           {func() string { return "k: " + repeat("x", 4_000_000) }, "", 0},
		"a number of a million":    {func() string { return "kind: X\nk: " + repeat("9", 1_000_000) }, "", 0},
		"an exponent":              {func() string { return "kind: X\nk: 1e" + repeat("9", 1_000_000) }, "", 0},
		"keys that stand twice":    {func() string { return "kind: X\n" + repeat("a: 1\n", 100_000) }, "duplicate-key x.yaml:3:1", 99_999},
		"100,000 anchors":          {func() string { return "k:\n" + repeat("- &a x\n", 100_000) }, "", 0},
		"aliases of a scalar":      {func() string { return "a: &a x\nk:\n" + repeat("- *a\n", 200_000) }, "", 0},
		"comments":                 {func() string { return repeat("# x\n", 900_000) }, "yaml-too-large x.yaml:1:1", 1},
		"a comment for each value": {func() string { return "k:\n" + repeat("# a\n- a # b\n", 150_000) }, "", 0},
		"blank lines":              {func() string { return "k: a" + repeat("\n", 5_000_000) }, "yaml-too-large x.yaml:1:1", 1},
		"returns":                  {func() string { return repeat("a: 1\r", 90_000) + "\nk: b\n" }, "", 0},
		"separators":               {func() string { return "k: \"" + repeat("a\u2028", 900_000) + "\"" }, "", 0},
		"quotes":                   {func() string { return repeat("a: \"", 100_000) }, "yaml-syntax x.yaml:1:10", 1},
		"a tab a million times":    {func() string { return "a:\n" + repeat("\t", 1_000_000) + "b\n" }, "tab-indent x.yaml:2:1", 1},
		"merges of merges": {func() string {
			var b strings.Builder
			b.WriteString("m0: &m0 {a: 1}\n")
			for i := 1; i < 5000; i++ {
				fmt.Fprintf(&b, "m%d: &m%d {<<: *m%d, o%d: 1}\n", i, i, i-1, i)
			}
			return b.String()
		}, "yaml-too-large x.yaml:1:1", 1},
		"aliases that explode": {func() string { return bomb }, "yaml-too-large x.yaml:1:1", 1},
	} {
		t.Run(name, func(t *testing.T) {
			text := tt.text()
			var problems []string
			withinBounds(t, func() { _, problems = parse(t, text) })
			first := ""
			if len(problems) > 0 {
				first = problems[0]
			}
			if first != tt.want || len(problems) != tt.n {
				t.Errorf("%d problems, the first %q, want %d and %q", len(problems), first, tt.n, tt.want)
			}
		})
	}
}

// TestHostileKustomization builds what no one should have written. Nothing is run or
// fetched, and what stands beside it is read.
func TestHostileKustomization(t *testing.T) {
	ran := filepath.Join(t.TempDir(), "ran")
	script := "#!/bin/sh\ntouch " + ran + "\n"
	function := "apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      exec: {path: ./run.sh}\n"
	container := "apiVersion: x/v1\nkind: X\nmetadata:\n  name: x\n  annotations:\n    config.kubernetes.io/function: |\n      container: {image: x.test/x, network: true}\n"
	for name, tt := range map[string]struct {
		files map[string]string
		links map[string]string
		want  string // how the first problem begins
	}{
		"names itself":                       {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [., d.yaml]\n"}, want: "kustomize-build fail kustomization.yaml:2:13 "},
		"names the folder above":             {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [a, d.yaml]\n", "a/kustomization.yaml": "resources: [..]\n"}, want: "kustomize-build fail a/kustomization.yaml:1:13 "},
		"name each other":                    {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [a, d.yaml]\n", "a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": "resources: [../a]\n"}, want: "kustomize-build fail kustomization.yaml:2:13 "},
		"names its own file":                 {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [kustomization.yaml, d.yaml]\n"}, want: "kustomize-build fail kustomization.yaml:2:13 "},
		"a function that is run":             {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\ntransformers: [f.yaml]\n", "f.yaml": function}, want: "kustomize-build fail kustomization.yaml:1:1 kubectl apply -k fails: external plugins disabled"},
		"one that generates":                 {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\ngenerators: [f.yaml]\n", "f.yaml": function}, want: "kustomize-build fail kustomization.yaml:1:1 kubectl apply -k fails: loading generator plugins"},
		"one that validates":                 {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\nvalidators: [f.yaml]\n", "f.yaml": function}, want: "kustomize-build fail kustomization.yaml:1:1 kubectl apply -k fails: external plugins disabled"},
		"one in a container":                 {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\ntransformers: [f.yaml]\n", "f.yaml": container}, want: "kustomize-build fail kustomization.yaml:1:1 kubectl apply -k fails: external plugins disabled"},
		"one in its place":                   {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\ntransformers:\n- |\n  " + strings.ReplaceAll(function, "\n", "\n  ") + "\n"}, want: "kustomize-build fail kustomization.yaml:1:1 kubectl apply -k fails: external plugins disabled"},
		"a plugin":                           {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\ngenerators: [f.yaml]\n", "f.yaml": "apiVersion: x/v1\nkind: Run\nmetadata: {name: x}\n"}, want: "kustomize-build fail kustomization.yaml:1:1 kubectl apply -k fails: loading generator plugins"},
		"a chart of its own":                 {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\nhelmGlobals: {chartHome: c}\nhelmCharts: [{name: c}]\n", "c/c/Chart.yaml": "name: c\nversion: 1.0.0\n"}, want: "kustomize-remote unknown kustomization.yaml:3:1 "},
		"a file of the system":               {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\nconfigMapGenerator: [{name: x, files: [/etc/passwd]}]\n"}, want: "kustomize-build fail kustomization.yaml:2:40 "},
		"a link to one":                      {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\nconfigMapGenerator: [{name: x, files: [p]}]\n"}, links: map[string]string{"p": "/etc/passwd"}, want: "kustomize-build fail kustomization.yaml:2:40 "},
		"a device":                           {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml, z.yaml]\n"}, links: map[string]string{"z.yaml": "/dev/zero"}, want: "kustomize-build fail kustomization.yaml:2:21 "},
		"a device as schema":                 {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml]\nopenapi: {path: z}\n"}, links: map[string]string{"z": "/dev/zero"}, want: "kustomize-build fail kustomization.yaml:3:17 "},
		"a resource that explodes":           {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml, b.yaml]\n", "b.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: x}\n" + bomb}},
		"a patch in its place that explodes": {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\npatches:\n- patch: |\n    apiVersion: apps/v1\n    kind: Deployment\n    metadata: {name: web}\n    " + strings.ReplaceAll(bomb, "\n", "\n    ") + "\n"}, want: "kustomize-build fail kustomization.yaml:1:1 "},
		"a patch that explodes":              {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\npatches: [{path: b.yaml}]\n", "b.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n" + bomb}, want: "kustomize-build fail kustomization.yaml:2:18 "},
		"itself explodes":                    {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\n" + bomb}, want: "yaml-too-large fail kustomization.yaml:1:1 "},
		"nested deeply":                      {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml, b.yaml]\n", "b.yaml": "apiVersion: v1\nkind: X\nmetadata: {name: x}\nk: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "\n"}},
		"a mapping as the name":              {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml, {a: b}]\n"}, want: "kustomize-build fail kustomization.yaml:1:1 "},
		"a regular expression":               {files: map[string]string{"kustomization.yaml": "resources: [d.yaml]\npatches: [{target: {name: '((((a*)*)*)*)*['}, patch: '[]'}]\n"}},
		"a folder of the name":               {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml, a]\n", "a/x.yaml": "k: a"}, want: "kustomize-build fail kustomization.yaml:2:21 "},
		"a link back as a resource":          {files: map[string]string{"kustomization.yaml": "namespace: x\nresources: [d.yaml, a]\n"}, links: map[string]string{"a": "."}, want: "kustomize-build fail kustomization.yaml:2:21 "},
	} {
		t.Run(name, func(t *testing.T) {
			tt.files["d.yaml"], tt.files["run.sh"] = deployment, script
			dir := write(t, tt.files)
			if err := os.Chmod(filepath.Join(dir, "run.sh"), 0o700); err != nil {
				t.Fatal(err)
			}
			for from, to := range tt.links {
				if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
					t.Fatal(err)
				}
			}
			var names, problems []string
			withinBounds(t, func() { _, names, problems = readAllOf(t, dir, dir) })
			if !slices.Contains(names, "d.yaml") && !slices.Contains(names, "kustomization.yaml") {
				t.Errorf("what stands beside it was not read: %v", names)
			}
			begins := func(p string) bool { return strings.HasPrefix(p, tt.want) }
			if slices.ContainsFunc(problems, begins) != (tt.want != "") {
				t.Errorf("%.600q, want %s", problems, tt.want)
			}
			if _, err := os.Stat(ran); err == nil {
				t.Fatal("it ran something")
			}
		})
	}
}
