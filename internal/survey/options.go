package survey

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"assay/internal/diagnose"
	"assay/internal/facts"
	"assay/internal/telemetry"
)

// Defaults and bounds of a look.
const (
	DefaultFor      = 30 * time.Second // forward: about 30 scrapes
	DefaultWindow   = 30 * time.Minute // back
	DefaultInterval = time.Second
	// fewestScrapes is how many a look takes at least, however short.
	fewestScrapes = 4
	// mostScrapes bounds the memory of a long look; the interval is stretched.
	mostScrapes = 3600
)

// Options of a look. Either Replicas or Prometheus is set.
type Options struct {
	// Replicas are watched from now on, for For, with a scrape every Interval.
	Replicas      []Endpoint
	For, Interval time.Duration
	// Prometheus is asked for the Window that has just passed.
	Prometheus *telemetry.Prometheus
	Window     time.Duration
	Namespace  string // of Kubernetes; empty: all
	Selector   string // more label matchers, such as app="vllm"

	Thresholds diagnose.Thresholds
	Chip       *facts.Chip // nil: taken from what the DCGM exporter names
	TP         int         // GPUs that share a replica's layers; 0: not known
	Cluster    Cluster
}

// Endpoint is one replica's metrics and those of the exporters beside it.
type Endpoint struct {
	Metrics Place
	DCGM    []Place
	Node    []Place
}

// Place is where metrics are read. URL may hold a key and is never shown.
type Place struct {
	URL    string
	Shown  string // URL without what may be secret
	Client *http.Client
	// Engine asks what serves there, empty where it does not say; nil: not asked. It
	// is asked where there are no metrics.
	Engine func(context.Context) string
}

// ErrUnreachable says that no replica could be read.
var ErrUnreachable = errors.New("no replica's metrics could be read")

// UsageError is a mistake in what was asked, with the way out.
type UsageError struct {
	Err error
	Out string
}

func (e *UsageError) Error() string { return e.Err.Error() }
func (e *UsageError) Unwrap() error { return e.Err }

// Usage marks the error as one of usage.
func (e *UsageError) Usage() bool { return true }

// Hint is the way out.
func (e *UsageError) Hint() string { return e.Out }

// Endpoints gives each replica the exporters beside it: all of them to a single
// replica, else one to each in the same order.
func Endpoints(metrics, dcgm, node []Place) ([]Endpoint, error) {
	all := make([]Endpoint, len(metrics))
	for i, m := range metrics {
		all[i].Metrics = m
		for _, j := range metrics[:i] {
			if j.URL == m.URL {
				return nil, fmt.Errorf("--metrics %s is given twice", m.Shown)
			}
		}
	}
	for _, e := range []struct {
		flag   string
		places []Place
		add    func(*Endpoint, Place)
	}{
		{"--dcgm", dcgm, func(e *Endpoint, p Place) { e.DCGM = append(e.DCGM, p) }},
		{"--node", node, func(e *Endpoint, p Place) { e.Node = append(e.Node, p) }},
	} {
		if n := len(e.places); n > 0 && len(metrics) > 1 && n != len(metrics) {
			return nil, fmt.Errorf("%d times %s and %d times --metrics: give one for each replica, in the same order", n, e.flag, len(metrics))
		}
		for i, p := range e.places {
			e.add(&all[min(i, len(metrics)-1)], p)
		}
	}
	return all, nil
}
