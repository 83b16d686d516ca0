package lab

import (
	"fmt"
	"math"

	"assay/internal/record"
	"assay/internal/stats"
)

// The gates of a bench on a level, which the laboratory repeats: those of packages
// load and bench, which stand above it.
const (
	leastInFlight = 0.95 // of the asked concurrency
	mostSchedMS   = 5.0
	mostOfTTFT    = 0.1
	mostFailed    = 0.05 // of the requests
	piledUp       = 0.03 // of an open loop's arrivals
)

// validity is the verdict that bench would give of a level.
func (s System) validity(l *record.Level, ask load, o *observed) {
	v := &l.Validity
	v.Verdict, v.Reasons = record.Valid, []string{}
	say := func(verdict, format string, args ...any) {
		if v.Verdict == record.Valid {
			v.Verdict = verdict
		}
		v.Reasons = append(v.Reasons, fmt.Sprintf(format, args...))
	}
	switch n := l.Requests; {
	case n.Completed == 0:
		say(record.Invalid, "no request succeeded")
	case float64(n.Failed) > mostFailed*float64(n.Completed+n.Failed):
		say(record.Invalid, "%d of %d requests failed, too many for the rest to stand for the service", n.Failed, n.Completed+n.Failed)
	}
	if f := l.Client.InFlight; ask.rate == 0 && f.Mean < leastInFlight*f.Asked {
		say(record.ClientLimited, "%.1f of %d requests were in flight in the mean, below 95 %%", f.Mean, ask.concurrency)
	}
	if p99 := l.Client.SchedDelay.P99; p99 != nil && l.TTFT.P50 != nil && *p99 > max(mostSchedMS, mostOfTTFT**l.TTFT.P50) {
		say(record.ClientLimited, "the client's goroutines waited %.1f ms for a CPU at p99: measured times include that", *p99)
	}
	if l.Server != nil && l.Server.Changed != "" {
		say(record.Unstable, "%s", l.Server.Changed)
	}
	if ask.rate > 0 {
		s.overload(l, o, say)
		return
	}
	for _, d := range drifts(l, o) {
		say(record.Unstable, "%s", d)
	}
}

// overload is the verdict on an open loop that the server does not keep up with.
func (s System) overload(l *record.Level, o *observed, say func(string, string, ...any)) {
	arrived := 0
	for _, c := range o.calls {
		if c.sent > o.begin && c.sent <= o.end {
			arrived++
		}
	}
	share := float64(o.openAt(o.end)-o.openAt(o.begin)) / float64(max(arrived, 1))
	over := &record.Oversaturation{Verdict: "steady", WindowS: o.seconds(), PiledUp: &share, Offered: number(float64(arrived) / o.seconds())}
	l.Oversaturated = over
	// In flight goes up and down by its root; more is growth.
	if share > piledUp+2*math.Sqrt(l.Client.InFlight.Mean)/float64(max(arrived, 1)) {
		over.Verdict, over.Why = record.Oversaturated, fmt.Sprintf("%.0f %% of the arrivals stayed in the system", 100*share)
		say(record.Unstable, "more was asked than the server keeps up with: %s, so its latencies depend on how long one looks", over.Why)
	}
}

// drifts says how throughput or the first token's latency changed within the window.
func drifts(l *record.Level, o *observed) (reasons []string) {
	var ended, ones, sent, ttft []float64
	for _, c := range o.measured() {
		ended, ones = append(ended, c.last.Seconds()), append(ones, 1)
		sent, ttft = append(sent, c.sent.Seconds()), append(ttft, ms(c.first-c.sent))
	}
	start, end := o.begin.Seconds(), o.end.Seconds()
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
