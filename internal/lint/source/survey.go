package source

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Bounds of one folder that a user names.
const (
	mostEntries = 200_000
	mostLevels  = 64
)

// entry is one thing that lies in a folder: a file to read, or problems.
type entry struct {
	path     string
	problems []Problem

	kustomization bool           // the file is one
	built         *kustomization // as it was read
	chart         bool           // the path is a chart's folder
}

// survey lists what of a folder is read, in the order of names. A link to what lies in
// the folder is passed over, since that is read itself; one to a file elsewhere is
// followed, one to a folder elsewhere is not.
func survey(ctx context.Context, root string) []entry {
	s := &surveyor{ctx: ctx}
	s.root, _ = filepath.EvalSymlinks(root)
	s.folder(root, nil)
	return s.all
}

type surveyor struct {
	ctx  context.Context
	root string // without links
	all  []entry
	seen int
	full bool
}

func (s *surveyor) problem(p Problem) { s.all = append(s.all, entry{problems: []Problem{p}}) }

// folder adds what lies in one; above are the folders that it lies in.
func (s *surveyor) folder(path string, above []fs.FileInfo) {
	if s.ctx.Err() != nil || s.full {
		return
	}
	if len(above) >= mostLevels {
		s.problem(Problem{ID: "folder-too-deep", Place: Place{path, 1, 1}, Message: fmt.Sprintf("the folder lies more than %d levels deep and is not read", mostLevels)})
		return
	}
	info, err := os.Stat(path)
	if err != nil {
		s.problem(unreadable(path, err))
		return
	}
	all, err := os.ReadDir(path)
	if err != nil {
		s.problem(unreadable(path, err))
	}
	if slices.ContainsFunc(all, func(e fs.DirEntry) bool { return e.Name() == chartFile }) {
		s.all = append(s.all, entry{path: path, chart: true})
		return // what lies in it is helm's
	}
	above = append(above[:len(above):len(above)], info)
	for _, e := range all {
		if s.seen++; s.seen > mostEntries {
			if !s.full {
				s.full = true
				s.problem(Problem{ID: "folder-too-deep", Place: Place{path, 1, 1}, Message: fmt.Sprintf("the folder holds more than %d files and folders; the rest is not read", mostEntries)})
			}
			return
		}
		s.entry(filepath.Join(path, e.Name()), e, above)
	}
}

// entry adds one thing that lies in a folder.
func (s *surveyor) entry(path string, e fs.DirEntry, above []fs.FileInfo) {
	switch {
	case e.IsDir():
		if !isAside(e.Name()) {
			s.folder(path, above)
		}
	case e.Type()&fs.ModeSymlink != 0:
		s.link(path, above)
	case e.Type().IsRegular():
		s.file(path)
	}
}

// file adds a file, where its name says that it is read.
func (s *surveyor) file(path string) {
	name := filepath.Base(path)
	if k := slices.Contains(kustomizationNames, name); k || isRead(name) {
		s.all = append(s.all, entry{path: path, kustomization: k})
	}
}

// link adds what a link leads to.
func (s *surveyor) link(path string, above []fs.FileInfo) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if p := unreadable(path, err); isRead(path) || p.ID == "symlink-loop" {
			s.problem(p)
		}
	case info.Mode().IsRegular():
		if real, ok := s.within(path); !ok || !isRead(real) {
			s.file(path)
		}
	case info.IsDir():
		for _, f := range above {
			if os.SameFile(f, info) {
				s.problem(Problem{ID: "symlink-loop", Place: Place{path, 1, 1}, Message: "the link leads to a folder that it lies in"})
				return
			}
		}
		if _, ok := s.within(path); ok {
			return
		}
		s.problem(Problem{ID: "symlink-outside", Place: Place{path, 1, 1}, Message: "the link leads out of the folder that is linted, and is not followed", Unknown: true})
	}
}

// within is where a link leads, and whether that lies in the folder that was named: it
// is read there.
func (s *surveyor) within(path string) (string, bool) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil || s.root == "" {
		return "", false
	}
	rel, err := filepath.Rel(s.root, real)
	return real, err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
