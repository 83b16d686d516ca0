package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/url"
	"strconv"

	"sigs.k8s.io/yaml"

	"assay/internal/lint/source"
)

// Bounds on what Objects reads.
const (
	maxObjects    = 20_000 // of one kind
	maxObjectSize = 4 << 20
)

// Objects reads the objects that lint looks at, of one namespace and of the cluster, or
// with an empty namespace of all: kinds that the cluster serves, page by page, without
// their status and without those that another object makes. What cannot be read is a
// problem beside the rest; the error is that no cluster answers.
func Objects(ctx context.Context, o Options) (iter.Seq2[*source.File, []source.Problem], error) {
	a, _, err := connect(o)
	if err != nil {
		return nil, err
	}
	served, err := a.served(ctx)
	if err != nil {
		return nil, err
	}
	return func(yield func(*source.File, []source.Problem) bool) {
		for _, k := range kindsRead {
			version, ok := served[k.group]
			if !ok {
				continue
			}
			c := collection{api: a, group: k.group, version: version, resource: k.resource, namespace: o.Namespace}
			if !c.read(ctx, yield) {
				return
			}
		}
	}, nil
}

// served are the groups that the cluster knows, each with its preferred version.
func (a *api) served(ctx context.Context) (map[string]string, error) {
	var list struct {
		Groups []struct {
			Name             string `json:"name"`
			PreferredVersion struct {
				Version string `json:"version"`
			} `json:"preferredVersion"`
		} `json:"groups"`
	}
	if err := a.get(ctx, "list API groups", "/apis", url.Values{}, &list); err != nil {
		return nil, err
	}
	all := map[string]string{"": "v1"}
	for _, g := range list.Groups {
		if named.MatchString(g.Name) && named.MatchString(g.PreferredVersion.Version) {
			all[g.Name] = g.PreferredVersion.Version
		}
	}
	return all, nil
}

// collection is all objects of a kind, in one namespace or in all.
type collection struct {
	*api
	group, version, resource, namespace string
}

func (c *collection) path(namespaced bool) string {
	path := "/apis/" + c.group + "/" + c.version
	if c.group == "" {
		path = "/api/" + c.version
	}
	if namespaced {
		path += "/namespaces/" + c.namespace
	}
	return path + "/" + c.resource
}

// clusterKinds have no namespace, as their API has them.
var clusterKinds = map[string]bool{
	"namespaces": true, "persistentvolumes": true, "storageclasses": true, "nodepools": true, "ec2nodeclasses": true, "nodeclasses": true,
	"clusterqueues": true, "resourceflavors": true, "clusterexternalsecrets": true, "clustersecretstores": true,
}

// read yields what the collection holds. It says whether the caller wants more.
func (c *collection) read(ctx context.Context, yield func(*source.File, []source.Problem) bool) bool {
	namespaced := c.namespace != "" && !clusterKinds[c.resource]
	if namespaced && !named.MatchString(c.namespace) {
		return yield(nil, c.problem(fmt.Sprintf("%q is no namespace", plain(c.namespace))))
	}
	query := url.Values{}
	for count := 0; ; {
		query.Set("limit", strconv.Itoa(pageSize))
		var page objectPage
		err := c.get(ctx, "list "+c.resource, c.path(namespaced), query, &page)
		switch {
		case missing(err):
			return true // the group is served, this kind of it is not
		case err != nil:
			return yield(nil, c.problem(err.Error()))
		}
		for _, raw := range page.Items {
			if count++; count > maxObjects {
				return yield(nil, c.problem(fmt.Sprintf("more than %d %s; the rest is not read", maxObjects, c.resource)))
			}
			f, problem := c.file(&page, raw)
			if problem != "" {
				if !yield(nil, c.problem(problem)) {
					return false
				}
			} else if f != nil && !yield(f, nil) {
				return false
			}
		}
		if page.Metadata.Continue == "" || len(page.Items) == 0 {
			return true
		}
		query.Set("continue", page.Metadata.Continue)
	}
}

type objectPage struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Continue string `json:"continue"`
	} `json:"metadata"`
	Items []json.RawMessage `json:"items"`
}

func (c *collection) problem(message string) []source.Problem {
	return []source.Problem{{ID: "cluster-unread", Place: source.Place{File: "cluster/" + c.resource, Line: 1, Column: 1}, Message: plain(message), Unknown: true}}
}

// file is an object as a manifest; nil where another object makes it.
func (c *collection) file(page *objectPage, raw json.RawMessage) (*source.File, string) {
	if len(raw) > maxObjectSize {
		return nil, fmt.Sprintf("one of the %s is larger than %d MiB", c.resource, maxObjectSize>>20)
	}
	var object map[string]any
	if err := json.Unmarshal(raw, &object); err != nil {
		return nil, fmt.Sprintf("one of the %s is no object: %v", c.resource, err)
	}
	meta, _ := object["metadata"].(map[string]any)
	if meta == nil || isOwned(meta) {
		return nil, ""
	}
	strip(object, meta)
	if object["kind"] == nil {
		object["kind"] = trimList(page.Kind)
		object["apiVersion"] = page.APIVersion
	}
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err.Error()
	}
	body, err := yaml.JSONToYAML(text)
	if err != nil {
		return nil, err.Error()
	}
	name, _ := meta["name"].(string)
	namespace, _ := meta["namespace"].(string)
	if namespace != "" {
		namespace = oneLine(namespace) + "/"
	}
	return &source.File{Name: "cluster/" + namespace + c.resource + "/" + oneLine(name), Body: body, Rendered: true}, ""
}

// isOwned says that a controller makes the object: what is wrong with it is wrong there.
func isOwned(meta map[string]any) bool {
	owners, _ := meta["ownerReferences"].([]any)
	for _, o := range owners {
		if owner, _ := o.(map[string]any); owner["controller"] == true {
			return true
		}
	}
	return false
}

// strip takes away what no manifest holds. What kubectl keeps of the last apply may
// hold what the object does not any more.
func strip(object, meta map[string]any) {
	delete(object, "status")
	for _, key := range []string{"managedFields", "uid", "resourceVersion", "generation", "creationTimestamp", "selfLink"} {
		delete(meta, key)
	}
	if notes, _ := meta["annotations"].(map[string]any); notes != nil {
		delete(notes, "kubectl.kubernetes.io/last-applied-configuration")
		delete(notes, "deployment.kubernetes.io/revision")
		if len(notes) == 0 {
			delete(meta, "annotations")
		}
	}
}

// trimList is the kind of a list's items, which say none themselves.
func trimList(kind string) string {
	if n := len(kind) - len("List"); n > 0 && kind[n:] == "List" {
		return kind[:n]
	}
	return kind
}
