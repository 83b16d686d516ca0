package record

// Little checks N = X R over a level's window: requests in flight are the rate
// of those that ended times how long they took (Little, 1961). It counts all
// requests that were sent, failed ones too.
type Little struct {
	InFlight  float64 `json:"in_flight"`   // N, the mean
	PerS      float64 `json:"ended_per_s"` // X
	LatencyS  float64 `json:"latency_s"`   // R, from being sent to the end
	Product   float64 `json:"product"`     // X R
	Tolerance float64 `json:"tolerance"`   // relative
	OK        bool    `json:"ok"`
}
