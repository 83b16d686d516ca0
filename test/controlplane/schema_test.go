package controlplane

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"assay/internal/lint/schema"
	"assay/internal/lint/source"
	"assay/internal/manifest/grid"
)

// What lint says of an object offline and what a real API server says of it agree: a
// server takes what has no issues, and refuses what has one, for a field that lint
// names. Only what servers check of built-in kinds in code, such as the form of names,
// is the server's alone.
func TestSchemaAgreesWithTheServer(t *testing.T) {
	s := start(t)
	s.install()
	judge := newStrict(t, s)
	all := judge.corpus()
	taken, refused, alone, converted := 0, 0, 0, 0
	for _, o := range all {
		issues := offline(t, o.body)
		said := judge.create(o.body)
		switch {
		case strings.Contains(said.message, "conversion webhook"):
			converted++ // a version that only its own program can turn into another
		case said.taken && len(issues) == 0:
			taken++
		case said.taken:
			t.Errorf("%s\nthe server takes it, offline: %s", o, list(issues))
		case len(issues) == 0 && said.inCode():
			alone++
		case len(issues) == 0:
			t.Errorf("%s\noffline it is right, the server: %s", o, said.message)
		case !said.names(issues):
			t.Errorf("%s\noffline: %s\nthe server: %s", o, list(issues), said.message)
		default:
			refused++
		}
	}
	t.Logf("%d objects: both take %d, both refuse %d, the server alone refuses %d for what it checks in code, %d want a conversion", len(all), taken, refused, alone, converted)
	if taken < 250 || refused < 500 || alone > len(all)/8 {
		t.Errorf("of %d objects both take %d and refuse %d, the server alone refuses %d: the corpus shows too little", len(all), taken, refused, alone)
	}
}

func list(issues []schema.Issue) string {
	var all []string
	for _, i := range issues {
		all = append(all, fmt.Sprintf("%s %s: %s", i.Kind, i.Path, i.Message))
	}
	return strings.Join(all, "; ")
}

func offline(t *testing.T, body []byte) []schema.Issue {
	t.Helper()
	doc, problems := (&source.File{Name: "object", Body: body}).Chunks()[0].Parse()
	if len(problems) > 0 {
		t.Fatalf("%s: %v", body, problems)
	}
	return schema.Check(doc.Root.Get("apiVersion").Text(), doc.Root.Get("kind").Text(), doc.Root)
}

// sample is one object, as JSON, and how it came about.
type sample struct {
	how  string
	body []byte
}

func (s sample) String() string { return s.how + ": " + string(s.body) }

// mutants of each good object.
const mutants = 14

// corpus are the objects of the schema package's own tests and the largest of each kind
// that render writes, variants of them with one change each, and custom resources under
// the other versions that the server has of them; the same on each run.
func (c *strict) corpus() []sample {
	t := c.t
	t.Helper()
	var all []sample
	random := rand.New(rand.NewPCG(7, 11))
	for _, o := range append(objectsOf(t, "good.yaml"), rendered(t)...) {
		all = append(all, sample{"good", text(t, o)})
		for i := range mutants {
			changed := o.copy(t)
			if how := change(random, changed, i); how != "" {
				all = append(all, sample{how, text(t, changed)})
			}
		}
		own := fmt.Sprint(o["apiVersion"])
		for _, version := range c.versions(own, fmt.Sprint(o["kind"])) {
			changed := o.copy(t)
			changed["apiVersion"] = version
			all = append(all, sample{own + " as " + version, text(t, changed)})
		}
	}
	for _, o := range objectsOf(t, "broken.yaml") {
		body := text(t, o)
		api := fmt.Sprint(o["apiVersion"])
		if bytes.Contains(body, []byte("unset-")) || bytes.Contains(body, []byte("${")) || strings.HasPrefix(api, "example.") ||
			strings.HasPrefix(api, "external-secrets.io/v1beta1") || o["kind"] == "Config" {
			continue // what no schema speaks of
		}
		all = append(all, sample{"broken", body})
	}
	return all
}

// rendered is, of each kind that render writes over the grid, the object with the most
// to say.
func rendered(t *testing.T) []object {
	t.Helper()
	largest := map[string][]byte{}
	for _, c := range grid.Cases() {
		files, err := c.Render()
		if err != nil {
			t.Fatalf("%s: %v", c.Name, err)
		}
		for _, f := range files {
			var o struct{ APIVersion, Kind string }
			if f.Beside || f.Name == "kustomization.yaml" || yaml.Unmarshal(f.Body, &o) != nil {
				continue
			}
			if kind := o.APIVersion + "/" + o.Kind; len(f.Body) > len(largest[kind]) {
				largest[kind] = f.Body
			}
		}
	}
	var all []object
	for _, kind := range slices.Sorted(maps.Keys(largest)) {
		var o object
		if err := yaml.Unmarshal(largest[kind], &o); err != nil {
			t.Fatal(err)
		}
		delete(o["metadata"].(map[string]any), "namespace") // all go to default
		all = append(all, o)
	}
	return all
}

type object map[string]any

func (o object) copy(t *testing.T) object {
	var c object
	if err := json.Unmarshal(text(t, o), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

func text(t *testing.T, o object) []byte {
	t.Helper()
	b, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func objectsOf(t *testing.T, name string) []object {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("..", "..", "internal", "lint", "schema", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []object
	for _, doc := range strings.Split(string(body), "\n---\n") {
		var o object
		if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
			t.Fatal(err)
		}
		all = append(all, o)
	}
	return all
}
