//go:build race

package diagnose

// raced says that the race detector is on.
const raced = true
