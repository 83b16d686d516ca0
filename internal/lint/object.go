package lint

import (
	"strings"

	"assay/internal/lint/source"
)

// Object is one Kubernetes object.
type Object struct {
	Ref
	Root source.Value
	File *source.File
	memo memo
}

// ObjectsOf are the objects of a document: one, the items of a List, or none where it
// is no Kubernetes object.
func ObjectsOf(doc source.Document) []*Object {
	kind, api := doc.Root.Get("kind").Text(), doc.Root.Get("apiVersion").Text()
	if items := doc.Root.Get("items"); strings.HasSuffix(kind, "List") && items.IsList() {
		var all []*Object
		for _, item := range items.Items() {
			if item.Get("kind").Text() != "" {
				all = append(all, objectOf(doc.File, item))
			}
		}
		return all
	}
	if kind == "" || api == "" {
		return nil
	}
	return []*Object{objectOf(doc.File, doc.Root)}
}

func objectOf(file *source.File, root source.Value) *Object {
	meta := root.Get("metadata")
	return &Object{
		Ref:  Ref{root.Get("apiVersion").Text(), root.Get("kind").Text(), meta.Get("namespace").Text(), meta.Get("name").Text()},
		Root: root, File: file,
	}
}

// Get follows keys from the object's root.
func (o *Object) Get(keys ...string) source.Value { return o.Root.Get(keys...) }

// Group is the API group, empty for the core's.
func (o *Object) Group() string {
	group, _, ok := strings.Cut(o.APIVersion, "/")
	if !ok {
		return ""
	}
	return group
}

// Is says that the object is of a kind in a group, whatever the version.
func (o *Object) Is(group, kind string) bool { return o.Kind == kind && o.Group() == group }

// Spot keeps a place of the object.
func (o *Object) Spot(at source.Value) Spot {
	if !at.Exists() {
		at = o.Root
	}
	return Spot{source.Place{File: o.File.Name, Line: at.Line(), Column: at.Column()}, o.Ref, o.File}
}
