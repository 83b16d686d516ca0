package diagnose

import (
	"time"

	"assay/internal/facts"
	"assay/internal/model"
	"assay/internal/record"
)

// Evidence is what a verdict may rest on. What is nil or empty is not known.
type Evidence struct {
	// Levels are those of one scenario, in any order, valid or not.
	Levels     []record.Level
	Saturation *record.Saturation // nil: too few levels for one
	Platform   record.Platform
	Chip       *facts.Chip // nil: the one that the GPUs' exporter names, if any
	Model      *model.Arch
	Incidents  []Incident
	Thresholds Thresholds // nil: the defaults
	// Service says that the levels are spans of a service in production: no client
	// and no load of our own, and Load.Value is the mean of running and waiting
	// requests.
	Service bool
}

// Incident is something that happened to what serves, as the cluster tells it.
type Incident struct {
	Kind   string // one of the kinds below
	Object string // such as pod default/llama-0
	Fact   string // what happened, in words
	Source string // where it was read
	At     time.Time
}

// Kinds of incidents.
const (
	OOMKilled            = "oom-killed"
	Restarted            = "restarted"
	Pending              = "pending"
	CrashLoop            = "crash-loop"
	NotReady             = "not-ready"
	AcceleratorUnhealthy = "accelerator-unhealthy"
	Evicted              = "evicted"
)
