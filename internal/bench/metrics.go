package bench

import (
	"context"

	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"assay/internal/record"
	"assay/internal/telemetry"
	"assay/internal/wire"
)

// findMetrics looks for what the server says of itself, and of its GPUs and node.
// What the user named and is not to be had is a remark, not the end of the run; a
// URL at which several replicas answer is an error, for nobody wants such a run.
func (t *target) findMetrics(ctx context.Context, m Metrics) error {
	if m.None {
		return nil
	}
	several := len(m.Engine) == 0 && m.Prometheus.URL == "" && t.lookBeside(ctx)
	for _, named := range []struct {
		of, flag, what string
		urls           []string
	}{
		{record.OfEngine, "--metrics", "engine metrics", m.Engine},
		{record.OfGPU, "--dcgm", "GPU metrics", m.GPU},
		{record.OfNode, "--node", "node metrics", m.Node},
	} {
		for _, url := range named.urls {
			err := t.addPlace(ctx, named.of, url)
			if _, several := errors.AsType[*alternates](err); several {
				return &usageError{fmt.Errorf("%s %s: %w", named.flag, wire.ShownURL(url), err)}
			}
			if err != nil {
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
	if t.info.Simulated && !several { // whose GPUs and node are simulated at the same port
		if len(m.GPU) == 0 {
			_ = t.addPlace(ctx, record.OfGPU, t.client.URL()+simulatedGPUs)
		}
		if len(m.Node) == 0 {
			_ = t.addPlace(ctx, record.OfNode, t.client.URL()+simulatedNode)
		}
	}
	return nil
}

// lookBeside looks for the engine's metrics where it has them beside its API, and
// says what to do where it does not. several: it is not one server that answers.
func (t *target) lookBeside(ctx context.Context) (several bool) {
	why := telemetry.WhyNone(t.info.Engine.Name, 0)
	for _, path := range telemetry.Paths(t.info.Engine.Name) {
		err := t.addPlace(ctx, record.OfEngine, t.client.URL()+path)
		if err == nil {
			return false
		}
		if _, several := errors.AsType[*alternates](err); several {
			t.noMetrics = append(t.noMetrics, fmt.Sprintf("no engine metrics at %s: %v", wire.ShownURL(t.client.URL()+path), err))
			return true
		}
		if _, ok := errors.AsType[absent](err); ok {
			err = nil
		}
		why = telemetry.WhyNoneOf(t.info.Engine.Name, err)
	}
	t.noneBeside = why
	return false
}

// alternates says that different processes answer a URL in turn.
type alternates struct{ why string }

func (e *alternates) Error() string {
	return e.why + ": several replicas stand behind it, and no difference of their counters means anything; give --metrics URL once for each pod, or --prometheus"
}

// probes is how often a URL is scraped to see whether one process answers: of two
// replicas, one answers all of them one time in eight.
const probes = 4

// oneProcess scrapes a URL again, to see whether another process answers.
func oneProcess(ctx context.Context, url string, client *http.Client, seen telemetry.Snapshot) error {
	snapshots := []telemetry.Snapshot{seen}
	for len(snapshots) < probes {
		s, err := telemetry.Scrape(ctx, url, client)
		if err != nil {
			return err
		}
		snapshots = append(snapshots, s)
	}
	if why, ok := telemetry.Alternates(snapshots); ok {
		return &alternates{why}
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
		return absent(of)
	}
	if of == record.OfEngine {
		if err := oneProcess(ctx, url, client, s); err != nil {
			return err
		}
	}
	t.places = append(t.places, place{of: of, url: url, shown: t.shownOnce(of, url), client: client})
	if of == record.OfEngine && t.info.Engine.Name == "" {
		t.info.Engine.Name = s.Engine
	}
	return nil
}

// absent says that a text holds no metrics of a kind.
type absent string

func (a absent) Error() string {
	return fmt.Sprintf("none of %s metrics is there", map[string]string{record.OfEngine: "an engine's", record.OfGPU: "a GPU's", record.OfNode: "a node's"}[string(a)])
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
		read = append(read, "what the Prometheus server records")
	}
	if len(read) > 0 {
		s.view.Note("metrics read: " + strings.Join(read, ", "))
	}
	if count[record.OfEngine] == 0 && s.target.noneBeside != "" {
		s.view.Note("no engine metrics in reach, and what limits the service can only be told with them: " + s.target.noneBeside)
	}
}
