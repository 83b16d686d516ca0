// Package result is what each client in bench/ prints: its own account of one
// run, as one line of JSON.
package result

import (
	"encoding/json"
	"os"
	"time"

	"assay/internal/stats"
)

// Result is a client's account of a run and what the run cost the process.
type Result struct {
	Requests int        `json:"requests"` // that succeeded
	Failed   int        `json:"failed"`
	Tokens   int        `json:"tokens"`
	TTFT     stats.Dist `json:"ttft_ms"`
	ITL      stats.Dist `json:"itl_ms"`
	Lag      stats.Dist `json:"lag_ms"` // actual - intended send; open loop only
	InFlight int        `json:"most_in_flight"`
	WallS    float64    `json:"wall_s"`
	CPUS     float64    `json:"cpu_s"`    // user and system, of the whole process
	PeakMiB  float64    `json:"peak_mib"` // resident
	Errors   []string   `json:"errors,omitempty"`
}

// Run measures what f costs and prints what it gives.
func Run(f func() (Result, error)) error {
	start := time.Now()
	r, err := f()
	if err != nil {
		return err
	}
	r.WallS = time.Since(start).Seconds()
	r.CPUS, r.PeakMiB = usage()
	return json.NewEncoder(os.Stdout).Encode(r)
}
