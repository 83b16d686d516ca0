//go:build !unix

package load

import "time"

// processCPU is not known here.
func processCPU() time.Duration { return 0 }

// residentBytes is not known here.
func residentBytes() uint64 { return 0 }

// openFilesLimit is not known here.
func openFilesLimit() int { return unknownFilesLimit }
