package own

import (
	"testing"
	"time"
)

// Within shortens how long an evaluation may take.
func Within(t *testing.T, most time.Duration) {
	was := mostTime
	mostTime = most
	t.Cleanup(func() { mostTime = was })
}
