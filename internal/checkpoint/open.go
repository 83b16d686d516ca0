package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"assay/internal/model"
)

// Open finds what a reference means: a file or folder that is there, a known
// model's name or repository, or a count of parameters. The error says which of
// them it is nearest to.
func Open(ref string) (Checkpoint, error) {
	if strings.TrimSpace(ref) == "" {
		return Checkpoint{}, errors.New("no model: give config.json, a folder, FILE.safetensors, FILE.gguf, a known model's name, or a count such as 30B")
	}
	info, err := stat(ref)
	switch {
	case err == nil && info.IsDir():
		return openFolder(ref)
	case err == nil:
		return openFile(ref)
	case !errors.Is(err, fs.ErrNotExist) && !isName(ref):
		return Checkpoint{}, err
	case isPath(ref):
		return Checkpoint{}, fmt.Errorf("%s is not there", ref)
	}
	return openName(ref)
}

// openName takes a name for a known model's, else for a count.
func openName(ref string) (Checkpoint, error) {
	a, err := model.Named(ref)
	if err == nil {
		return Checkpoint{Ref: ref, Kind: Preset, Arch: &a, Parameters: a.Parameters()}, nil
	}
	if c, ok := parseCount(ref); ok {
		return ofCount(ref, c)
	}
	return Checkpoint{}, fmt.Errorf("%w, and so does a count such as 30B", err)
}

// isPath says whether a reference can only be meant as a file's.
func isPath(ref string) bool {
	switch strings.ToLower(filepath.Ext(ref)) {
	case ".json", ".safetensors", ".gguf":
		return true
	}
	return filepath.IsAbs(ref) || strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "../") || strings.Count(ref, "/") > 1
}

// isName says whether a reference can be a model's name at all: the system may
// refuse to look for it as a file, as where it is too long or a parent is none.
func isName(ref string) bool { return !isPath(ref) }

// openFile reads one file by what it is named, else by how it begins.
func openFile(ref string) (Checkpoint, error) {
	kind, err := kindOfFile(ref)
	if err != nil {
		return Checkpoint{}, err
	}
	switch kind {
	case Safetensors:
		return openSafetensors(ref)
	case Index:
		return openIndex(ref)
	case GGUF:
		return openGGUF(ref)
	case Config:
		c := Checkpoint{Ref: ref, Kind: Config}
		if err := c.readConfig(ref); err != nil {
			return Checkpoint{}, err
		}
		return c, nil
	}
	return Checkpoint{}, fmt.Errorf("%s is no file that a model is read from: give config.json, a folder, FILE.safetensors, model.safetensors.index.json or FILE.gguf", ref)
}

func kindOfFile(ref string) (string, error) {
	name := strings.ToLower(ref)
	switch {
	case strings.HasSuffix(name, ".safetensors"):
		return Safetensors, nil
	case strings.HasSuffix(name, ".index.json"):
		return Index, nil
	case strings.HasSuffix(name, ".gguf"):
		return GGUF, nil
	case strings.HasSuffix(name, ".json"):
		return Config, nil
	}
	return sniff(ref)
}

// sniff tells a file by its first bytes: blobs of a cache have no extension.
func sniff(ref string) (string, error) {
	f, _, err := openRegular(ref)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b [9]byte
	n, _ := io.ReadFull(f, b[:])
	switch head := string(b[:n]); {
	case strings.HasPrefix(head, "GGUF"):
		return GGUF, nil
	case strings.HasPrefix(strings.TrimSpace(head), "{"):
		return Config, nil
	case n == len(b) && b[8] == '{':
		return Safetensors, nil
	}
	return "", nil
}

// openSafetensors reads one file's header, with config.json beside it where there is one.
func openSafetensors(ref string) (Checkpoint, error) {
	tensors, err := readSafetensors(ref)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{Ref: ref, Kind: Safetensors, Stored: store(tensors)}
	if err := c.besideConfig(ref); err != nil {
		return Checkpoint{}, err
	}
	if shardForm.MatchString(filepath.Base(ref)) {
		return Checkpoint{}, fmt.Errorf("%s is one of several files: give its folder or %s", ref, indexFile)
	}
	c.infer(tensors)
	if err := c.settle(); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

func openIndex(ref string) (Checkpoint, error) {
	x, err := readIndex(ref)
	if err != nil {
		return Checkpoint{}, err
	}
	c := Checkpoint{Ref: ref, Kind: Index}
	if err := c.besideConfig(ref); err != nil {
		return Checkpoint{}, err
	}
	if c.Stored, err = x.stored(filepath.Dir(ref), c.Arch, &c); err != nil {
		return Checkpoint{}, err
	}
	if err := c.settle(); err != nil {
		return Checkpoint{}, err
	}
	return c, nil
}

// besideConfig reads the config.json in a file's folder, if there is one.
func (c *Checkpoint) besideConfig(ref string) error {
	path := filepath.Join(filepath.Dir(ref), configFile)
	if _, err := stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return c.readConfig(path)
}
