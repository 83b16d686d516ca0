package practice

import "time"

// Measured is what a run says about the service that manifests are for. A zero was not
// measured.
type Measured struct {
	Run string // its folder's name

	// Response is how long a whole answer takes, by the highest percentile that the
	// sample supports up to the operating point; ResponseName says which, such as p99,
	// or maximum.
	Response     time.Duration
	ResponseName string
	Longest      time.Duration // the longest answer of all
	// Silence is the longest gap without a byte within an answer, the time to its first
	// token included.
	Silence time.Duration

	// Operating is the load of one replica that met the SLO, requests in flight.
	Operating float64
	KneeLow   float64 // requests in flight of one replica
	Model     string
	GPU       string
}

// Supported is the percentile that a time of drain should rest on.
const Supported = "p99"

// Responses are what a drain waits for.
func (m *Measured) Responses() Responses {
	r := Responses{Usual: m.Response}
	if m.ResponseName != Supported {
		r.Longest = m.Longest
	}
	return r
}
