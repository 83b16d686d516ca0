package spec

import "time"

// Spec is an assay.yaml as read. Every part may be missing.
type Spec struct {
	Model     string
	SLO       []Criterion
	Scenarios []Scenario // in the order of the file
	Platform  Platform
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
	Name         string
	Description  string
	Concurrency  []int     // closed loop, one level each
	RequestRate  []float64 // open loop, requests per second, one level each
	Arrival      string    // constant, poisson, gamma
	Burstiness   float64   // gamma's shape: 1 is Poisson, below 1 burstier
	NumRequests  int       // measured requests a level; explicit: exact
	Duration     time.Duration
	Budget       time.Duration // of one level; cuts default counts only
	Warmup       int           // -1: none; 0: not said
	Prompt       Lengths       // tokens
	Output       Lengths       // tokens
	PromptSet    []int         // long-context: one level for each length
	SharedPrefix int           // tokens that all prompts share
	DatasetPath  string
	DatasetKind  string // sharegpt, openai-batch, jsonl, text; empty: by content
	// Explicit names the fields that the user set, by their YAML key.
	Explicit map[string]bool
}

// Lengths is a distribution of lengths in tokens: a constant when Stddev is 0,
// else normal with that deviation, cut to [Min, Max].
type Lengths struct {
	Mean, Stddev float64
	Min, Max     int
}

// Criterion is one condition of an SLO, such as ttft.p95<500ms.
type Criterion struct {
	Metric     string  // ttft, ttfo, itl, icl, e2e
	Percentile string  // p50, p90, p95, p99, mean
	Limit      float64 // milliseconds
}
