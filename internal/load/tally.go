package load

import (
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// tally is what a level's Result needs of each request.
type tally struct {
	counts record.Requests
	errors map[string]int
	spans  []span          // all requests whose bytes were sent
	lags   []time.Duration // measured requests
	ttft   []time.Duration // measured successes
	e2e    []time.Duration // measured successes

	repeated     int // measured requests
	lastWarmEnd  time.Duration
	firstDue     time.Duration // of the measured ones
	lastDue      time.Duration
	firstSent    time.Duration
	lastSent     time.Duration
	lastEnd      time.Duration
	sentMeasured int
}

// span is the time for which one request was open.
type span struct{ from, to time.Duration }

func (t *tally) add(p trip, q record.Request) {
	o := p.outcome
	if !o.NotSent {
		t.spans = append(t.spans, span{o.Sent, o.End})
	}
	if p.warm {
		t.counts.Warmup++
		t.lastWarmEnd = max(t.lastWarmEnd, o.End)
		return
	}
	t.lastEnd = max(t.lastEnd, o.End)
	if p.prompt.Repeat {
		t.repeated++
	}
	switch {
	case o.Err == nil:
		t.counts.Completed++
		t.e2e = append(t.e2e, o.End-o.Sent)
		if len(o.Chunks) > 0 {
			t.ttft = append(t.ttft, o.Chunks[0].At-o.Sent)
		}
	case o.Err.Kind == wire.KindCancelled:
		t.counts.Cancelled++
	default:
		t.counts.Failed++
		if t.errors == nil {
			t.errors = map[string]int{}
		}
		t.errors[o.Err.Kind]++
	}
	if o.NotSent {
		return
	}
	t.lags = append(t.lags, lateness(o, p.due))
	if t.sentMeasured == 0 || p.due < t.firstDue {
		t.firstDue = p.due
	}
	if t.sentMeasured == 0 || o.Sent < t.firstSent {
		t.firstSent = o.Sent
	}
	t.lastDue, t.lastSent = max(t.lastDue, p.due), max(t.lastSent, o.Sent)
	t.sentMeasured++
}

// window is the part of the level under full load. In a closed loop it begins
// when the last warm-up request has ended, in an open loop with the first
// measured arrival; it ends when the last measured request was sent, for from
// then on the load falls. Where that leaves no time the span of the measured
// requests stands in.
func (t *tally) window(l Level) (from, to time.Duration, full bool) {
	if t.sentMeasured == 0 {
		return 0, 0, false
	}
	if l.closed() {
		from, to = max(t.firstSent, t.lastWarmEnd), t.lastSent
	} else {
		from, to = t.firstDue, t.lastDue
	}
	if to <= from {
		return t.firstSent, t.lastEnd, false
	}
	return from, to, true
}

// inFlight is the mean number of open requests between two moments.
func (t *tally) inFlight(from, to time.Duration) float64 {
	if to <= from {
		return 0
	}
	var open time.Duration
	for _, s := range t.spans {
		open += max(0, min(s.to, to)-max(s.from, from))
	}
	return float64(open) / float64(to-from)
}

// ended is the number of requests that ended between two moments.
func (t *tally) ended(from, to time.Duration) (n int) {
	for _, s := range t.spans {
		if from < s.to && s.to <= to {
			n++
		}
	}
	return n
}
