package bench

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"sync"
	"time"

	"assay/internal/record"
	"assay/internal/telemetry"
)

const (
	// scrapeEvery is how often the engine's gauges are read within a level.
	scrapeEvery = time.Second
	// settleFor bounds the wait at a level's end for the engine to have counted
	// its last request: vLLM updates its counters after the stream has ended.
	settleFor   = time.Second
	settleEvery = 100 * time.Millisecond
)

// watcher reads the engine's own metrics: at both edges of a level, so that
// differences of its counters belong to the level, and once a second between.
type watcher struct {
	url    string // as asked; may hold a key
	shown  string // without user info and query
	client *http.Client
	start  time.Time // the run's
	emit   func(record.MetricsSample)
}

func (w *watcher) scrape(ctx context.Context, level, edge string) (telemetry.Snapshot, record.MetricsSample) {
	snapshot, err := telemetry.Scrape(ctx, w.url, w.client)
	sample := record.MetricsSample{AtUS: time.Since(w.start).Microseconds(), Level: level, Source: w.shown, Edge: edge}
	if err != nil {
		sample.Error = err.Error()
		return snapshot, sample
	}
	sample.AtUS = snapshot.At.Sub(w.start).Microseconds()
	sample.Values = snapshot.Values()
	return snapshot, sample
}

// begin scrapes a level's first edge and starts to watch; end scrapes the last
// one and returns all samples of the level.
func (w *watcher) begin(ctx context.Context, level string) (end func() []record.MetricsSample) {
	if w == nil {
		return func() []record.MetricsSample { return nil }
	}
	var samples thinned
	keep := func(s record.MetricsSample) {
		samples.add(s)
		w.emit(s)
	}
	_, first := w.scrape(ctx, level, "start")
	keep(first)
	watch, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		tick := time.NewTicker(scrapeEvery)
		defer tick.Stop()
		for {
			select {
			case <-watch.Done():
				return
			case <-tick.C:
				if _, s := w.scrape(watch, level, ""); watch.Err() == nil {
					keep(s)
				}
			}
		}
	})
	return func() []record.MetricsSample {
		stop()
		wg.Wait()
		keep(w.settled(ctx, level))
		return samples.kept
	}
}

// mostSamples is how many scrapes of one level are kept in memory.
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

// settled scrapes until the engine says that nothing runs or waits any more,
// but not for long: others may use it too.
func (w *watcher) settled(ctx context.Context, level string) record.MetricsSample {
	deadline := time.Now().Add(settleFor)
	for {
		snapshot, sample := w.scrape(ctx, level, "end")
		running, okRunning := snapshot.Value(telemetry.Running)
		waiting, _ := snapshot.Value(telemetry.Waiting)
		if !okRunning || running+waiting == 0 || time.Now().After(deadline) || ctx.Err() != nil {
			return sample
		}
		time.Sleep(settleEvery)
	}
}

// account folds a level's scrapes into the engine's own account of it. Gauges
// come from the scrapes between the edges where there are any: at the edges
// the engine idles.
func account(start time.Time, samples []record.MetricsSample) *record.Server {
	var all, inner []telemetry.Snapshot
	for _, s := range samples {
		if s.Error != "" || len(s.Values) == 0 {
			continue
		}
		snapshot, err := telemetry.FromValues(start.Add(time.Duration(s.AtUS)*time.Microsecond), s.Values)
		if err != nil {
			continue
		}
		all = append(all, snapshot)
		if s.Edge == "" {
			inner = append(inner, snapshot)
		}
	}
	if len(all) < 2 {
		return nil
	}
	a := telemetry.Fold(all)
	if len(inner) > 0 {
		g := telemetry.Fold(inner)
		a.RunningMean, a.WaitingMean, a.WaitingShare, a.KVUsageMean = g.RunningMean, g.WaitingMean, g.WaitingShare, g.KVUsageMean
		a.StepMS = g.StepMS
	} else {
		// Nothing was seen of the level itself.
		a.RunningMean, a.RunningMax, a.WaitingMean, a.WaitingMax = nil, nil, nil, nil
		a.WaitingShare, a.KVUsageMean, a.KVUsageMax, a.StepMS = nil, nil, nil, nil
	}
	return &a
}

// addServer puts the engine's account beside the client's: the server's parts
// of a mean request, and whether both counted the same.
func addServer(l *record.Level, server *record.Server, requests []record.Request) {
	l.Server = server
	if server == nil {
		return
	}
	l.Anatomy.ServerTTFT, l.Anatomy.Queue, l.Anatomy.Prefill = server.TTFTMean, server.QueueMean, server.PrefillMean
	l.Anatomy.ServerKnown = server.TTFTMean != nil
	if client := meanTTFT(requests); client != nil && server.TTFTMean != nil {
		l.Anatomy.Network = difference(*client, *server.TTFTMean)
		if server.QueueMean != nil && server.PrefillMean != nil {
			l.Anatomy.Frontend = difference(*server.TTFTMean, *server.QueueMean+*server.PrefillMean)
		}
	}
	server.Reconciled = append(reconcile(server, requests), inFlightChecks(*l, server)...)
}

func difference(a, b float64) *float64 {
	d := a - b
	return &d
}

// meanTTFT is over warm-up requests too, as the engine's histogram is.
func meanTTFT(requests []record.Request) *float64 {
	var m mean
	for i := range requests {
		if ms, ok := requests[i].TTFT(); ok && requests[i].OK() {
			m.add(ms)
		}
	}
	return m.value()
}

// reconcileWithin is the difference up to which both counts are called the same.
const reconcileWithin = 0.01

// reconcile compares what the client received over the level, warm-up
// included, with the engine's counters. It says nothing where requests failed:
// the engine's counters hold their tokens or not, depending on how they failed.
func reconcile(server *record.Server, requests []record.Request) []record.Check {
	var prompt, output, finished float64
	for i := range requests {
		r := &requests[i]
		if !r.OK() || r.OutputTokens == nil || r.PromptTokens == nil {
			return nil
		}
		prompt += float64(*r.PromptTokens)
		output += float64(*r.OutputTokens)
		finished++
	}
	var checks []record.Check
	add := func(what string, client float64, serverSays *float64) {
		if serverSays != nil {
			ok := math.Abs(client-*serverSays) <= reconcileWithin*max(client, *serverSays)
			checks = append(checks, record.Check{What: what, Client: client, Server: *serverSays, Tolerance: reconcileWithin, OK: ok})
		}
	}
	add("requests finished", finished, server.Finished)
	add("output tokens", output, server.OutputTokens)
	add("prompt tokens", prompt, server.PromptTokens)
	return checks
}

const (
	checkRunning  = "most requests running at once"
	checkInFlight = "requests in flight, mean"
	// runningWithin and inFlightWithin are the differences up to which requests in
	// flight are called the same, beside one request: a gauge is read between two
	// steps, and what is on the network is in flight for the client alone. Ours.
	runningWithin  = 0.05
	inFlightWithin = 0.2
	// leastScrapes are needed for a mean of gauges.
	leastScrapes = 10
)

// inFlightChecks compare what the client had open with what the engine's gauges
// show: never more than was asked for, and by Little's law on both sides of the
// network as many in the mean.
func inFlightChecks(l record.Level, server *record.Server) []record.Check {
	var checks []record.Check
	f := l.Client.InFlight
	if f.Asked > 0 && server.RunningMax != nil {
		checks = append(checks, record.Check{What: checkRunning, Client: f.Asked, Server: *server.RunningMax, Tolerance: runningWithin,
			OK: *server.RunningMax <= f.Asked*(1+runningWithin)+1})
	}
	if server.RunningMean != nil && server.WaitingMean != nil && server.Samples >= leastScrapes && l.Window.Steady {
		there := *server.RunningMean + *server.WaitingMean
		// Scrapes are few, and under Poisson arrivals each is off by the root.
		chance := 3 * math.Sqrt(f.Mean/float64(server.Samples))
		checks = append(checks, record.Check{What: checkInFlight, Client: f.Mean, Server: there, Tolerance: inFlightWithin,
			OK: math.Abs(there-f.Mean) <= inFlightWithin*f.Mean+chance+1})
	}
	return checks
}

// check is a level's check of that name; nil for none.
func check(server *record.Server, what string) *record.Check {
	if server == nil {
		return nil
	}
	for i := range server.Reconciled {
		if server.Reconciled[i].What == what {
			return &server.Reconciled[i]
		}
	}
	return nil
}

// unreconciled says in words which counts differ.
func unreconciled(l record.Level) []string {
	if l.Server == nil {
		return nil
	}
	var out []string
	for _, c := range l.Server.Reconciled {
		switch {
		case c.OK || c.What == checkRunning: // which the level's validity says
		case c.What == checkInFlight && l.Validity.Verdict == record.ClientLimited: // the client's doing
		case c.What == checkInFlight && c.Server < c.Client:
			out = append(out, fmt.Sprintf("%s: %.4g requests were in flight here, the engine ran or queued %.4g: something between holds the others back, such as a proxy's limit of connections",
				l.ID, c.Client, c.Server))
		default:
			out = append(out, fmt.Sprintf("%s: counted %.0f %s here, the engine says %.0f: others use it too, or one count is wrong",
				l.ID, c.Client, c.What, c.Server))
		}
	}
	return out
}
