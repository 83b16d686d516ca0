package record

// Oversaturation says of an open-loop level whether the server kept up with
// the arrivals, by how requests in flight and latency changed within it.
type Oversaturation struct {
	Verdict string  `json:"verdict"` // oversaturated, steady or unknown
	Why     string  `json:"why,omitempty"`
	WindowS float64 `json:"window_s"` // what the slopes are taken over
	// InFlight is in requests per second, TTFT and E2E in milliseconds per
	// second of sending; nil where too little is known for a slope.
	InFlight *Slope `json:"in_flight_slope"`
	TTFT     *Slope `json:"ttft_slope"`
	E2E      *Slope `json:"e2e_slope"`
	// PiledUp is the share of the arrivals that in-flight grew by; below 0: shrank.
	PiledUp *float64 `json:"piled_up_share"`
	// Offered is the rate of the arrivals, requests per second, and Delivered how
	// many were answered in the window for each that arrived in it.
	Offered   *float64 `json:"offered_per_s"`
	Delivered *float64 `json:"delivered_share"`
}

// Verdicts of Oversaturation.
const (
	Oversaturated = "oversaturated"
	Steady        = "steady"
	NotKnown      = "unknown"
)

// Slope is a straight line's rise per second and how far it may be off: the
// true one lies between PerS - Margin and PerS + Margin with 99 %.
type Slope struct {
	PerS   float64 `json:"per_s"`
	Margin float64 `json:"margin"`
}

// Rises reports that the slope is above 0 for sure.
func (s *Slope) Rises() bool { return s != nil && s.PerS-s.Margin > 0 }
