package schema

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
)

//go:embed derived
var derived embed.FS

// read is an embedded file; ok is false where there is none.
func read(name string) (text []byte, ok bool) {
	packed, err := derived.ReadFile("derived/" + name)
	if err != nil {
		return nil, false
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err)) // it is part of the program
	}
	text, err = io.ReadAll(r)
	if err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
	return text, true
}

func must(name string, text []byte, into any) {
	if err := json.Unmarshal(text, into); err != nil {
		panic(fmt.Sprintf("schema: %s: %v", name, err))
	}
}

// builtIns are the kinds of Kubernetes itself; their schemas are read when they are
// first asked for.
type builtIns struct {
	Kinds   map[string]string          `json:"kinds"`
	Schemas map[string]json.RawMessage `json:"schemas"`

	mu   sync.Mutex
	seen map[string]*node
}

var core = sync.OnceValue(func() *builtIns {
	c := &builtIns{seen: map[string]*node{}}
	text, _ := read("core.json.gz")
	must("core", text, c)
	return c
})

// kind is the schema of a kind; nil: there is none.
func (c *builtIns) kind(apiVersion, kind string) *node {
	name, ok := c.Kinds[apiVersion+"/"+kind]
	if !ok {
		return nil
	}
	return c.schema(name)
}

func (c *builtIns) schema(name string) *node {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.resolve(name)
}

// resolve reads a schema and all that it refers to. Schemas that hold themselves end
// at what was seen.
func (c *builtIns) resolve(name string) *node {
	if n, ok := c.seen[name]; ok {
		return n
	}
	n := &node{}
	c.seen[name] = n
	must(name, c.Schemas[name], n)
	c.link(n)
	c.known(name, n)
	return n
}

// link puts what is referred to in the place of references.
func (c *builtIns) link(n *node) {
	for key, p := range n.Properties {
		n.Properties[key] = c.linked(p)
	}
	if n.Items != nil {
		n.Items = c.linked(n.Items)
	}
	if e := n.entries(); e != nil {
		n.Additional.node = c.linked(e)
	}
	n.builtIn = true
	n.bytes = n.Format == "byte"
	n.ListType, n.ListKeys = "", nil // its keys are for merging; see unique
}

func (c *builtIns) linked(n *node) *node {
	if n.Ref == "" {
		c.link(n)
		return n
	}
	return c.resolve(n.Ref[strings.LastIndexByte(n.Ref, '/')+1:])
}

// definition is a custom resource.
type definition struct {
	Versions []struct {
		Name     string          `json:"name"`
		Served   bool            `json:"served"`
		Replicas string          `json:"replicas"` // the path of their number
		Schema   json.RawMessage `json:"schema"`
	} `json:"versions"`

	versions map[string]*version
}

// version is one that is served.
type version struct {
	root  *node
	rules func() *rules
}

var (
	definitionsMu sync.Mutex
	definitions   = map[string]*definition{} // by file; nil: there is none
)

// custom is the definition of a kind in a group; nil: none is known.
func custom(group, kind string) *definition {
	name := group + "_" + kind + ".json.gz"
	if group == "" || strings.ContainsAny(name, "/\\") {
		return nil
	}
	definitionsMu.Lock()
	defer definitionsMu.Unlock()
	d, ok := definitions[name]
	if ok {
		return d
	}
	if text, there := read(name); there {
		d = &definition{versions: map[string]*version{}}
		must(name, text, d)
		for _, v := range d.Versions {
			if v.Served {
				d.versions[v.Name] = newVersion(name, v.Replicas, v.Schema)
			}
		}
	}
	if d != nil || len(definitions) < mostUnknown {
		definitions[name] = d
	}
	return d
}

// mostUnknown bounds how many names without a schema are remembered.
const mostUnknown = 10_000

func newVersion(name, replicas string, text json.RawMessage) *version {
	v := &version{root: &node{}}
	must(name, text, v.root)
	v.rules = sync.OnceValue(func() *rules { return compile(name, text) })
	if n := v.root.at(replicas); n != nil && n.Minimum == nil {
		n.Minimum = new(float64) // the server checks this of what can be scaled
	}
	object(v.root)
	walk(v.root, func(n *node) {
		if n.Embedded {
			object(n)
		}
	})
	return v
}

// at is the schema at the end of a path such as .spec.replicas; nil: there is none.
func (n *node) at(path string) *node {
	if path == "" {
		return nil
	}
	for _, key := range strings.Split(strings.TrimPrefix(path, "."), ".") {
		if n = n.Properties[key]; n == nil {
			return nil
		}
	}
	return n
}

// object gives a schema what each object has, which definitions leave out.
func object(n *node) {
	if n.Properties == nil {
		n.Properties = map[string]*node{}
	}
	text := &node{Type: "string"}
	n.Properties["apiVersion"], n.Properties["kind"] = text, text
	n.Properties["metadata"] = core().schema("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
}

// walk visits the structure of a schema: properties, items, entries.
func walk(n *node, visit func(*node)) {
	if n == nil || n.builtIn {
		return
	}
	visit(n)
	for _, p := range n.Properties {
		walk(p, visit)
	}
	walk(n.Items, visit)
	walk(n.entries(), visit)
}
