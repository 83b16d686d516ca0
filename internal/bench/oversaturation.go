package bench

import (
	"math"
	"slices"
	"sync"

	"assay/internal/record"
	"assay/internal/saturate"
	"assay/internal/spec"
)

// oversaturation tests whether the server kept up with an open loop's arrivals
// while measured requests were sent; nil for a closed loop.
func oversaturation(in Recorded, measured []*record.Request) *record.Oversaturation {
	if in.Plan.Load.Kind != record.ByRate {
		return nil
	}
	if in.Plan.Load.Arrival == record.ArrivalTrace {
		return &record.Oversaturation{Verdict: record.NotKnown, Why: "the arrivals of a trace rise and fall by themselves"}
	}
	first, last := int64(math.MaxInt64), int64(0)
	for _, r := range measured {
		first, last = min(first, r.IntendedUS), max(last, r.IntendedUS)
	}
	var all []saturate.Served
	for i := range in.Requests {
		all = append(all, served(&in.Requests[i]))
	}
	o := saturate.Growth(all, float64(first)/1e6, float64(last)/1e6)
	return &o
}

// served is a request that ended, counted from when it was due: what an open
// loop asks for does not depend on the client.
func served(r *record.Request) saturate.Served {
	s := saturate.Served{SentS: float64(r.IntendedUS) / 1e6, EndS: float64(r.EndUS) / 1e6, TTFT: math.NaN(), E2E: math.NaN()}
	if !r.OK() {
		return s
	}
	if ms, ok := r.TTFT(); ok {
		s.TTFT = ms
	}
	if ms, ok := r.E2E(); ok {
		s.E2E = ms
	}
	return s
}

const (
	// glanceS is how far back the test within a running level looks, as
	// GuideLLM's does: a queue that has ceased to grow is no over-saturation now.
	glanceS = 120.0
	// overloadS is how long a level must have run before it may be ended for it,
	// also GuideLLM's.
	overloadS = 30.0
	// overloadShare is the share of the arrivals that must pile up for a level to
	// be ended: it is then wrong by far more than a judgement needs. Ours.
	overloadShare = 0.1
	// overloadInARow is how many seconds on end must say so: of one test a second
	// some are wrong by chance. Ours.
	overloadInARow = 5
)

// overload watches a running open loop and closes its channel when the server
// plainly does not keep up. A nil one watches nothing.
type overload struct {
	found chan struct{}

	mu      sync.Mutex
	ended   []saturate.Served // of the last glanceS
	moments []saturate.Moment
	startS  float64 // of the first moment
	inARow  int
}

// newOverload watches a level; nil where it is to run to its end: a closed loop
// does, and by default one whose length the user or a trace gave.
func newOverload(p PlannedLevel) *overload {
	s := p.Scenario
	given := s.Exact || s.Duration > 0 || p.Load.Arrival == record.ArrivalTrace
	if p.Load.Kind != record.ByRate || s.StopOversaturated == spec.Never || given && s.StopOversaturated != spec.Always {
		return nil
	}
	return &overload{found: make(chan struct{})}
}

func (o *overload) channel() <-chan struct{} {
	if o == nil {
		return nil
	}
	return o.found
}

func (o *overload) request(q *record.Request) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.ended = append(o.ended, served(q))
}

// sample is called once a second.
func (o *overload) sample(c record.ClientSample) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := float64(c.AtUS) / 1e6
	if len(o.moments) == 0 {
		o.startS = now
	}
	o.moments = append(o.moments, saturate.Moment{AtS: now, Open: float64(c.InFlight), Sent: c.Sent})
	from := now - glanceS
	o.moments = slices.DeleteFunc(o.moments, func(m saturate.Moment) bool { return m.AtS < from })
	o.ended = slices.DeleteFunc(o.ended, func(r saturate.Served) bool { return r.EndS < from })
	if now-o.startS < overloadS || o.inARow >= overloadInARow {
		return
	}
	g := saturate.GrowthSoFar(o.moments, o.ended, max(o.startS, from), now)
	if g.Verdict != record.Oversaturated || *g.PiledUp < overloadShare {
		o.inARow = 0
		return
	}
	if o.inARow++; o.inARow == overloadInARow {
		close(o.found)
	}
}
