package load

import (
	"time"

	"assay/internal/record"
)

// Result is how one level went. What it measured is in the records that
// OnRequest and OnSample were given. Offsets are since the run's start.
type Result struct {
	Level      Level
	Start, End time.Duration

	Requests record.Requests
	Errors   map[string]int // measured requests, by kind
	CutBy    string         // budget, errors, interrupt or empty
	Dropped  int            // arrivals that MaxInFlight let not be sent
	Repeated int            // measured requests whose prompt the source had given before

	SourceEnded bool // a level held Once ended with its source
	InFlightMax int
}

func (u *execution) result(start time.Duration) Result {
	t := &u.tally
	r := Result{
		Level: u.level, Start: start, End: u.Client.Now(),
		Requests: t.counts, Errors: t.errors, CutBy: u.gate.cut, Repeated: t.repeated,
	}
	_, r.InFlightMax, r.Dropped = u.meter.counts()
	return r
}
