package bench

import (
	"fmt"
	"slices"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/stats"
)

// validity judges one level: invalid when it is no measurement, client-limited
// when this program spoiled it, unstable when it was not steady. All reasons
// are given, the gravest verdict first.
func validity(l record.Level, in Recorded, measured []*record.Request, chunks *perChunk) record.Validity {
	invalid := invalidReasons(l, in.MaxErrors)
	if share := chunks.bufferedShare(); share > mostBuffered {
		invalid = append(invalid, fmt.Sprintf(
			"all tokens of an answer came at once in %.0f %% of the requests: something between server and client buffers the stream, so TTFT and ITL are not the engine's", 100*share))
	}
	client := load.Judge(health(l, in, measured)).Reasons
	unstable := unstableReasons(l, in)
	v := record.Validity{Verdict: record.Valid, Reasons: slices.Concat(invalid, client, unstable)}
	switch {
	case len(invalid) > 0:
		v.Verdict = record.Invalid
	case len(client) > 0:
		v.Verdict = record.ClientLimited
	case len(unstable) > 0:
		v.Verdict = record.Unstable
	}
	if v.Reasons == nil {
		v.Reasons = []string{}
	}
	return v
}

const (
	// mostBuffered is the share of answers that may come at once by chance.
	mostBuffered = 0.5
	// bufferedGap is the mean gap between chunks below which no engine writes
	// them one by one, and bufferedWait the time to the first that makes it
	// plain that they were held back. Both are ours.
	bufferedGap  = 0.1 // ms
	bufferedWait = 20  // ms
)

// hold looks whether an answer of several chunks came at once after a while.
func (c *perChunk) hold(r *record.Request) {
	n := len(r.ChunkUS)
	if n < 4 {
		return
	}
	c.several++
	ttft, _ := r.TTFT()
	if span := float64(r.ChunkUS[n-1]-r.ChunkUS[0]) / 1000; ttft > bufferedWait && span/float64(n-1) < bufferedGap {
		c.atOnce++
	}
}

// bufferedShare is the share of the answers of several chunks that did.
func (c *perChunk) bufferedShare() float64 {
	if c.several == 0 {
		return 0
	}
	return c.atOnce / c.several
}

func invalidReasons(l record.Level, maxErrors float64) (reasons []string) {
	n := l.Requests
	switch {
	case l.CutBy != load.CutErrors && n.Completed > 0 && tooManyErrors(n, maxErrors):
		reasons = append(reasons, fmt.Sprintf("%d of %d requests failed, too many for the rest to stand for the service", n.Failed, n.Completed+n.Failed))
	case n.Completed+n.Failed+n.Cancelled == 0 && n.Warmup > 0:
		reasons = append(reasons, fmt.Sprintf("all %d requests were sent before the first of them had ended, and are warm-up: --warmup -1 measures them", n.Warmup))
	case n.Completed == 0:
		reasons = append(reasons, "no request succeeded")
	case l.CutBy == load.CutErrors:
		reasons = append(reasons, fmt.Sprintf("%d of %d requests failed: the level was ended early", n.Failed, n.Completed+n.Failed))
	}
	switch l.CutBy {
	case load.CutInterrupt:
		reasons = append(reasons, fmt.Sprintf("cut short by an interrupt after %d requests", n.Completed))
	case cutDisk:
		reasons = append(reasons, fmt.Sprintf("ended after %d requests because the run folder could not be written", n.Completed))
	case cutKilled:
		reasons = append(reasons, fmt.Sprintf("the run was cut short within this level, after %d requests", n.Completed))
	}
	return reasons
}

// mostFailures is the share of failures above which a level is no measurement
// of the service, whatever the user lets pass.
const mostFailures = 0.5

// tooManyErrors reports a share of failures above the limit; 0 is no limit but
// that of mostFailures.
func tooManyErrors(n record.Requests, maxErrors float64) bool {
	if maxErrors <= 0 || maxErrors > mostFailures {
		maxErrors = mostFailures
	}
	return float64(n.Failed) > maxErrors*float64(n.Completed+n.Failed)
}

// health is what load.Judge asks about the client, from the level's lines.
func health(l record.Level, in Recorded, measured []*record.Request) load.Health {
	h := load.Health{
		Steady: l.Window.Steady, InFlightMean: l.Client.InFlight.Mean,
		LagMean: milliseconds(l.Client.Lag.Mean), E2EMean: milliseconds(l.E2E.Mean),
		TTFTMedian: milliseconds(l.TTFT.P50), SchedP99: schedDelay(in.Client, l.Window),
		Dropped: in.Dropped,
	}
	if l.Load.Kind == record.ByConcurrency {
		h.Concurrency = int(l.Load.Value)
		if l.Sessions != nil {
			h.InFlightMean = l.Sessions.InProgress // users who think hold their slots
		}
		return h
	}
	var sent, due []int64
	var lags []float64
	for _, r := range measured {
		if !r.NotSent {
			sent, due, lags = append(sent, r.SentUS), append(due, r.IntendedUS), append(lags, r.LagMS())
		}
	}
	h.Rate, h.SentRate = eventRate(due), eventRate(sent)
	slices.Sort(lags)
	if len(lags) > 0 {
		p99 := stats.Percentile(lags, 99)
		h.LagP99 = milliseconds(&p99)
	}
	return h
}

func milliseconds(ms *float64) time.Duration {
	if ms == nil {
		return 0
	}
	return time.Duration(*ms * float64(time.Millisecond))
}

// eventRate is events per second over the span of their times, microseconds.
func eventRate(us []int64) float64 {
	if len(us) < 2 {
		return 0
	}
	if span := slices.Max(us) - slices.Min(us); span > 0 {
		return float64(len(us)-1) / (float64(span) / 1e6)
	}
	return 0
}

// schedDelay is the median over the window's seconds of the p99 of the
// scheduler's delay: neither a second with a hiccup nor the opening of the
// connections makes a level the client's. Without a sample in the window all
// of the level count.
func schedDelay(samples []record.ClientSample, w record.Window) time.Duration {
	var inside, all []float64
	for _, s := range samples {
		all = append(all, s.SchedP99US)
		if s.AtUS > w.StartUS && s.AtUS <= w.EndUS {
			inside = append(inside, s.SchedP99US)
		}
	}
	if len(inside) == 0 {
		inside = all
	}
	if len(inside) == 0 {
		return 0
	}
	return time.Duration(stats.Median(inside) * float64(time.Microsecond))
}

func unstableReasons(l record.Level, in Recorded) (reasons []string) {
	if l.Server != nil && l.Server.Changed != "" {
		reasons = append(reasons, l.Server.Changed)
	}
	if c := check(l.Server, checkRunning); c != nil && !c.OK {
		reasons = append(reasons, fmt.Sprintf("the engine ran %.0f requests at once where %.0f were to be in flight: others use it too, so what it gave was not all ours", c.Server, c.Client))
	}
	if l.Little != nil && !l.Little.OK {
		reasons = append(reasons, littleReason(l.Little))
	}
	if l.Requests.Completed > 0 && !l.Window.Steady {
		reasons = append(reasons, "no steady state: the measured requests do not fill one mean answer's time under full load, so throughput holds ramp and drain; ask for more requests or time")
	}
	if l.Oversaturated != nil && l.Oversaturated.Verdict == record.Oversaturated {
		// What else changed within the level changed for this.
		return append(reasons, "more was asked than the server keeps up with: "+l.Oversaturated.Why+", so its latencies depend on how long one looks")
	}
	if l.Load.Arrival == record.ArrivalTrace {
		return reasons // what it served changed as the trace does
	}
	return append(reasons, drift(l, credited(in.Requests, l.Load))...)
}

// drift says how throughput or the first token's latency changed within the
// level's full-load window, over the requests that throughput counts: what an open
// loop's warm-up sent ends in it. A level that is not steady is not asked.
func drift(l record.Level, counted []*record.Request) (reasons []string) {
	if !l.Window.Steady {
		return nil
	}
	start, end := float64(l.Window.StartUS), float64(l.Window.EndUS)
	var ended, ones, sent, ttft []float64
	for _, r := range counted {
		ended, ones = append(ended, float64(r.EndUS)), append(ones, 1)
		if ms, ok := r.TTFT(); ok {
			sent, ttft = append(sent, float64(r.SentUS)), append(ttft, ms)
		}
	}
	for _, series := range []struct {
		name    string
		windows []float64
	}{
		{"requests per second", stats.RateWindows(ended, ones, start, end, stats.DriftWindows)},
		{"TTFT", stats.MeanWindows(sent, ttft, start, end, stats.DriftWindows)},
	} {
		if t := stats.Drift(series.windows); t.Drifts {
			reasons = append(reasons, fmt.Sprintf("%s changed by %+.0f %% from the level's beginning to its end (p = %.3f)", series.name, 100*t.Change, t.P))
		}
	}
	return reasons
}
