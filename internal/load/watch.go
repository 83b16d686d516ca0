package load

import (
	"math"
	"runtime"
	"runtime/metrics"
	"slices"
	"time"

	"assay/internal/record"
)

const (
	progressEvery = 250 * time.Millisecond
	sampleEvery   = 4 // of these
)

// Names of the runtime's metrics that tell how the client itself fares.
const (
	schedLatencies = "/sched/latencies:seconds" // goroutine runnable to running
	gcPauses       = "/sched/pauses/total/gc:seconds"
	gcCycles       = "/gc/cycles/total:gc-cycles"
	heapObjects    = "/memory/classes/heap/objects:bytes"
)

// vitals are the process's counters at one moment.
type vitals struct {
	at     time.Duration
	sched  *metrics.Float64Histogram
	pauses *metrics.Float64Histogram
	gcs    uint64
	heap   uint64
	cpu    time.Duration // user + system
}

// watch observes the client itself while a level runs.
type watch struct {
	u     *execution
	start time.Duration
	last  vitals
}

func startWatch(u *execution, start time.Duration) *watch {
	return &watch{u: u, start: start, last: u.vitals()}
}

func (u *execution) vitals() vitals {
	s := []metrics.Sample{{Name: schedLatencies}, {Name: gcPauses}, {Name: gcCycles}, {Name: heapObjects}}
	metrics.Read(s)
	return vitals{
		at:     u.Client.Now(),
		sched:  histogram(s[0].Value),
		pauses: histogram(s[1].Value),
		gcs:    number(s[2].Value),
		heap:   number(s[3].Value),
		cpu:    processCPU(),
	}
}

func histogram(v metrics.Value) *metrics.Float64Histogram {
	if v.Kind() != metrics.KindFloat64Histogram {
		return &metrics.Float64Histogram{}
	}
	return v.Float64Histogram()
}

func number(v metrics.Value) uint64 {
	if v.Kind() != metrics.KindUint64 {
		return 0
	}
	return v.Uint64()
}

// run samples until done, and once more then.
func (w *watch) run(done <-chan struct{}) {
	ticker := time.NewTicker(progressEvery)
	defer ticker.Stop()
	for n := 0; ; {
		select {
		case <-ticker.C:
			w.progress()
			if n++; n%sampleEvery == 0 {
				w.sample()
			}
		case <-done:
			w.progress()
			w.sample()
			return
		}
	}
}

func (w *watch) progress() {
	if w.u.OnProgress == nil {
		return
	}
	measured, finished, failed, closed := w.u.gate.progress()
	inFlight, _, dropped := w.u.meter.counts()
	phase := record.Measured
	switch {
	case closed:
		phase = Draining
	case measured == 0:
		phase = record.Warmup
	}
	w.u.OnProgress(Progress{
		Level: w.u.level.ID, Phase: phase,
		Elapsed: w.u.Client.Now() - w.start,
		Asked:   w.u.level.Requests, Measured: measured, Finished: finished, Failed: failed,
		InFlight: inFlight, Tokens: int(w.u.tokens.Load()), Dropped: dropped,
	})
}

func (w *watch) sample() {
	r, inFlight := w.u.meter.read()
	v := w.u.vitals()
	before := w.last
	w.last = v
	if w.u.OnSample == nil {
		return
	}
	slices.Sort(r.lags)
	sched, pauses := since(before.sched, v.sched), since(before.pauses, v.pauses)
	var wait *float64
	if mean, ok := sched.mean(); ok {
		mean *= 1e6
		wait = &mean
	}
	w.u.OnSample(record.ClientSample{
		AtUS: v.at.Microseconds(), Level: w.u.level.ID,
		InFlight: inFlight, Sent: r.sent, Done: r.done,
		LagP50US:   quantile(r.lags, 0.50).Microseconds(),
		LagP99US:   quantile(r.lags, 0.99).Microseconds(),
		LagMaxUS:   quantile(r.lags, 1).Microseconds(),
		SchedP50US: sched.quantile(0.50) * 1e6, SchedP99US: sched.quantile(0.99) * 1e6, SchedMeanUS: wait,
		GCPauseMaxUS: pauses.quantile(1) * 1e6,
		GCs:          int(v.gcs - before.gcs),
		CPUCores:     cores(before, v),
		HeapBytes:    v.heap, RSSBytes: residentBytes(), Goroutines: runtime.NumGoroutine(),
	})
}

// cores are the CPU cores that this process used between two moments, in the
// mean. The pacer does not spin, so there is nothing to leave out.
func cores(from, to vitals) float64 {
	wall := (to.at - from.at).Seconds()
	if wall <= 0 {
		return 0
	}
	return (to.cpu - from.cpu).Seconds() / wall
}

// quantile of sorted values by nearest rank; 0 without values.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[max(0, int(math.Ceil(q*float64(len(sorted))))-1)]
}
