package result

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ticks is the unit of /proc/stat on every Linux that Go runs on.
const ticks = time.Second / 100

// Work is the CPU time used until now by the whole machine and by the programs
// that this one has started and that have ended.
func Work() (machine, ours time.Duration) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	line, _, _ := bytes.Cut(stat, []byte{'\n'})
	var user, nice, system int64
	if _, err := fmt.Sscanf(string(line), "cpu %d %d %d", &user, &nice, &system); err != nil {
		return 0, 0
	}
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_CHILDREN, &u); err != nil {
		return 0, 0
	}
	return time.Duration(user+nice+system) * ticks, time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Peak is the most memory that a program that has ended held, MiB.
func Peak(ended *os.ProcessState) float64 {
	u, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return float64(u.Maxrss) / 1024 // KiB on Linux
}
