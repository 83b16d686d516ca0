//go:build !linux

package result

import (
	"os"
	"time"
)

// Work is not measured here.
func Work() (machine, ours time.Duration) { return 0, 0 }

// Peak is not measured here.
func Peak(*os.ProcessState) float64 { return 0 }
