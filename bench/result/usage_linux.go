package result

import "golang.org/x/sys/unix"

// usage is the CPU time of this process, seconds, and its peak memory, MiB.
func usage() (cpu, peak float64) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	seconds := func(t unix.Timeval) float64 { return float64(t.Nano()) / 1e9 }
	return seconds(u.Utime) + seconds(u.Stime), float64(u.Maxrss) / 1024 // KiB on Linux
}
