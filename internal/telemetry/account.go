package telemetry

import "assay/internal/record"

// Fold makes the engine's own account of a span from the snapshots of one server,
// in order of time: differences of its counters between the first and the last,
// and means and maxima of its gauges over all of them.
// Where the server changed between two of them, Changed says how, and nothing
// cumulative is given. Empty snapshots are left out.
func Fold(snapshots []Snapshot) record.Server {
	kept := make([]Snapshot, 0, len(snapshots))
	for _, s := range snapshots {
		if !s.Empty() {
			kept = append(kept, s)
		}
	}
	a := record.Server{Samples: len(kept)}
	if len(kept) == 0 {
		return a
	}
	gauges(&a, kept)
	for i := 1; i < len(kept) && a.Changed == ""; i++ {
		a.Changed = Delta(kept[i-1], kept[i]).Changed
	}
	if len(kept) > 1 && a.Changed == "" {
		counters(&a, Delta(kept[0], kept[len(kept)-1]))
		a.StepMS = stepMS(kept)
	}
	return a
}

func gauges(a *record.Server, kept []Snapshot) {
	running := gauge(kept, Running, Snapshot.Value)
	a.RunningMean, a.RunningMax = running.mean(), running.max()
	waiting := gauge(kept, Waiting, Snapshot.Value)
	a.WaitingMean, a.WaitingMax, a.WaitingShare = waiting.mean(), waiting.max(), waiting.positive()
	a.WaitingCapacity = gauge(kept, WaitingByReason, forReason("capacity")).positive()
	a.WaitingDeferred = gauge(kept, WaitingByReason, forReason("deferred")).positive()
	a.KVUsageMean = gauge(kept, KVUsage, Snapshot.Value).mean()
	a.KVUsageMax = gauge(kept, KVUsage, Snapshot.largest).max()

	last := kept[len(kept)-1]
	a.MaxNumSeqs = pointer(last.Value(MaxNumSeqs))
	a.MaxBatchedTokens = pointer(last.Value(MaxBatchedTokens))
	a.KVTokens = pointer(last.Value(KVTokens))
	a.Engines = len(last.Engines())
}

// forReason reads the requests that wait for one reason.
func forReason(reason string) func(Snapshot, Quantity) (float64, bool) {
	return func(s Snapshot, q Quantity) (float64, bool) { return s.Where("reason", reason).Value(q) }
}

func counters(a *record.Server, d Difference) {
	a.Preemptions = pointer(d.Counter(Preemptions))
	a.PromptTokens = pointer(d.Counter(PromptTokens))
	a.OutputTokens = pointer(d.Counter(OutputTokens))
	a.Finished = pointer(d.Counter(Finished))
	a.PrefixHits = pointer(d.Counter(PrefixHits))
	a.PrefixQueries = pointer(d.Counter(PrefixQueries))
	a.IterationTokens = pointer(d.Mean(IterationTokens))
	a.TTFTMean = millis(d.Mean(TTFT))
	a.QueueMean = millis(d.Mean(QueueTime))
	a.PrefillMean = millis(d.Mean(PrefillTime))
	a.DecodeMean = millis(d.Mean(DecodeTime))
	a.E2EMean = millis(d.Mean(E2E))
	a.ITLMean = millis(d.Mean(ITL))
	if span := d.to.At.Sub(d.from.At).Seconds(); span > 0 {
		a.ProcessCPU = rate(span)(d.Counter(ProcessCPU))
		a.FLOPs = rate(span)(d.estimate(FLOPs))
		a.MemoryBytes = rate(span)(d.estimate(ReadBytes, WriteBytes))
	}
}

// estimate is what the engine reckons that one GPU did, over all of its counters
// of it. 0 is not an idle GPU: the counters stand still unless they were asked for.
func (d Difference) estimate(of ...Quantity) (v float64, ok bool) {
	for _, q := range of {
		grown, okQ := d.Counter(q)
		if !okQ {
			return 0, false
		}
		v += grown
	}
	return v, v > 0 && finite(v)
}

// stepMS is the time per engine step while something ran, milliseconds: the
// span, times the share of samples with a running request, times the number of
// engines that step side by side, over the steps.
func stepMS(kept []Snapshot) *float64 {
	first, last := kept[0], kept[len(kept)-1]
	_, steps, ok := Delta(first, last).Histogram(IterationTokens)
	busy := gauge(kept, Running, Snapshot.Value).positive()
	span := last.At.Sub(first.At).Seconds()
	if !ok || steps <= 0 || busy == nil || *busy == 0 || span <= 0 {
		return nil
	}
	return pointer(1000*span**busy*float64(len(last.Engines()))/steps, true)
}

// readings are the values of one gauge in those snapshots that have it.
type readings []float64

func gauge(kept []Snapshot, q Quantity, read func(Snapshot, Quantity) (float64, bool)) readings {
	var r readings
	for _, s := range kept {
		if v, ok := read(s, q); ok {
			r = append(r, v)
		}
	}
	return r
}

func (r readings) mean() *float64 {
	if len(r) == 0 {
		return nil
	}
	var sum float64
	for _, v := range r {
		sum += v
	}
	return pointer(sum/float64(len(r)), true)
}

func (r readings) sum() *float64 {
	if len(r) == 0 {
		return nil
	}
	var sum float64
	for _, v := range r {
		sum += v
	}
	return pointer(sum, true)
}

func (r readings) max() *float64 {
	if len(r) == 0 {
		return nil
	}
	m := r[0]
	for _, v := range r {
		m = max(m, v)
	}
	return &m
}

// positive is the share of readings above 0.
func (r readings) positive() *float64 {
	if len(r) == 0 {
		return nil
	}
	n := 0.0
	for _, v := range r {
		if v > 0 {
			n++
		}
	}
	n /= float64(len(r))
	return &n
}

// pointer is nil also for a figure that overflowed on its way: a record cannot
// hold one, and it says nothing.
func pointer(v float64, ok bool) *float64 {
	if !ok || !finite(v) {
		return nil
	}
	return &v
}

func millis(v float64, ok bool) *float64 { return pointer(1000*v, ok) }
