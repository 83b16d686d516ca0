package practice

import "time"

// Probe is how often a probe asks, and how often it may fail in a row.
type Probe struct {
	Period, Timeout time.Duration
	Failures        int
}

// Span is how long a container may fail it before it counts.
func (p Probe) Span() time.Duration { return p.Period * time.Duration(p.Failures) }

// Probes of a server that starts slowly and is busy when it runs.
var (
	// Liveness restarts a server that does not answer for three minutes. A restart costs
	// minutes and every running request: an engine that is slow is not dead.
	Liveness = Probe{Period: 30 * time.Second, Timeout: 10 * time.Second, Failures: 6}
	// Readiness takes a server out of the Service that misses three in a row.
	Readiness = Probe{Period: 5 * time.Second, Timeout: 5 * time.Second, Failures: 3}
)

// DefaultStart is how long a start may take where it was not computed: documents on
// practice give 5 to 15 minutes for a cold start; twice the slow end. A probe that is
// too patient costs nothing: an engine that fails exits by itself.
const DefaultStart = 30 * time.Minute

// Startup is a startup probe that waits twice as long as a start is computed to take.
func Startup(slow time.Duration) Probe {
	const period = 10 * time.Second
	span := DefaultStart
	if slow > 0 {
		span = max(10*time.Minute, upTo(2*slow, time.Minute))
	}
	return Probe{Period: period, Timeout: 5 * time.Second, Failures: int(span / period)}
}
