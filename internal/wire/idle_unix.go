//go:build unix

package wire

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// silent reports a socket that has neither bytes to read nor an end or error.
func silent(raw syscall.RawConn) (yes bool) {
	err := raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := unix.Recvfrom(int(fd), b[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		yes = errors.Is(err, unix.EAGAIN)
	})
	return yes && err == nil
}
