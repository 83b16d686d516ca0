package bench

import (
	"context"
	"net/http"
	"sync"
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

const (
	// settleFor bounds the wait at a level's end for the engine to have counted
	// its last request: vLLM updates its counters after the stream has ended.
	settleFor   = time.Second
	settleEvery = 100 * time.Millisecond
)

// scrapeEvery is how often a source is read within a level. An engine's gauges
// move with each step, and an exporter of GPUs can be told to collect each second;
// what a node counts is subtracted between the edges.
func scrapeEvery(of string) time.Duration {
	if of == record.OfNode {
		return 5 * time.Second
	}
	return time.Second
}

// place is one source of metrics.
type place struct {
	of     string // record.OfEngine and so on
	url    string // as asked; may hold a key
	shown  string // in the record, unlike every other's
	client *http.Client
}

// watcher reads what the server says of itself: at both edges of a level, so that
// differences of counters belong to the level, and at intervals between.
type watcher struct {
	places []place
	past   *past     // nil: no Prometheus server is asked
	start  time.Time // the run's
	emit   func(record.MetricsSample)
}

func (w *watcher) scrape(ctx context.Context, p place, level, edge string) (telemetry.Snapshot, record.MetricsSample) {
	snapshot, err := telemetry.Scrape(ctx, p.url, p.client)
	sample := record.MetricsSample{AtUS: time.Since(w.start).Microseconds(), Level: level, Source: p.shown, Of: p.of, Edge: edge}
	if err != nil {
		sample.Error = err.Error()
		return snapshot, sample
	}
	sample.AtUS = snapshot.At.Sub(w.start).Microseconds()
	sample.Values = snapshot.Values()
	return snapshot, sample
}

// begin scrapes a level's first edge and starts to watch; end scrapes the last
// one and returns all samples of the level, source by source.
func (w *watcher) begin(ctx context.Context, level string) (end func() []record.MetricsSample) {
	if w == nil {
		return func() []record.MetricsSample { return nil }
	}
	kept, from := make([]thinned, len(w.places)), time.Now()
	w.each(func(i int, p place) { w.keep(&kept[i], w.edge(ctx, p, level, "start")) })
	watch, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	for i, p := range w.places {
		wg.Go(func() { w.between(watch, p, level, &kept[i]) })
	}
	return func() []record.MetricsSample {
		stop()
		wg.Wait()
		w.each(func(i int, p place) { w.keep(&kept[i], w.edge(ctx, p, level, "end")) })
		var all []record.MetricsSample
		for i := range kept {
			all = append(all, kept[i].kept...)
		}
		if w.past != nil {
			for _, s := range w.past.level(ctx, level, w.start, from, time.Now()) {
				w.emit(s)
				all = append(all, s)
			}
		}
		return all
	}
}

// each does the same for all sources at once: an edge is one moment.
func (w *watcher) each(do func(int, place)) {
	var wg sync.WaitGroup
	for i, p := range w.places {
		wg.Go(func() { do(i, p) })
	}
	wg.Wait()
}

func (w *watcher) keep(t *thinned, s record.MetricsSample) {
	t.add(s)
	w.emit(s)
}

// between scrapes a source until the level ends. An exporter that shows what it
// showed before has not collected since, and leaves no line.
func (w *watcher) between(ctx context.Context, p place, level string, kept *thinned) {
	last := kept.kept[len(kept.kept)-1].Values
	tick := time.NewTicker(scrapeEvery(p.of))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_, s := w.scrape(ctx, p, level, "")
		if ctx.Err() != nil || p.of == record.OfGPU && s.Error == "" && !telemetry.Collected(last, s.Values) {
			continue
		}
		last = s.Values
		w.keep(kept, s)
	}
}

// edge scrapes one end of a level; an engine's last one when it has settled.
func (w *watcher) edge(ctx context.Context, p place, level, edge string) record.MetricsSample {
	if edge == "end" && p.of == record.OfEngine {
		return w.settled(ctx, p, level)
	}
	_, s := w.scrape(ctx, p, level, edge)
	return s
}

// settled scrapes until the engine says that nothing runs or waits any more,
// but not for long: others may use it too.
func (w *watcher) settled(ctx context.Context, p place, level string) record.MetricsSample {
	deadline := time.Now().Add(settleFor)
	for {
		snapshot, sample := w.scrape(ctx, p, level, "end")
		running, okRunning := snapshot.Value(telemetry.Running)
		waiting, _ := snapshot.Value(telemetry.Waiting)
		if !okRunning || running+waiting == 0 || time.Now().After(deadline) || ctx.Err() != nil {
			return sample
		}
		time.Sleep(settleEvery)
	}
}

// mostSamples is how many scrapes of one source are kept in memory of a level.
const mostSamples = 600

// thinned keeps the edges of a level and scrapes at even intervals between them,
// at most mostSamples: where there are more, of each two one is left out.
type thinned struct {
	kept  []record.MetricsSample
	every int // of the scrapes between the edges, which ones are kept
	seen  int
}

func (t *thinned) add(s record.MetricsSample) {
	if s.Edge != "" {
		t.kept = append(t.kept, s)
		return
	}
	t.seen++
	if t.seen%max(1, t.every) != 0 {
		return
	}
	t.kept = append(t.kept, s)
	if len(t.kept) <= mostSamples {
		return
	}
	t.every = 2 * max(1, t.every)
	half, inner := t.kept[:0], 0
	for _, k := range t.kept {
		if k.Edge == "" {
			if inner++; inner%2 != 0 {
				continue
			}
		}
		half = append(half, k)
	}
	clear(t.kept[len(half):])
	t.kept = half
}
