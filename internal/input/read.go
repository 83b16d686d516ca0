package input

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ReadAll reads a file or a pipe of at most most bytes; - is standard input. The name
// is what stands for it in messages.
func ReadAll(path string, most int64) (data []byte, name string, err error) {
	f, name := os.Stdin, "standard input"
	if path != "-" {
		name = filepath.Base(path)
		// A named pipe that nobody writes to would hold the program for ever.
		if f, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err != nil {
			return nil, name, err
		}
		defer f.Close()
	}
	data, err = io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d MiB", path, most>>20)
	}
	return data, name, err
}

// Kind names what is no regular file.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "folder"
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
