package record

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"assay/internal/input"
)

// Bounds on what is read, far above what a run writes: run.json takes some
// 10 KiB a level, a request's line some 8 bytes a chunk.
const (
	mostRunBytes  = 256 << 20
	mostLineBytes = 64 << 20
)

// ReadFile reads a regular file of at most most bytes. Anything else is
// refused before it is opened: opening a pipe may wait for ever, and a device
// may have no end.
func ReadFile(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s is larger than %s", path, bytesName(most))
	}
	return b, nil
}

func openRegular(path string) (*os.File, error) {
	if err := regular(path); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// regular refuses what is there and is not a regular file or a link to one.
func regular(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file, but a %s", path, input.Kind(info.Mode()))
	}
	return nil
}

func bytesName(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

// WriteFile writes a file atomically: beside it first, then renamed. What is
// there and is not a regular file is not replaced.
func WriteFile(path string, data []byte) error {
	if err := regular(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, werr := f.Write(data)
	err = errors.Join(werr, f.Chmod(0o644), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, removeQuietly(f.Name())))
	}
	return nil
}

func removeQuietly(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
