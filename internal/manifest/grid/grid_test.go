package grid

import (
	"bytes"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/lint"
	"assay/internal/lint/rules"
	"assay/internal/lint/source"
	"assay/internal/manifest"
)

// rendered is the whole grid, written once.
var rendered = sync.OnceValues(func() ([][]manifest.File, error) {
	var all [][]manifest.File
	for _, c := range Cases() {
		files, err := c.Render()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", c.Name, err, c.YAML)
		}
		all = append(all, files)
	}
	return all, nil
})

// TestTheGridIsClean holds all that render writes against all rules: nothing fails, and
// nothing is unknown where all was given.
func TestTheGridIsClean(t *testing.T) {
	cases := Cases()
	if len(cases) < 200 {
		t.Fatalf("%d cases, want at least 200", len(cases))
	}
	all, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	objects := 0
	for i, c := range cases {
		in, err := c.Input()
		if err != nil {
			t.Fatal(err)
		}
		res := lint.Files(sources(all[i]), lint.Options{Rules: rules.All(), Measured: in.Measured})
		objects += res.Objects
		for _, f := range res.Findings {
			t.Errorf("%s: %s", c.Name, shown(f))
		}
	}
	t.Logf("%d cases, %d objects", len(cases), objects)
}

func sources(files []manifest.File) []*source.File {
	var all []*source.File
	for _, f := range files {
		if !f.Beside && path.Ext(f.Name) == ".yaml" {
			all = append(all, &source.File{Name: f.Name, Body: f.Body})
		}
	}
	return all
}

func shown(f lint.Finding) string {
	return fmt.Sprintf("%s (%s) %s:%d:%d %s\n    %s", f.ID, f.Status, f.File, f.Line, f.Column, f.Message, f.Text)
}

// TestTheGridIsStable: the same input gives the same bytes.
func TestTheGridIsStable(t *testing.T) {
	for i, c := range Cases() {
		if i%9 != 0 {
			continue
		}
		all, err := rendered()
		if err != nil {
			t.Fatal(err)
		}
		second, err := c.Render()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(joined(all[i]), joined(second)); d != "" {
			t.Fatalf("%s differs from one render to the next:\n%s", c.Name, d)
		}
	}
}

func joined(files []manifest.File) string {
	var b bytes.Buffer
	for _, f := range files {
		b.WriteString("--- " + f.Name + "\n")
		b.Write(f.Body)
	}
	return b.String()
}

// TestTheGridIsComplete: each part and each kind of object is somewhere in it.
func TestTheGridIsComplete(t *testing.T) {
	all, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	parts := map[string]bool{}
	for i, c := range Cases() {
		names, err := c.Parts()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range names {
			parts[p] = true
		}
		for _, f := range all[i] {
			for line := range strings.Lines(string(f.Body)) {
				if kind, ok := strings.CutPrefix(line, "kind: "); ok {
					kinds[strings.TrimSpace(kind)] = true
				}
			}
		}
	}
	for _, p := range manifest.Parts {
		if !parts[p.Name] {
			t.Errorf("no case renders %s", p.Name)
		}
	}
	for _, kind := range strings.Fields(`Deployment LeaderWorkerSet Service Ingress PodDisruptionBudget HorizontalPodAutoscaler
		ScaledObject InferencePool HTTPRoute NodePool EC2NodeClass JobSet PyTorchJob ExternalSecret SecretStore Job PersistentVolumeClaim StorageClass PrometheusRule ServiceMonitor`) {
		if !kinds[kind] {
			t.Errorf("no case writes a %s", kind)
		}
	}
}

// TestWhatIsNotGivenIsMarked: without what must be known, each mark is found as an
// unset-value, and nothing fails.
func TestWhatIsNotGivenIsMarked(t *testing.T) {
	for _, l := range Layouts {
		c := Case{Name: "bare-" + l.Name, Layout: l, YAML: "render:\n  name: bare\n  serve:\n    autoscale: keda\n"}
		files, err := c.Render()
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		unset := manifest.MarksIn(files)
		if len(unset) == 0 {
			t.Errorf("%s: no mark, although no Prometheus was named", c.Name)
		}
		for _, u := range unset {
			if u.Key == "" {
				t.Errorf("%s: %s: no key of assay.yaml sets it", c.Name, u)
			}
		}
		for _, f := range lint.Files(sources(files), lint.Options{Rules: rules.All()}).Findings {
			if f.ID != "unset-value" || f.Status != lint.Unknown {
				t.Errorf("%s: %s", c.Name, shown(f))
			}
		}
	}
}
