package manifest

import (
	"fmt"
	"slices"
)

// File is one file of a folder that is written.
type File struct {
	Name   string // a path within the folder, with slashes
	Body   []byte
	Beside bool // it is no object: the kustomization leaves it out
}

// Kustomization is the file that lists the others.
const Kustomization = "kustomization.yaml"

// Folder writes what kubectl apply -k takes: a kustomization whose head is the title,
// and one file an object, in the order given. Names are unique; a second object of a
// name is an error.
func Folder(title string, all []Written) ([]File, error) {
	var files []File
	var names, seen []string
	for _, w := range all {
		if slices.Contains(seen, w.Name) {
			return nil, fmt.Errorf("%s would be written twice", w.Name)
		}
		seen = append(seen, w.Name)
		if w.Object == nil {
			files = append(files, File{w.Name, w.Beside, true})
			continue
		}
		body, err := w.Object.marshal(w.Head)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		files = append(files, File{Name: w.Name, Body: body})
		names = append(names, w.Name)
	}
	body, err := object{
		{"apiVersion", "kustomize.config.k8s.io/v1beta1", ""},
		{"kind", "Kustomization", ""},
		{"resources", names, ""},
	}.marshal(title)
	if err != nil {
		return nil, err
	}
	return append([]File{{Name: Kustomization, Body: body}}, files...), nil
}
