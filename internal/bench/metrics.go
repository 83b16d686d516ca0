package bench

import (
	"context"

	"fmt"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/telemetry"
	"assay/internal/wire"
)

// findMetrics looks for what the server says of itself, and of its GPUs and node.
// What the user named and is not to be had is a remark, not the end of the run.
func (t *target) findMetrics(ctx context.Context, m Metrics) error {
	if m.None {
		return nil
	}
	if len(m.Engine) == 0 && m.Prometheus.URL == "" {
		_ = t.addPlace(ctx, record.OfEngine, t.client.URL()+"/metrics") // many have none
	}
	for _, named := range []struct {
		of, flag, what string
		urls           []string
	}{
		{record.OfEngine, "--metrics", "engine metrics", m.Engine},
		{record.OfGPU, "--dcgm", "GPU metrics", m.GPU},
		{record.OfNode, "--node", "node metrics", m.Node},
	} {
		for _, url := range named.urls {
			if err := t.addPlace(ctx, named.of, url); err != nil {
				t.noMetrics = append(t.noMetrics, fmt.Sprintf("no %s at %s: %v; what limits the service can only be told with them (%s)", named.what, wire.ShownURL(url), err, named.flag))
			}
		}
	}
	if p := m.Prometheus; p.URL != "" {
		direct := map[string]bool{record.OfEngine: len(m.Engine) > 0, record.OfGPU: len(m.GPU) > 0, record.OfNode: len(m.Node) > 0}
		if err := t.ask(ctx, p, direct); err != nil {
			t.noMetrics = append(t.noMetrics, fmt.Sprintf("no metrics from the Prometheus server at %s: %v (--prometheus)", wire.ShownURL(p.URL), err))
		}
		return nil
	}
	if t.info.Simulated { // whose GPUs and node are simulated at the same port
		if len(m.GPU) == 0 {
			_ = t.addPlace(ctx, record.OfGPU, t.client.URL()+simulatedGPUs)
		}
		if len(m.Node) == 0 {
			_ = t.addPlace(ctx, record.OfNode, t.client.URL()+simulatedNode)
		}
	}
	return nil
}

// Where the simulated engine shows its GPUs and its node.
const (
	simulatedGPUs = "/dcgm/metrics"
	simulatedNode = "/node/metrics"
)

// addPlace takes the metrics at a URL for a source, if they are of that kind.
func (t *target) addPlace(ctx context.Context, of, url string) error {
	client, err := t.client.Scraper(url)
	if err != nil {
		return err
	}
	s, err := telemetry.Scrape(ctx, url, client)
	if err != nil {
		return err
	}
	if !saysOf(of, s) {
		return fmt.Errorf("none of %s metrics is there", map[string]string{record.OfEngine: "an engine's", record.OfGPU: "a GPU's", record.OfNode: "a node's"}[of])
	}
	t.places = append(t.places, place{of: of, url: url, shown: t.shownOnce(of, url), client: client})
	if of == record.OfEngine && t.info.Engine.Name == "" {
		t.info.Engine.Name = s.Engine
	}
	return nil
}

// saysOf says whether a scrape holds metrics of that kind.
func saysOf(of string, s telemetry.Snapshot) bool {
	switch of {
	case record.OfGPU:
		return telemetry.FoldGPU([]telemetry.Snapshot{s}) != nil
	case record.OfNode:
		return telemetry.FoldNode([]telemetry.Snapshot{s}) != nil
	}
	return !s.Empty()
}

// shownOnce is a URL as it is recorded. Two that differ only in what is not shown
// are told apart by a number.
func (t *target) shownOnce(of, url string) string {
	base := wire.ShownURL(url)
	shown := base
	taken := func(p place) bool { return p.of == of && p.shown == shown }
	for n := 2; slices.ContainsFunc(t.places, taken); n++ {
		shown = fmt.Sprintf("%s#%d", base, n)
	}
	return shown
}

// describeMetrics says whose metrics are read, and what cannot be told without.
func (s *session) describeMetrics() {
	count := map[string]int{}
	for _, p := range s.target.places {
		count[p.of]++
	}
	var read []string
	for _, k := range []struct{ of, one, many string }{
		{record.OfEngine, "the engine's", "%d replicas'"},
		{record.OfGPU, "its GPUs'", "%d GPU exporters'"},
		{record.OfNode, "its node's", "%d nodes'"},
	} {
		switch n := count[k.of]; {
		case n == 1:
			read = append(read, k.one)
		case n > 1:
			read = append(read, fmt.Sprintf(k.many, n))
		}
	}
	if s.target.past != nil {
		read = append(read, "what the Prometheus server recorded")
	}
	switch {
	case len(read) > 0:
		s.view.Note("metrics: " + strings.Join(read, ", ") + " are read")
	case !s.opt.Metrics.None && len(s.target.noMetrics) == 0:
		s.view.Note("no engine metrics in reach: what limits the service can only be told with them (--metrics URL)")
	}
}
