package spec

import "time"

// Spec is an assay.yaml as read. Every part may be missing.
type Spec struct {
	Model     string
	SLO       []Criterion
	Scenarios []Scenario // in the order of the file
	Workload  Workload
	Platform  Platform
	Diagnose  Diagnose
	Render    Render
	Lint      Lint
}

// Diagnose is how a verdict on what binds is reached.
type Diagnose struct {
	Thresholds map[string]float64 // by name, those of package diagnose; nil: its defaults
}

// Workload is the traffic of the service: the lengths that scenarios take
// which say none of their own.
type Workload struct {
	Prompt, Output Lengths
	// The load of the whole service, for plans: one of them. 0: not said.
	Concurrency int     // requests in flight
	Rate        float64 // requests a second
	Context     int     // tokens of the longest request; 0: not said
}

// Platform is the hardware behind the target, as the user declares it. Empty: not known.
type Platform struct {
	Instance, GPU, Region string
	Count, TP             int
	PricePerHour          float64 // US dollars; 0: not given
}

// Names of the built-in scenarios.
const (
	Baseline    = "baseline"
	Saturation  = "saturation"
	Production  = "production"
	Dataset     = "dataset"
	LongContext = "long-context"
)

// Scenario is a named list of levels with a data source.
//
// Zero values mean "not said": the built-in scenario of that name fills them,
// and else the defaults of an unnamed one.
type Scenario struct {
	Name              string        `json:"name"`
	Description       string        `json:"description,omitempty"`
	Concurrency       []int         `json:"concurrency,omitempty"`  // closed loop, one level each
	RequestRate       []float64     `json:"request_rate,omitempty"` // open loop, requests per second, one level each
	Arrival           string        `json:"arrival,omitempty"`      // constant, poisson, gamma
	Burstiness        float64       `json:"burstiness,omitempty"`   // gamma's shape: 1 is Poisson, below 1 burstier
	NumRequests       int           `json:"num_requests,omitempty"` // measured requests a level
	Exact             bool          `json:"exact,omitempty"`        // the user gave NumRequests: no budget cuts it
	Duration          time.Duration `json:"duration_ns,omitempty"`
	Budget            time.Duration `json:"budget_ns,omitempty"` // of one level; cuts default counts only
	Warmup            int           `json:"warmup,omitempty"`    // -1: none; 0: not said
	Prompt            Lengths       `json:"prompt_length,omitzero"`
	Output            Lengths       `json:"max_tokens,omitzero"`
	PromptSet         []int         `json:"prompt_lengths,omitempty"`       // long-context: one level for each length
	SharedPrefix      int           `json:"shared_prefix_tokens,omitempty"` // tokens that all prompts share
	DatasetPath       string        `json:"dataset,omitempty"`
	Repeat            int           `json:"repeat,omitempty"`             // how often each level is held; 0 and 1: once
	ConfirmKnee       string        `json:"confirm_knee,omitempty"`       // auto (also when empty), always or never
	Confirm           bool          `json:"confirm,omitempty"`            // hold the level that tests the verdict on what binds
	StopOversaturated string        `json:"stop_oversaturated,omitempty"` // auto (also when empty), always or never
	DatasetKind       string        `json:"dataset_format,omitempty"`     // one of DatasetKinds; empty: by content

	Traffic
}

// When an open choice is taken.
const (
	Auto   = "auto"
	Always = "always"
	Never  = "never"
)

// Choices are all of them.
var Choices = []string{Auto, Always, Never}

// MostRepeats bounds how often a level is held.
const MostRepeats = 100

// Lengths is a distribution of lengths in tokens: a constant when Stddev is 0,
// else normal with that deviation, cut to [Min, Max]. With Max and no Mean it
// is uniform over [Min, Max]; with Choices it is one of them, equally likely.
type Lengths struct {
	Mean    float64 `json:"mean,omitempty"`
	Stddev  float64 `json:"stddev,omitempty"`
	Min     int     `json:"min,omitempty"`
	Max     int     `json:"max,omitempty"`
	Choices []int   `json:"choices,omitempty"`
}

// Criterion is one condition of an SLO, such as ttft.p95<500ms.
type Criterion struct {
	Metric     string  // ttft, ttfo, itl, icl, e2e
	Percentile string  // p50, p90, p95, p99, mean
	Limit      float64 // milliseconds
}
