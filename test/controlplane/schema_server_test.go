package controlplane

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"assay/internal/lint/schema"
)

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
