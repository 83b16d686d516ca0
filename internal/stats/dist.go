package stats

// Dist is the distribution of one metric over one level, as run.json holds it.
// All values are in the unit that the field's key names (ttft_ms: milliseconds).
//
// A percentile that N cannot support at 99 % confidence is nil and its name
// ("p99") stands in Unsupported. Mean, Min, Max and Std are nil only for N = 0.
type Dist struct {
	N           int      `json:"n"`
	Mean        *float64 `json:"mean"`
	P50         *float64 `json:"p50"`
	P90         *float64 `json:"p90"`
	P95         *float64 `json:"p95"`
	P99         *float64 `json:"p99"`
	Min         *float64 `json:"min"`
	Max         *float64 `json:"max"`
	Std         *float64 `json:"std"`
	Unsupported []string `json:"unsupported,omitempty"`
	// Bounds of the percentiles; nil where the order of the samples is not known.
	Bounds *Bounds `json:"bounds,omitempty"`
}
