package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"assay/internal/input"
)

// mostBytes is the size of a file that is read. Ten thousand objects have some 4 MiB.
const mostBytes = 32 << 20

var (
	errTooLarge   = fmt.Errorf("it is larger than %d MiB", mostBytes>>20)
	errDockerfile = fmt.Errorf("it is larger than %d MiB", mostDockerfile>>20)
)

// stat follows links.
func stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// readFile reads a regular file or, where a user names one, a pipe.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode()&(fs.ModeDevice|fs.ModeCharDevice|fs.ModeSocket|fs.ModeIrregular) != 0 {
		return nil, fmt.Errorf("it is a %s, not a file", input.Kind(info.Mode()))
	}
	if info.Mode().IsRegular() && info.Size() > mostBytes {
		return nil, errTooLarge
	}
	// A named pipe that nobody writes to would hold the program for ever.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAll(f)
}

// readAll reads at most what a file may have.
func readAll(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, mostBytes+1))
	if err == nil && len(body) > mostBytes {
		err = errTooLarge
	}
	return body, err
}

// unreadable is the problem that an error of the file system is.
func unreadable(path string, err error) Problem {
	p := Problem{ID: "unreadable-file", Place: Place{path, 1, 1}}
	var in *fs.PathError
	if errors.As(err, &in) {
		err = in.Err
	}
	switch {
	case errors.Is(err, errTooLarge):
		p.ID = "yaml-too-large"
		if isDockerfile(path) {
			err, p.ID = errDockerfile, "dockerfile-too-large"
		}
	case errors.Is(err, syscall.ELOOP):
		p.ID = "symlink-loop"
		p.Message = "the link leads back to itself"
		return p
	}
	p.Message = "the file cannot be read: " + err.Error()
	return p
}
