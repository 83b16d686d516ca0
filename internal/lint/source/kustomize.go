package source

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// kustomizations reads those of a folder. It gives the files and folders that they use,
// which are not read on their own: a kustomization is built where no other one takes it
// in, or none but those that it takes in itself.
func (r *reader) kustomizations(all []entry) (used map[string]bool) {
	used = map[string]bool{}
	var open []*kustomization
	for i, e := range all {
		if !e.kustomization {
			continue
		}
		k, problems := openKustomization(e.path)
		if k == nil {
			all[i].problems = append(all[i].problems, problems...)
			continue
		}
		all[i].built = k
		open = append(open, k)
		for _, ref := range k.refs() {
			if path, err := filepath.EvalSymlinks(k.path(ref)); err == nil {
				used[absolute(path)] = true
			}
		}
	}
	taken := map[string]bool{}
	take := func(k *kustomization) {
		for _, inner := range k.tree() {
			taken[real(inner.dir)] = true
		}
	}
	for _, k := range open {
		if !used[real(k.dir)] {
			take(k)
		}
	}
	for _, k := range open {
		if !taken[real(k.dir)] { // it lies in a ring
			delete(used, real(k.dir))
			take(k)
		}
	}
	return used
}

// real is a path without links; as it is where nothing is there.
func real(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return absolute(path)
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// isUsed says whether a kustomization takes in a file or folder.
func isUsed(used map[string]bool, path string) bool {
	if len(used) == 0 {
		return false
	}
	real, err := filepath.EvalSymlinks(path)
	return err == nil && used[absolute(real)]
}

// build yields what a kustomization gives.
func (r *reader) build(k *kustomization) bool {
	all := k.tree()
	var problems []Problem
	plain := true
	for _, one := range all {
		problems = append(problems, one.remote()...)
		problems = append(problems, one.missing()...)
		plain = plain && one.plain()
	}
	if len(problems) == 0 && !plain && !k.isComponent() {
		f, err := run(k)
		if err == nil {
			return r.file(f)
		}
		if !listsBroken(all) {
			problems = append(problems, k.failed(err))
		}
	}
	for _, p := range problems {
		if !r.problem(p) {
			return false
		}
	}
	return r.listed(all)
}

// tree is a kustomization and those that it takes in, each once.
func (k *kustomization) tree() []*kustomization {
	all := []*kustomization{k}
	seen := map[string]bool{real(k.dir): true}
	for i := 0; i < len(all); i++ {
		for _, ref := range all[i].refs() {
			if path := all[i].path(ref); ref.object && !seen[real(path)] {
				seen[real(path)] = true
				if inner := within(path); inner != nil {
					all = append(all, inner)
				}
			}
		}
	}
	return all
}

// listed yields the files that kustomizations list, as they stand.
func (r *reader) listed(all []*kustomization) bool {
	for _, k := range all {
		for _, ref := range k.refs() {
			path := k.path(ref)
			info, err := os.Stat(path)
			if err != nil || !ref.object || info.IsDir() || r.read[real(path)] {
				continue
			}
			r.read[real(path)] = true
			if !r.disk(path, false) {
				return false
			}
		}
	}
	return true
}

// within is the kustomization of a folder; nil where there is none.
func within(dir string) *kustomization {
	for _, name := range kustomizationNames {
		if path := filepath.Join(dir, name); exists(path) {
			k, _ := openKustomization(path)
			return k
		}
	}
	return nil
}

// listsBroken says that a file that is listed is no YAML, which is a finding there.
func listsBroken(all []*kustomization) bool {
	for _, k := range all {
		for _, ref := range k.refs() {
			body, err := readFile(k.path(ref))
			if err != nil || !ref.object {
				continue
			}
			f := &File{Name: ref.text, Body: body}
			if f.decode() != nil {
				return true
			}
			for _, c := range f.Chunks() {
				if _, problems := c.Parse(); len(problems) > 0 {
					return true
				}
			}
		}
	}
	return false
}

// failed is the problem that a build ended with, at what of the kustomization it names.
func (k *kustomization) failed(err error) Problem {
	message := strings.Join(strings.Fields(err.Error()), " ")
	at := k.root
	for _, ref := range k.refs() {
		if strings.Contains(message, ref.text) {
			at = ref.at
		}
	}
	if dir := absolute(k.dir); dir != "/" {
		message = strings.ReplaceAll(message, dir+"/", "")
		message = strings.ReplaceAll(message, dir, k.dir)
	}
	if r := []rune(message); len(r) > 400 {
		message = string(r[:400]) + "…"
	}
	return k.problem("kustomize-build", at, "kubectl apply -k fails: %s", message)
}

// building holds builds apart: kustomize keeps its schema in a global variable.
var building sync.Mutex

// run builds a kustomization as kubectl does, from local files alone.
func run(k *kustomization) (*File, error) {
	building.Lock()
	defer building.Unlock()
	disk := &shelf{FileSystem: filesys.MakeFsOnDisk(), read: map[string][]byte{}}
	m, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(disk, k.dir)
	if disk.refused != nil {
		return nil, disk.refused
	}
	if err != nil {
		return nil, err
	}
	body, err := m.AsYaml()
	if err != nil {
		return nil, err
	}
	if len(body) > mostBytes {
		return nil, errTooLarge
	}
	f := &File{Name: k.file.Name, Body: body, Rendered: true}
	lead := &lead{of: f, disk: disk.read, name: shown(k.dir)}
	f.Origin, f.Edited = lead.origin, lead.edited
	return f, nil
}

// shown turns an absolute path into the one that a user knows: beside the folder that
// was named.
func shown(dir string) func(string) string {
	root, err := filepath.EvalSymlinks(absolute(dir))
	return func(path string) string {
		if rel, e := filepath.Rel(root, path); err == nil && e == nil {
			return filepath.Join(dir, rel)
		}
		return path
	}
}

// shelf is the disk as a build may see it: bounded, not written to, and closed to
// kustomizations that would fetch something.
type shelf struct {
	filesys.FileSystem
	read    map[string][]byte
	total   int
	refused error
}

var errReadOnly = errors.New("a build writes nothing")

// ReadFile reads a file of bounded size, and keeps it for places of what comes out.
func (s *shelf) ReadFile(path string) ([]byte, error) {
	if s.refused != nil {
		return nil, s.refused
	}
	body, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if s.total += len(body); s.total > 4*mostBytes {
		return nil, errTooLarge
	}
	s.read[path] = body
	if explodes(body) {
		s.refused = fmt.Errorf("%s: its aliases stand for more than %d values", filepath.Base(path), mostNodes)
		return nil, s.refused
	}
	if !slices.Contains(kustomizationNames, filepath.Base(path)) {
		return body, nil
	}
	k, _ := openKustomization(path)
	if k == nil {
		return body, nil // kustomize says what is wrong with it
	}
	each("", k.root, func(_ string, v Value) {
		if explodes([]byte(v.Text())) {
			s.refused = fmt.Errorf("%s, line %d: its aliases stand for more than %d values", filepath.Base(path), v.Line(), mostNodes)
		}
	})
	if s.refused != nil {
		return nil, s.refused
	}
	if problems := slices.Concat(k.remote(), k.missing()); len(problems) > 0 {
		s.refused = errors.New(problems[0].Message)
		return nil, s.refused
	}
	return body, nil
}

// explodes says that a text is YAML whose aliases stand for more than is read: kustomize
// writes out each, until memory is full.
func explodes(text []byte) bool {
	if bytes.IndexByte(text, '&') < 0 || bytes.IndexByte(text, '*') < 0 {
		return false
	}
	for _, c := range (&File{Body: toUTF8(text)}).Chunks() {
		if _, problems := c.Parse(); len(problems) > 0 && problems[0].ID == "yaml-too-large" {
			return true
		}
	}
	return false
}

func (s *shelf) Create(string) (filesys.File, error) { return nil, errReadOnly }
func (s *shelf) Mkdir(string) error                  { return errReadOnly }
func (s *shelf) MkdirAll(string) error               { return errReadOnly }
func (s *shelf) RemoveAll(string) error              { return errReadOnly }
func (s *shelf) WriteFile(string, []byte) error      { return errReadOnly }
