package controlplane

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
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

// change makes one change below an object's own fields and says which; empty: there was
// no place for it.
func change(random *rand.Rand, o object, kind int) string {
	var places []place
	for key, v := range o {
		if key != "apiVersion" && key != "kind" && key != "metadata" {
			collect(v, func(v any) { o[key] = v }, key, &places)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return strings.Compare(a.path, b.path) })
	var fit []place
	changes := []func(place) string{
		place.misspell, place.drop, place.retype, place.reword, place.renumber, place.repeat, place.void, place.stranger,
	}
	make := changes[kind%len(changes)]
	for _, p := range places {
		if p.fits(kind % len(changes)) {
			fit = append(fit, p)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return make(fit[random.IntN(len(fit))])
}

// place is a value in an object.
type place struct {
	path string
	v    any
	set  func(any)
	in   map[string]any // the mapping that holds it; nil: a list does
	key  string
}

func collect(v any, set func(any), path string, all *[]place) {
	*all = append(*all, place{path: path, v: v, set: set})
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := len(*all)
			collect(v[key], func(x any) { v[key] = x }, path+"."+key, all)
			(*all)[at].in, (*all)[at].key = v, key
		}
	case []any:
		for i := range v {
			collect(v[i], func(x any) { v[i] = x }, fmt.Sprintf("%s[%d]", path, i), all)
		}
	}
}

// fits says whether a change, by its number, can be made at a place.
func (p place) fits(change int) bool {
	switch change {
	case 0, 1, 6:
		return p.in != nil
	case 3:
		_, ok := p.v.(string)
		return ok
	case 4:
		_, ok := p.v.(float64)
		return ok
	case 5:
		l, ok := p.v.([]any)
		return ok && len(l) > 0
	case 7:
		_, ok := p.v.(map[string]any)
		return ok
	}
	return true
}

func (p place) misspell() string {
	delete(p.in, p.key)
	p.in[p.key[:len(p.key)-1]+"zz"] = p.v
	return "misspelt " + p.path
}

func (p place) drop() string {
	delete(p.in, p.key)
	return "without " + p.path
}

func (p place) retype() string {
	switch p.v.(type) {
	case string:
		p.set(7)
	case float64, bool:
		p.set("text")
	case []any:
		p.set(map[string]any{})
	default:
		p.set([]any{})
	}
	return "of another type " + p.path
}

func (p place) reword() string {
	p.set("Wrong Value!")
	return "reworded " + p.path
}

func (p place) renumber() string {
	p.set(-1)
	return "below zero " + p.path
}

func (p place) repeat() string {
	l := p.v.([]any)
	p.set(append(slices.Clone(l), l[0]))
	return "repeated " + p.path
}

func (p place) void() string {
	p.set(nil)
	return "null " + p.path
}

func (p place) stranger() string {
	p.v.(map[string]any)["stranger"] = "x"
	return "a stranger in " + p.path
}

// strict sends objects to a server that shall refuse what it would not keep, and keeps
// none.
type strict struct {
	t         *testing.T
	client    *http.Client
	host      string
	resources map[string]map[string]string // apiVersion → kind → path
}

func newStrict(t *testing.T, s server) *strict {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		t.Fatal(err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return &strict{t, client, config.Host, map[string]map[string]string{}}
}

// verdict is what a server says of an object.
type verdict struct {
	taken   bool
	code    int
	custom  bool
	message string
}

// inCode says that a server refused a built-in kind after it had read it as what it is:
// by checks that stand in its code.
func (v verdict) inCode() bool { return !v.custom && v.code == http.StatusUnprocessableEntity }

// names says that the server speaks of a field that lint found. Of a quantity, of
// base64 and of a time in a built-in kind it says no name.
func (v verdict) names(issues []schema.Issue) bool {
	nameless := func(phrase string) bool { return strings.Contains(v.message, phrase) }
	if slices.ContainsFunc([]string{"quantities must match", "illegal base64", "parsing time"}, nameless) {
		return slices.ContainsFunc(issues, func(i schema.Issue) bool { return i.Kind == schema.WrongType })
	}
	return slices.ContainsFunc(issues, func(i schema.Issue) bool {
		switch i.Kind {
		case schema.DeadVersion, schema.UnknownKind:
			return v.code == http.StatusNotFound
		case schema.Duplicate:
			return strings.Contains(v.message, "Duplicate value")
		}
		field := fieldOf(i.Path)
		of := fieldOf(strings.TrimSuffix(i.Path, "."+field)) // of a strategy's type the server names the strategy
		return strings.Contains(v.message, field) || strings.Contains(v.message, of)
	})
}

// fieldOf is the last name of a path, without keys of mappings and indices.
func fieldOf(path string) string {
	for strings.HasSuffix(path, "]") {
		path = path[:strings.LastIndexByte(path, '[')]
	}
	return path[strings.LastIndexByte(path, '.')+1:]
}

func (c *strict) create(body []byte) verdict {
	c.t.Helper()
	var o struct {
		APIVersion, Kind string
	}
	if err := json.Unmarshal(body, &o); err != nil {
		c.t.Fatal(err)
	}
	path := c.path(o.APIVersion, o.Kind)
	if path == "" {
		return verdict{code: http.StatusNotFound, message: "no matches for kind"}
	}
	resp, err := c.client.Post(c.host+path+"?dryRun=All&fieldValidation=Strict", "application/json", bytes.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var status struct{ Message string }
	_ = json.Unmarshal(text, &status)
	group, _, _ := strings.Cut(o.APIVersion, "/")
	custom := strings.Contains(group, ".") && !slices.Contains(builtInGroups, group)
	return verdict{resp.StatusCode < 300, resp.StatusCode, custom, status.Message}
}

// builtInGroups are those of the corpus with a dot in their name.
var builtInGroups = []string{
	"networking.k8s.io", "storage.k8s.io", "rbac.authorization.k8s.io", "scheduling.k8s.io", "resource.k8s.io",
	"discovery.k8s.io", "node.k8s.io", "coordination.k8s.io", "apiextensions.k8s.io", "admissionregistration.k8s.io",
}

// versions are the other apiVersions under which the server has a kind of a custom
// resource, and keeps it without another program's help.
func (c *strict) versions(apiVersion, kind string) []string {
	c.t.Helper()
	group, _, named := strings.Cut(apiVersion, "/")
	if !named || !strings.Contains(group, ".") || slices.Contains(builtInGroups, group) {
		return nil
	}
	var got struct {
		Versions []struct{ GroupVersion string }
	}
	c.get("/apis/"+group, &got)
	var all []string
	for _, v := range got.Versions {
		if v.GroupVersion != apiVersion && c.path(v.GroupVersion, kind) != "" {
			all = append(all, v.GroupVersion)
		}
	}
	slices.Sort(all)
	return all
}

// get reads an answer; what is not there is empty.
func (c *strict) get(path string, into any) {
	c.t.Helper()
	resp, err := c.client.Get(c.host + path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	_ = json.NewDecoder(resp.Body).Decode(into) // a version that is not there has none
}

// path is where objects of a kind are created; empty: the server has no such kind.
func (c *strict) path(apiVersion, kind string) string {
	c.t.Helper()
	root := "/apis/" + apiVersion
	if !strings.Contains(apiVersion, "/") {
		root = "/api/" + apiVersion
	}
	if c.resources[apiVersion] == nil {
		var got struct {
			Resources []struct {
				Name, Kind string
				Namespaced bool
			}
		}
		c.get(root, &got)
		c.resources[apiVersion] = map[string]string{}
		for _, r := range got.Resources {
			switch {
			case strings.Contains(r.Name, "/"):
			case r.Namespaced:
				c.resources[apiVersion][r.Kind] = root + "/namespaces/default/" + r.Name
			default:
				c.resources[apiVersion][r.Kind] = root + "/" + r.Name
			}
		}
	}
	return c.resources[apiVersion][kind]
}
