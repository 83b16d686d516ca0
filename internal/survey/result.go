package survey

import (
	"math"
	"time"

	"assay/internal/record"
)

// Result is what a look saw and what it says.
type Result struct {
	Bound     record.Bound `json:"bound"` // of the service
	Instances []Instance   `json:"instances"`
	WindowS   float64      `json:"window_s"` // what was seen, not what was asked for
	From      time.Time    `json:"from"`
	To        time.Time    `json:"to"`
	Source    string       `json:"source"` // scrapes or prometheus
	// Differences are what sets replicas apart; see Instance.Odd for which.
	Differences []Difference `json:"differences,omitempty"`
	Incidents   []Incident   `json:"incidents,omitempty"`
	Remarks     []string     `json:"remarks,omitempty"`
	Interrupted bool         `json:"interrupted,omitempty"` // by the user: less was seen than asked for
}

// Sources of a look.
const (
	FromScrapes    = "scrapes"
	FromPrometheus = "prometheus"
)

// Instance is one replica.
type Instance struct {
	Name  string       `json:"name"`
	Bound record.Bound `json:"bound"`
	// Odd says that it lies apart from the other replicas of its model, and Why in
	// what.
	Odd bool     `json:"odd"`
	Why []string `json:"why,omitempty"`

	Model  string            `json:"model,omitempty"`
	Engine string            `json:"engine,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	// Load is the mean of running and waiting requests over the window.
	Load *float64 `json:"load"`
	// Server, GPU and Node are over the longest part of the window without a
	// restart.
	Server *record.Server `json:"server"`
	GPU    *record.GPU    `json:"gpu,omitempty"`
	Node   *record.Node   `json:"node,omitempty"`
	// Spans are the parts of alike load that the verdict rests on, by load.
	Spans []Span `json:"spans"`
	Tails []Tail `json:"tails,omitempty"`
	// Restarts are the moments at which the process, or its counters, began anew.
	Restarts []Restart `json:"restarts,omitempty"`
	// Failed says why it could not be read.
	Failed string `json:"failed,omitempty"`

	levels  []record.Level
	start   time.Time // of the part that Server, GPU and Node are of
	seconds float64   // of that part
	ofSeen  float64   // the share of all that was seen that it is, 0..1
	errors  *float64  // requests of that part that ended in an error
}

// OutputTokensPerS is the replica's throughput; nil where the engine does not
// count.
func (i Instance) OutputTokensPerS() *float64 {
	if i.Server == nil || i.Server.OutputTokens == nil || i.seconds <= 0 {
		return nil
	}
	return finite(*i.Server.OutputTokens / i.seconds)
}

// finite is nil for a figure that overflowed on its way, or would in a sum.
func finite(v float64) *float64 {
	const most = 1e150 // its square is still a number
	if math.IsNaN(v) || math.Abs(v) > most {
		return nil
	}
	return &v
}

// ofServer is the engine's account, one without figures where there is none.
func (i Instance) ofServer() record.Server {
	if i.Server == nil {
		return record.Server{}
	}
	return *i.Server
}

func (i Instance) ofGPU() record.GPU {
	if i.GPU == nil {
		return record.GPU{}
	}
	return *i.GPU
}

// Span is a part of the window.
type Span struct {
	ID               string    `json:"id"`
	From             time.Time `json:"from"`
	DurationS        float64   `json:"duration_s"`
	Load             float64   `json:"load"` // mean running and waiting requests
	RequestsPerS     *float64  `json:"requests_per_s"`
	OutputTokensPerS *float64  `json:"output_tokens_per_s"`
}

// Restart is a moment at which a replica began anew.
type Restart struct {
	At  time.Time `json:"at"`
	Why string    `json:"why"`
}

// Incident is what the cluster says happened.
type Incident struct {
	Kind   string    `json:"kind"`
	Object string    `json:"object"`
	Fact   string    `json:"fact"`
	Source string    `json:"source"`
	At     time.Time `json:"at"`
}

// Binds reports whether a verdict names something of the service that limits it.
func Binds(b record.Bound) bool {
	switch b.Verdict {
	case record.BoundNotSaturated, record.BoundUnknown, record.BoundClient, "":
		return false
	}
	return true
}
