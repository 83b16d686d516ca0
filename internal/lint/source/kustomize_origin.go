package source

import (
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
)

// lead leads places of a build back to the files that it read: to where the same value
// stands under the same path of an object of the same kind and name, once. A build may
// put something before and after a name.
type lead struct {
	of   *File
	disk map[string][]byte // by absolute path
	name func(string) string

	once   sync.Once
	places map[spot]Place
	bodies map[string][]byte // by the name that is shown
}

// spot is a line and column of the build; column 0 is the first of a line that leads
// somewhere.
type spot struct{ line, column int }

func (l *lead) origin(line, column int) (Place, bool) {
	l.once.Do(l.make)
	if p, ok := l.places[spot{line, column}]; ok {
		return p, true
	}
	return Place{}, false
}

func (l *lead) edited(name string) []byte {
	l.once.Do(l.make)
	return l.bodies[name]
}

// make reads both sides and joins them.
func (l *lead) make() {
	l.places, l.bodies = map[spot]Place{}, map[string][]byte{}
	known := map[string]map[string]standing{} // by kind, then name
	var paths []string
	for path := range l.disk {
		paths = append(paths, path)
	}
	sort.Strings(paths)
	for _, path := range paths {
		f := &File{Name: l.name(path), Body: l.disk[path]}
		if f.decode() != nil {
			continue
		}
		l.bodies[f.Name] = f.Body
		for _, c := range f.Chunks() {
			doc, _ := c.Parse()
			l.know(known, f.Name, doc)
			if slices.Contains(kustomizationNames, filepath.Base(path)) {
				for _, patch := range patchesIn(doc) {
					if inner, ok := f.Embedded(patch); ok {
						l.know(known, f.Name, inner)
					}
				}
			}
		}
	}
	for _, c := range l.of.Chunks() {
		doc, _ := c.Parse()
		kind, name := idOf(doc)
		l.join(known[kind][longest(known[kind], name)], "", doc.Root)
	}
}

// know takes in an object of a file, or a patch of one.
func (l *lead) know(known map[string]map[string]standing, file string, doc Document) {
	kind, name := idOf(doc)
	if known[kind] == nil {
		known[kind] = map[string]standing{}
	}
	if known[kind][name] == nil {
		known[kind][name] = standing{}
	}
	known[kind][name].add(file, "", doc.Root)
}

// patchesIn are the patches that a kustomization holds itself, as literal blocks: of
// others the lines are not known.
func patchesIn(doc Document) []Value {
	all := doc.Root.Get("patchesStrategicMerge").Items()
	for _, p := range doc.Root.Get("patches").Items() {
		all = append(all, p.Get("patch"))
	}
	return slices.DeleteFunc(all, func(v Value) bool { return v.Node() == nil || v.Node().Style&yaml.LiteralStyle == 0 })
}

func idOf(doc Document) (kind, name string) {
	return doc.Root.Get("kind").Text(), doc.Root.Get("metadata", "name").Text()
}

// longest is the longest of the names that a name holds; empty: it holds none.
func longest(known map[string]standing, name string) string {
	best := ""
	for n := range known {
		if strings.Contains(name, n) && len(n) > len(best) {
			best = n
		}
	}
	return best
}

// standing says where values stand, by path and value.
type standing map[string][]Place

// add takes in a value and what it holds.
func (s standing) add(file, path string, v Value) {
	each(path, v, func(key string, at Value) {
		s[key] = append(s[key], Place{file, at.Line(), at.Column()})
	})
}

// join leads each place of a value to the one where the same stands.
func (l *lead) join(known standing, path string, v Value) {
	each(path, v, func(key string, at Value) {
		here := spot{at.Line(), at.Column()}
		if _, ok := l.places[here]; ok {
			return // a mapping begins where its first key does
		}
		if all := known[key]; len(all) == 1 {
			l.places[here] = all[0]
		}
	})
}

// each visits a value and what it holds, keys before what they lead to, each with its
// path and, of a scalar, its text.
func each(path string, v Value, visit func(key string, at Value)) {
	switch {
	case v.IsScalar():
		visit(path+"="+v.Text(), v)
	case v.IsList():
		for i, item := range v.Items() {
			inner := path + "[" + strconv.Itoa(i) + "]"
			if name := item.Get("name").Text(); name != "" {
				inner = path + "[name=" + name + "]"
			} else if item.IsScalar() {
				inner = path + "[]"
			}
			each(inner, item, visit)
		}
		visit(path+" list", v)
	default:
		for k, item := range v.Pairs() {
			inner := path + "/" + k.Text()
			if item.IsScalar() {
				visit(inner+" key="+item.Text(), k)
			} else {
				visit(inner+" key", k)
			}
			each(inner, item, visit)
		}
		visit(path+" map", v)
	}
}
