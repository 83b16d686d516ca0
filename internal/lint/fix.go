package lint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"assay/internal/lint/source"
)

// mostRounds bounds how often what was mended is judged and mended again: edits that
// overlap are made one after another.
const mostRounds = 10

// Fixed is a file that was changed.
type Fixed struct {
	File          string
	Before, After []byte
	Findings      int // that were mended
}

// Fix mends what is mechanical in the files that it reads, and judges them again until
// nothing more can be mended. Text that was rendered, and standard input, stay. The
// result is that of the files as they are left; what was changed is said even where an
// error ends it.
func Fix(ctx context.Context, read func() Reading, opt Options) (Result, []Fixed, error) {
	changed := map[string]*Fixed{}
	for range mostRounds {
		res, err := Run(ctx, read(), opt)
		if err != nil {
			return res, inPlace(changed), err
		}
		again, err := mend(res, changed)
		if err != nil || !again {
			return res, inPlace(changed), err
		}
	}
	res, err := Run(ctx, read(), opt)
	return res, inPlace(changed), err
}

func inPlace(changed map[string]*Fixed) []Fixed {
	var all []Fixed
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		all = append(all, *changed[name])
	}
	return all
}

// mend changes each file for which findings carry edits.
func mend(res Result, changed map[string]*Fixed) (again bool, err error) {
	edits := map[string][][]Edit{}
	for _, f := range res.Findings {
		if f.Status == Fail && len(f.Edits) > 0 && !f.Rendered && (f.named || !isLink(f.File)) {
			edits[f.File] = append(edits[f.File], f.Edits)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
			continue // a pipe gives its text once, and none is written to
		}
		before, err := os.ReadFile(name)
		if err != nil {
			return again, fmt.Errorf("fix %s: %w", name, err)
		}
		after, made := Apply(before, edits[name])
		if made == 0 || bytes.Equal(before, after) || broken(after) > broken(before) {
			continue
		}
		if err := replace(name, after); err != nil {
			return again, fmt.Errorf("fix %s: %w", name, err)
		}
		again = true
		if changed[name] == nil {
			changed[name] = &Fixed{File: name, Before: before}
		}
		changed[name].After = after
		changed[name].Findings += made
	}
	return again, nil
}

// isLink says that a file stands elsewhere: perhaps outside of the folder that was
// named, where nobody asked for a change.
func isLink(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode()&os.ModeSymlink != 0
}

// broken is how many documents of a text cannot be read: what mends never breaks.
func broken(body []byte) int {
	n := 0
	for _, c := range (&source.File{Body: body}).Chunks() {
		if _, problems := c.Parse(); len(problems) > 0 {
			n++
		}
	}
	return n
}

// replace writes a file anew, whole or not at all, with the rights that it has. Where a
// link leads to it, the link stays.
func replace(name string, body []byte) (err error) {
	path, err := filepath.EvalSymlinks(name)
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	_, err = tmp.Write(body)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	if err = os.Chmod(tmp.Name(), info.Mode().Perm()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
