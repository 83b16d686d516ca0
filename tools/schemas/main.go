// Command schemas vendors what Kubernetes and its extensions say of their kinds, for
// assay lint to check objects offline. It copies files unchanged out of pinned modules,
// packed with gzip, with their hashes, licences and notices; and it derives from them
// what the program carries: the same schemas without their descriptions, which are nine
// tenths of the bytes.
//
//	go run ./tools/schemas            writes internal/lint/schema/{vendored,derived}
package main

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Folders below the repository's root.
const (
	vendored = "internal/lint/schema/vendored"
	derived  = "internal/lint/schema/derived"
)

// entry is a vendored file in table.json.
type entry struct {
	Name    string `json:"name"` // in this folder, with .gz
	Module  string `json:"module"`
	Version string `json:"version"`
	Path    string `json:"path"`   // in the module
	SHA256  string `json:"sha256"` // of the file as it is there
	Licence string `json:"licence"`
	Text    string `json:"licence_text"` // the file beside this one
	Notice  string `json:"notice,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run() error {
	for _, dir := range []string{vendored, derived} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	var table []entry
	for _, o := range append([]origin{kubernetes}, definitions...) {
		entries, err := vendor(o)
		if err != nil {
			return fmt.Errorf("%s: %w", o.module, err)
		}
		table = append(table, entries...)
	}
	text, err := json.MarshalIndent(table, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(vendored, "table.json"), append(text, '\n'), 0o644); err != nil {
		return err
	}
	files, err := derive(vendored, table)
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := pack(filepath.Join(derived, name), text); err != nil {
			return err
		}
	}
	return nil
}

// vendor copies the files of an origin, its licence and its notice.
func vendor(o origin) ([]entry, error) {
	dir, err := download(o)
	if err != nil {
		return nil, err
	}
	licence, err := legal(dir, "LICENSE")
	if err != nil {
		return nil, err
	}
	notice, err := legal(dir, "NOTICE")
	if err != nil {
		return nil, err
	}
	var all []entry
	for _, name := range o.files {
		path := o.folder + "/" + name
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		if err := pack(filepath.Join(vendored, name+".gz"), text); err != nil {
			return nil, err
		}
		all = append(all, entry{name + ".gz", o.module, o.version, path, hash(text), o.licence, licence, notice})
	}
	return all, nil
}

// download is the folder of a module's source.
func download(o origin) (string, error) {
	cmd := exec.Command("go", "mod", "download", "-json", o.module+"@"+o.version)
	cmd.Dir = os.TempDir() // outside of a module: no version of ours plays a part
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download %s: %w: %s", o.version, err, text)
	}
	var got struct{ Dir, Sum string }
	if err := json.Unmarshal(text, &got); err != nil {
		return "", err
	}
	if got.Sum != o.sum {
		return "", fmt.Errorf("%s is %s, not %s", o.version, got.Sum, o.sum)
	}
	return got.Dir, nil
}

// legal copies a module's licence or notice under a name made of its content, so that
// equal ones are kept once; empty: the module has none.
func legal(dir, kind string) (string, error) {
	text, err := os.ReadFile(filepath.Join(dir, kind))
	if os.IsNotExist(err) && kind == "NOTICE" {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	name := kind + "-" + hash(text)[:8] + ".txt"
	return name, os.WriteFile(filepath.Join(vendored, name), text, 0o644)
}

func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// pack writes a text with gzip, without a name and a time, so that the same text gives
// the same bytes.
func pack(path string, text []byte) error {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

func unpack(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return io.ReadAll(r)
}

// derive is what the program carries, by file name.
func derive(dir string, table []entry) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, e := range table {
		text, err := unpack(filepath.Join(dir, e.Name))
		if err != nil {
			return nil, err
		}
		name, small, err := "core.json.gz", []byte(nil), error(nil)
		if strings.HasSuffix(e.Path, "swagger.json") {
			small, err = builtIn(text)
		} else {
			name, small, err = custom(text)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name, err)
		}
		files[name] = small
	}
	return files, nil
}
