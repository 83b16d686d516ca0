//go:build !linux

package source

import "os"

// bindMemory does nothing: only Linux bounds the memory of a process that runs.
func bindMemory(*os.Process) error { return nil }
