package source

import (
	"os"

	"golang.org/x/sys/unix"
)

// bindMemory bounds the memory of a process: a template can ask for any amount.
func bindMemory(p *os.Process) error {
	most := unix.Rlimit{Cur: helmMemory, Max: helmMemory}
	return unix.Prlimit(p.Pid, unix.RLIMIT_DATA, &most, nil)
}
