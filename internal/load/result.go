package load

import (
	"time"

	"assay/internal/record"
	"assay/internal/stats"
)

// Result is what one level saw. Offsets are since the run's start.
type Result struct {
	Level      Level
	Start, End time.Duration

	// WindowStart and WindowEnd bound the part under full load. Steady is false
	// when that part is missing, shorter than a mean E2E, or sees fewer requests
	// end than a wave has: the span of the measured requests then stands in, or
	// the short window is all there is.
	WindowStart, WindowEnd time.Duration
	Steady                 bool

	Requests record.Requests
	Errors   map[string]int // measured requests, by kind
	CutBy    string         // budget, errors, interrupt or empty
	Dropped  int            // arrivals that MaxInFlight let not be sent

	Repeated     int     // measured requests whose prompt the source had given before
	InFlightMean float64 // over the window
	InFlightMax  int     // over the level

	Lags       []time.Duration // actual - intended send, time to connect left out; measured requests in order of their end
	SentRate   float64         // measured requests a second, as sent; 0 for fewer than two
	DueRate    float64         // the same, as scheduled
	TTFTMedian time.Duration   // measured successes; 0 without one
	E2EMean    time.Duration   // measured successes; 0 without one

	// From the first measured request to the level's end.
	SchedDelay stats.Dist // milliseconds, from the runtime's histogram
	GCPauseMax time.Duration
	CPUCores   float64 // used by this process, in the mean
}

func (u *execution) result(start time.Duration, w *watch) Result {
	t := &u.tally
	r := Result{
		Level: u.level, Start: start, End: u.Client.Now(),
		Requests: t.counts, Errors: t.errors, CutBy: u.gate.cut,
		Lags:       t.lags,
		Repeated:   t.repeated,
		E2EMean:    mean(t.e2e),
		TTFTMedian: median(t.ttft),
		SentRate:   rate(t.sentMeasured, t.lastSent-t.firstSent),
		DueRate:    rate(t.sentMeasured, t.lastDue-t.firstDue),
	}
	_, r.InFlightMax, r.Dropped = u.meter.counts()

	var full bool
	r.WindowStart, r.WindowEnd, full = t.window(u.level)
	r.InFlightMean = t.inFlight(r.WindowStart, r.WindowEnd)
	r.Steady = full && r.E2EMean > 0 && r.WindowEnd-r.WindowStart >= r.E2EMean &&
		t.ended(r.WindowStart, r.WindowEnd) >= max(1, u.level.Concurrency)

	sched := since(w.first.sched, w.last.sched)
	r.SchedDelay = sched.dist()
	pauses := since(w.first.pauses, w.last.pauses)
	r.GCPauseMax = time.Duration(pauses.quantile(1) * float64(time.Second))
	r.CPUCores = cores(w.first, w.last)
	return r
}

// rate is that of n events over the span from the first to the last.
func rate(n int, span time.Duration) float64 {
	if n < 2 || span <= 0 {
		return 0
	}
	return float64(n-1) / span.Seconds()
}

func mean(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	var sum time.Duration
	for _, x := range d {
		sum += x
	}
	return sum / time.Duration(len(d))
}

func median(d []time.Duration) time.Duration {
	if len(d) == 0 {
		return 0
	}
	x := make([]float64, len(d))
	for i := range d {
		x[i] = float64(d[i])
	}
	return time.Duration(stats.Median(x))
}
