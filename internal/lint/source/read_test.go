package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFolderIsReadInOrder(t *testing.T) {
	dir := write(t, map[string]string{
		"b/x.yml": "", "a.yaml": "", "c.json": "{}", "Dockerfile": "FROM x", "gpu.Dockerfile": "", "Dockerfile.gpu": "", "Containerfile": "",
		"README.md": "", "Dockerfile.dockerignore": "", ".git/config.yaml": "", "node_modules/x/package.json": "", ".github/workflows/ci.yaml": "",
		"UPPER.YAML": "", "notes.txt": "", "yaml": "",
	})
	files, names, problems := readAllOf(t, dir, dir)
	want := []string{".github/workflows/ci.yaml", "Containerfile", "Dockerfile", "Dockerfile.gpu", "UPPER.YAML", "a.yaml", "b/x.yml", "c.json", "gpu.Dockerfile"}
	if d := cmp.Diff(want, names); d != "" || len(problems) > 0 {
		t.Errorf("%s %v", d, problems)
	}
	for _, f := range files {
		if want := strings.Contains(f.Name, "ockerfile") || strings.HasSuffix(f.Name, "Containerfile"); f.Dockerfile != want || f.Named {
			t.Errorf("%s: a Dockerfile %v, named %v", f.Name, f.Dockerfile, f.Named)
		}
	}
}

func TestNamedFileIsReadWhateverItsName(t *testing.T) {
	dir := write(t, map[string]string{"notes.txt": "k: a", "Dockerfile": ""})
	files, names, problems := readAllOf(t, dir, filepath.Join(dir, "notes.txt"), filepath.Join(dir, "Dockerfile"), filepath.Join(dir, "gone.yaml"))
	if d := cmp.Diff([]string{"notes.txt", "Dockerfile"}, names); d != "" || !files[0].Named || files[0].Dockerfile || !files[1].Dockerfile {
		t.Errorf("%s %+v", d, files)
	}
	if d := cmp.Diff([]string{"unreadable-file fail gone.yaml:1:1 the file cannot be read: no such file or directory"}, problems); d != "" {
		t.Error(d)
	}
}

func TestStandardInput(t *testing.T) {
	for f, problems := range Read(t.Context(), []string{"-"}, Options{Stdin: strings.NewReader("k: a")}) {
		if f == nil || f.Name != "-" || string(f.Body) != "k: a" || !f.Named || len(problems) > 0 {
			t.Errorf("%+v %v", f, problems)
		}
	}
	for f, problems := range Read(t.Context(), []string{"-"}, Options{Stdin: endless{}}) {
		if f != nil || len(problems) != 1 || problems[0].ID != "yaml-too-large" {
			t.Errorf("%+v %v", f, problems)
		}
	}
	for f, problems := range Read(t.Context(), []string{"-"}, Options{}) {
		if f != nil || len(problems) != 1 || problems[0].ID != "unreadable-file" {
			t.Errorf("%+v %v", f, problems)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// TestHostileFolder reads what no one should have written; the file beside it is read.
func TestHostileFolder(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(dir string) error
		want string
	}{
		"a sparse file of 50 MB": {func(dir string) error {
			f, err := os.Create(filepath.Join(dir, "big.yaml"))
			if err != nil {
				return err
			}
			defer f.Close()
			return f.Truncate(50 << 20)
		}, "yaml-too-large fail big.yaml:1:1 the file cannot be read: it is larger than 32 MiB"},
		"a pipe": {func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, "pipe.yaml"), 0o600) }, ""},
		"a link to a pipe": {func(dir string) error {
			if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
				return err
			}
			return os.Symlink("pipe", filepath.Join(dir, "pipe.yaml"))
		}, ""},
		"a device":                  {func(dir string) error { return os.Symlink("/dev/zero", filepath.Join(dir, "zero.yaml")) }, ""},
		"a link to itself":          {func(dir string) error { return os.Symlink("a.yaml", filepath.Join(dir, "a.yaml")) }, "symlink-loop fail a.yaml:1:1 the link leads back to itself"},
		"a link to above":           {func(dir string) error { return os.Symlink(".", filepath.Join(dir, "a")) }, "symlink-loop fail a:1:1 the link leads to a folder that it lies in"},
		"a link to outside":         {func(dir string) error { return os.Symlink("/", filepath.Join(dir, "a")) }, "symlink-outside unknown a:1:1 the link leads out of the folder that is linted, and is not followed"},
		"a link to nowhere":         {func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "a.yaml")) }, "unreadable-file fail a.yaml:1:1 the file cannot be read: no such file or directory"},
		"a folder of a name":        {func(dir string) error { return os.Mkdir(filepath.Join(dir, "a.yaml"), 0o700) }, ""},
		"a folder as kustomization": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "kustomization.yaml"), 0o700) }, ""},
		"a deep tree": {func(dir string) error { return os.MkdirAll(dir+strings.Repeat("/d", 100), 0o700) },
			"folder-too-deep fail" + " d" + strings.Repeat("/d", 63) + ":1:1 the folder lies more than 64 levels deep and is not read"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := write(t, map[string]string{"z.yaml": "k: a\n"})
			if err := tt.do(dir); err != nil {
				t.Fatal(err)
			}
			_, names, problems := readAllOf(t, dir, dir)
			if d := cmp.Diff([]string{"z.yaml"}, names); d != "" {
				t.Error(d)
			}
			if got := strings.Join(problems, "; "); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}

func TestNamedPipesAndDevices(t *testing.T) {
	dir := write(t, nil)
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// Nobody writes to it: what is read is empty, and nothing waits.
	if _, names, problems := readAllOf(t, dir, pipe); len(names) != 1 || len(problems) > 0 {
		t.Errorf("a pipe: %v %v", names, problems)
	}
	if _, names, problems := readAllOf(t, dir, "/dev/zero"); len(names) > 0 || len(problems) != 1 || !strings.HasPrefix(problems[0], "unreadable-file") {
		t.Errorf("a device: %v %v", names, problems)
	}
}

func TestUnreadableFile(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root reads every file")
	}
	dir := write(t, map[string]string{"a.yaml": "k: a", "z.yaml": "k: a"})
	if err := os.Chmod(filepath.Join(dir, "a.yaml"), 0); err != nil {
		t.Fatal(err)
	}
	_, names, problems := readAllOf(t, dir, dir)
	if len(names) != 1 || len(problems) != 1 || problems[0] != "unreadable-file fail a.yaml:1:1 the file cannot be read: permission denied" {
		t.Errorf("%v %v", names, problems)
	}
}

func TestWhatLinksLeadToIsReadOnce(t *testing.T) {
	dir := write(t, map[string]string{"real/x.yaml": "", "one.yaml": ""})
	for from, to := range map[string]string{"link": "real", "two.yaml": "one.yaml"} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if _, names, problems := readAllOf(t, dir, dir); cmp.Diff([]string{"one.yaml", "real/x.yaml"}, names) != "" || len(problems) > 0 {
		t.Errorf("each is read once: %v %v", names, problems)
	}
}

func TestReadingEndsWithItsCallerAndItsContext(t *testing.T) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("%d.yaml", i)] = "k: a"
	}
	dir := write(t, files)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range Read(ctx, []string{dir, dir}, Options{}) {
		if n++; n == 3 {
			cancel()
		}
	}
	if n != 3 {
		t.Errorf("%d files were read after the context had ended", n-3)
	}
	for range Read(t.Context(), []string{dir}, Options{}) {
		break
	}
}
