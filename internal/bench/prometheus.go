package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
	"assay/internal/wire"
)

// Prometheus is a server to ask for what it recorded of the target.
type Prometheus struct {
	URL       string // empty: none is asked
	Header    http.Header
	Namespace string // of Kubernetes; empty: all
	Selector  string // more label matchers of the engines' series
}

const (
	// askedBefore is how far back a Prometheus server is asked whether it knows the
	// target: twice the longest scrape interval in use.
	askedBefore = 2 * time.Minute
	// mostSteps is in how many steps at most a level is asked for.
	mostSteps = 600
	// askTimeout bounds all queries of one level.
	askTimeout = 30 * time.Second
)

// past asks a Prometheus server at a level's end for what it recorded of it. A
// source that is scraped directly is not asked for.
type past struct {
	server telemetry.Prometheus
	query  telemetry.Query // without its span
	model  string          // the target's
	shown  string
	direct map[string]bool // by record.OfEngine and so on
}

// ask finds out whether the server knows the target's engines.
func (t *target) ask(ctx context.Context, p Prometheus, direct map[string]bool) error {
	client, err := t.client.Scraper(p.URL)
	if err != nil {
		return err
	}
	asked := &past{
		server: telemetry.Prometheus{URL: p.URL, Client: client, Header: p.Header}, shown: wire.ShownURL(p.URL),
		query: telemetry.Query{Namespace: p.Namespace, Selector: p.Selector}, model: t.info.Model, direct: direct,
	}
	now := time.Now()
	replicas, err := asked.replicas(ctx, now.Add(-askedBefore), now)
	switch {
	case err != nil:
		return err
	case len(replicas) == 0:
		return errors.New("it records no engine that serves the model (--namespace and --selector narrow it, and may be too narrow)")
	}
	t.past = asked
	return nil
}

// replicas are those of the target's model, as far as they say which they serve.
func (p *past) replicas(ctx context.Context, from, to time.Time) ([]telemetry.Replica, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	q := p.query
	q.From, q.To, q.Step = from, to, max(time.Second, (to.Sub(from)/mostSteps).Round(time.Second))
	all, err := p.server.Range(ctx, q)
	var out []telemetry.Replica
	for _, r := range all {
		if model := r.Labels["model"]; model == "" || model == p.model {
			out = append(out, r)
		}
	}
	return out, err
}

// level is what was recorded of a level, as lines: each of another scrape than
// the one before, the first of one within the level.
func (p *past) level(ctx context.Context, level string, run, from, to time.Time) []record.MetricsSample {
	replicas, err := p.replicas(ctx, from, to)
	if err != nil {
		return []record.MetricsSample{{AtUS: to.Sub(run).Microseconds(), Level: level, Source: p.shown, Error: err.Error()}}
	}
	var out []record.MetricsSample
	for _, r := range replicas {
		for _, of := range []struct {
			kind      string
			snapshots []telemetry.Snapshot
		}{{record.OfEngine, r.Snapshots}, {record.OfGPU, r.GPU}, {record.OfNode, r.Node}} {
			if p.direct[of.kind] {
				continue
			}
			var last map[string]float64
			for _, s := range of.snapshots {
				values := s.Values()
				if last != nil && !maps.Equal(last, values) {
					out = append(out, record.MetricsSample{AtUS: s.At.Sub(run).Microseconds(), Level: level, Source: fmt.Sprintf("%s %s", p.shown, r.Name), Of: of.kind, Values: values})
				}
				last = values
			}
		}
	}
	return out
}
