package checkpoint

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"assay/internal/input"
)

// openRegular opens a regular file or a link to one, and says how large it is.
// Anything else is refused before it is opened: opening a pipe may wait for ever.
func openRegular(path string) (*os.File, int64, error) {
	info, err := stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s is not a file, but a %s", path, input.Kind(info.Mode()))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	return f, info.Size(), nil
}

func stat(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link that leads back to itself", path)
	}
	return info, err
}

// readRegular reads all of a regular file of at most most bytes.
func readRegular(path string, most int64) ([]byte, error) {
	f, _, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > most {
		return nil, fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return b, nil
}
