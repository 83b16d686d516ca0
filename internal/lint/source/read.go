package source

import (
	"context"
	"io"
	"iter"
	"path/filepath"
	"slices"
)

// Options are how paths are read.
type Options struct {
	Stdin  io.Reader // what - stands for
	Values []string  // files of values for charts, later ones over earlier ones
}

// Read reads paths in their order: files, folders with all that lies in them, - for
// standard input. Each step yields a file, which is nil where it cannot be read, and
// what of it cannot be. One file is held at a time: its bytes go once the caller lets
// go of it.
func Read(ctx context.Context, paths []string, opt Options) iter.Seq2[*File, []Problem] {
	return func(yield func(*File, []Problem) bool) {
		opt.Values = slices.Clone(opt.Values)
		r := &reader{ctx: ctx, opt: opt, yield: yield, read: map[string]bool{}}
		if !r.values() {
			return
		}
		for _, path := range paths {
			if !r.path(path) {
				return
			}
		}
	}
}

// reader reads for one caller. Its methods say whether the caller wants more.
type reader struct {
	ctx   context.Context
	opt   Options
	yield func(*File, []Problem) bool
	read  map[string]bool // files of kustomizations that were read, by absolute path
}

func (r *reader) file(f *File) bool { return r.ctx.Err() == nil && r.yield(f, nil) }

func (r *reader) problem(p Problem) bool { return r.ctx.Err() == nil && r.yield(nil, []Problem{p}) }

// values keeps the files of values that are there. helm would fetch what is none.
func (r *reader) values() bool {
	for i := len(r.opt.Values) - 1; i >= 0; i-- {
		path := r.opt.Values[i]
		if _, err := readFile(path); err != nil {
			r.opt.Values = slices.Delete(r.opt.Values, i, i+1)
			if !r.problem(unreadable(path, err)) {
				return false
			}
		}
	}
	return true
}

// path reads what a user named.
func (r *reader) path(path string) bool {
	if path == "-" {
		return r.stdin()
	}
	info, err := stat(path)
	switch {
	case err != nil:
		return r.problem(unreadable(path, err))
	case info.IsDir():
		return r.folder(path)
	}
	return r.named(path)
}

// stdin reads standard input as one file.
func (r *reader) stdin() bool {
	if r.opt.Stdin == nil {
		return r.problem(Problem{ID: "unreadable-file", Place: Place{"-", 1, 1}, Message: "there is no standard input"})
	}
	body, err := readAll(r.opt.Stdin)
	if err != nil {
		return r.problem(unreadable("-", err))
	}
	return r.text(&File{Name: "-", Body: body, Named: true})
}

// disk reads one file from disk.
func (r *reader) disk(path string, named bool) bool {
	body, err := readFile(path)
	if err == nil && isDockerfile(path) && len(body) > mostDockerfile {
		err = errTooLarge
	}
	if err != nil {
		return r.problem(unreadable(path, err))
	}
	return r.text(&File{Name: path, Body: body, Named: named, Dockerfile: isDockerfile(path)})
}

// text yields a file whose text can be read.
func (r *reader) text(f *File) bool {
	if p := f.decode(); p != nil {
		return r.problem(*p)
	}
	return r.file(f)
}

// folder reads what lies in a folder, in the order of names.
func (r *reader) folder(path string) bool {
	all := survey(r.ctx, path)
	used := r.kustomizations(all)
	for _, e := range all {
		for _, p := range e.problems {
			if !r.problem(p) {
				return false
			}
		}
		more := true
		switch {
		case e.chart:
			more = isUsed(used, e.path) || r.chart(e.path)
		case e.built != nil:
			more = isUsed(used, e.built.dir) || r.build(e.built)
		case e.path == "" || e.kustomization || isUsed(used, e.path):
		default:
			more = r.disk(e.path, false)
		}
		if !more {
			return false
		}
	}
	return true
}

// named reads a file that a user named.
func (r *reader) named(path string) bool {
	if slices.Contains(kustomizationNames, filepath.Base(path)) {
		if k, _ := openKustomization(path); k != nil && k.isOne() {
			return r.build(k)
		}
	}
	if isArchive(path) {
		return r.chart(path)
	}
	return r.disk(path, true)
}
