package lint

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"assay/internal/lint/source"
)

// TestFix holds that files are mended where they are, and that nothing else changes:
// rights, links, other files, the other bytes.
func TestFix(t *testing.T) {
	dir := t.TempDir()
	mends := &Rule{ID: "mends", Severity: Warning, Object: func(p *Pass, o *Object) {
		for k, v := range o.Get("data").Pairs() {
			switch v.Text() {
			case "bad":
				p.Fail(v, "bad").Edits = p.SetScalar(v, "worse")
			case "worse": // a second round
				p.Fail(v, "worse").Edits = p.SetScalar(v, "good")
			case "gone":
				p.Fail(v, "gone").Edits = p.Remove(o.Get("data"), k.Text())
			}
		}
	}}
	before := configMap("c", "  # why\n  a: bad   # it was\n  b:  'x'\n  c: gone\n") + "--- # next\n" + configMap("d", "  a: fine\n")
	after := configMap("c", "  # why\n  a: good   # it was\n  b:  'x'\n") + "--- # next\n" + configMap("d", "  a: fine\n")
	path, link, other := filepath.Join(dir, "a.yaml"), filepath.Join(dir, "link.yaml"), filepath.Join(dir, "b.yaml")
	write(t, path, before)
	write(t, other, configMap("e", "  a:   fine\n"))
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.yaml", link); err != nil {
		t.Fatal(err)
	}
	read := func() Reading {
		return source.Read(context.Background(), []string{link, other}, source.Options{})
	}
	res, fixed, err := Fix(context.Background(), read, Options{Rules: []*Rule{mends}})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Findings) != 0 || len(fixed) != 1 || fixed[0].Findings != 3 {
		t.Errorf("%d findings are left, fixed %+v", len(res.Findings), fixed)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != after {
		t.Errorf("%v\n%s\nwant\n%s", err, got, after)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("rights are %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info.Mode(), err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 3 {
		t.Errorf("%d files, want 3: %v", len(entries), err)
	}
}

// TestFixFollowsNoLinkOutOfTheFolder: only what was named is changed.
func TestFixFollowsNoLinkOutOfTheFolder(t *testing.T) {
	dir, outside := t.TempDir(), filepath.Join(t.TempDir(), "a.yaml")
	text := configMap("c", "  a: bad\n")
	write(t, outside, text)
	if err := os.Symlink(outside, filepath.Join(dir, "a.yaml")); err != nil {
		t.Fatal(err)
	}
	mends := &Rule{ID: "mends", Severity: Warning, Object: func(p *Pass, o *Object) {
		v := o.Get("data", "a")
		p.Fail(v, "bad").Edits = p.SetScalar(v, "good")
	}}
	read := func() Reading { return source.Read(context.Background(), []string{dir}, source.Options{}) }
	res, fixed, err := Fix(context.Background(), read, Options{Rules: []*Rule{mends}})
	if err != nil || len(fixed) != 0 || len(res.Findings) != 1 {
		t.Errorf("%+v, %d findings, %v", fixed, len(res.Findings), err)
	}
	if got, _ := os.ReadFile(outside); string(got) != text {
		t.Errorf("the file outside is now %s", got)
	}
}

// TestFixLeavesWhatItWouldBreak: an edit after which the document is no YAML is not made.
func TestFixLeavesWhatItWouldBreak(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	text := configMap("c", "  a: bad\n")
	write(t, path, text)
	breaks := &Rule{ID: "breaks", Severity: Warning, Object: func(p *Pass, o *Object) {
		p.Fail(o.Root, "x").Edits = edit(p.File, 6, 1, 6, 3, "\t{")
	}}
	read := func() Reading { return source.Read(context.Background(), []string{path}, source.Options{}) }
	res, fixed, err := Fix(context.Background(), read, Options{Rules: []*Rule{breaks}})
	if err != nil || len(fixed) != 0 || len(res.Findings) != 1 {
		t.Errorf("%+v, %d findings, %v", fixed, len(res.Findings), err)
	}
	if got, _ := os.ReadFile(path); string(got) != text {
		t.Errorf("the file is now %s", got)
	}
}

// TestFixSaysWhatItChanged: a run that is interrupted after the first round has changed
// files, and names them.
func TestFixSaysWhatItChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, configMap("c", "  a: bad\n"))
	mends := &Rule{ID: "mends", Severity: Warning, Object: func(p *Pass, o *Object) {
		if v := o.Get("data", "a"); v.Text() == "bad" {
			p.Fail(v, "x").Edits = p.SetScalar(v, "good")
		}
	}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rounds := 0
	read := func() Reading {
		if rounds++; rounds == 2 {
			cancel()
		}
		return source.Read(ctx, []string{path}, source.Options{})
	}
	_, fixed, err := Fix(ctx, read, Options{Rules: []*Rule{mends}})
	if !errors.Is(err, context.Canceled) || len(fixed) != 1 || fixed[0].File != path {
		t.Errorf("%d files are said to be changed, %v", len(fixed), err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestFixLeavesPipes holds that what is no file is neither waited for nor written.
func TestFixLeavesPipes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Skip(err)
	}
	mends := &Rule{ID: "mends", Severity: Warning, Object: func(p *Pass, o *Object) {
		v := o.Get("data", "a")
		p.Fail(v, "bad").Edits = p.SetScalar(v, "good")
	}}
	read := func() Reading {
		f := &source.File{Name: path, Body: []byte(configMap("c", "  a: bad\n")), Named: true}
		return func(yield func(*source.File, []source.Problem) bool) { yield(f, nil) }
	}
	res, fixed, err := Fix(context.Background(), read, Options{Rules: []*Rule{mends}})
	if err != nil || len(fixed) != 0 || len(res.Findings) != 1 {
		t.Errorf("fixed %v, %d findings, %v; want the finding alone", fixed, len(res.Findings), err)
	}
}

// TestBaselinesReplaceBaselines holds that no other file is written over.
func TestBaselinesReplaceBaselines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.yaml")
	write(t, path, configMap("c", "  a: b\n"))
	if err := BaselineOf(Result{}, path).WriteFile(path); err == nil {
		t.Error("a manifest is overwritten by a baseline")
	}
	path = filepath.Join(t.TempDir(), "baseline.json")
	for range 2 {
		if err := BaselineOf(Result{}, path).WriteFile(path); err != nil {
			t.Error(err)
		}
	}
}
