package bench

import (
	"time"

	"assay/internal/diagnose"
	"assay/internal/spec"
	"assay/internal/wire"
)

// Options is everything that a run is given.
type Options struct {
	Target string // base URL; empty: the embedded engine
	Model  string // empty: the target's only one
	API    string // one of wire.APIs, or wire.Auto (also when empty)
	Key    wire.Key
	Reach  wire.Endpoint // headers, trust, proxies: all but what stands above

	GPU, EngineModel string // of the embedded engine; empty: its demonstration preset

	Scenarios  []spec.Scenario // resolved, in the order to run them
	SLO        []spec.Criterion
	SLOGiven   bool
	Platform   spec.Platform
	Metrics    Metrics
	Thresholds diagnose.Thresholds // nil: the defaults

	ResetCache bool // empty the engine's prefix cache before each level

	Refine    int           // at most so many levels on top of a scenario that looks for the knee
	MaxErrors float64       // share of failed requests that ends a level and those above it
	Timeout   time.Duration // of one request
	Stall     time.Duration // longest wait for the next byte
	Grace     time.Duration // for what is in flight after an interrupt
	Seed      uint64

	// confirmFor is how long a knee's open-loop levels are; 0: see ConfirmLength.
	confirmFor time.Duration

	Out     string   // run folder
	Command []string // as it was typed, without secrets
	Version string   // of this program
}

// Metrics says where the server's account of itself is to be had. The zero value
// looks beside the target.
type Metrics struct {
	None   bool     // not asked at all
	Engine []string // URLs, each of a replica
	GPU    []string // of exporters of GPUs, such as dcgm-exporter
	Node   []string // of exporters of nodes: node exporter, cAdvisor, Neuron, EFA
	// Prometheus is asked for what none of the URLs is of.
	Prometheus Prometheus
}

// Endpoint is the target and how it is reached.
func (o Options) Endpoint() wire.Endpoint {
	e := o.Reach
	e.URL, e.Model, e.API, e.Key = o.Target, o.Model, o.API, o.Key
	return e
}

// embeddedWorkload is what the embedded engine is measured with where the user
// says nothing: short, so that a whole saturation run ends in under two
// minutes on two cores and 700 requests support each percentile up to p99.
const (
	embeddedPrompt   = 128
	embeddedOutput   = 64
	embeddedRequests = 700
	embeddedBudget   = 17 * time.Second
	embeddedConfirm  = 12 * time.Second // its answers take a tenth of a second
)

// EmbeddedDefault is the built-in scenario of that name, cut to the embedded
// engine's short workload.
func EmbeddedDefault(name string) spec.Scenario {
	s := spec.Default(name)
	short := spec.Scenario{
		Budget: embeddedBudget, Prompt: spec.Fixed(embeddedPrompt), Output: spec.Fixed(embeddedOutput),
	}
	switch name {
	case spec.Production:
		short.Prompt = spec.Lengths{Mean: embeddedPrompt, Stddev: embeddedPrompt / 2, Min: 16, Max: 4 * embeddedPrompt}
		short.Output = spec.Lengths{Mean: embeddedOutput, Stddev: embeddedOutput / 2, Min: 4, Max: 4 * embeddedOutput}
		short.NumRequests = embeddedRequests
	case spec.LongContext:
		short.Prompt = spec.Lengths{}
	case spec.Baseline:
	default:
		short.NumRequests = embeddedRequests
	}
	return short.Over(s)
}

// ProductionShare is the part of the operating point's rate at which the
// production scenario runs.
const ProductionShare = 0.8
