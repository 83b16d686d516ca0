//go:build !linux

package result

// usage is not measured here: the figures in README.md are of Linux.
func usage() (cpu, peak float64) { return 0, 0 }
