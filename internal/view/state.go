package view

import (
	"slices"
	"time"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/stats"
	"assay/internal/wire"
)

// latest is over how many answers the figures of a level under way are taken.
const latest = 500

// state is what is known of a run under way. It is not safe for concurrent use.
type state struct {
	done   []record.Level
	level  *bench.PlannedLevel // under way; nil between levels
	n, of  int
	tick   load.Progress
	sample record.ClientSample
	ttft   ring // ms, of the level under way
	itl    ring
	e2e    ring
	errors map[string]int // measured requests of the level under way, by kind
	rate   rate
}

func (s *state) levelStart(l bench.PlannedLevel, n, of int) {
	*s = state{done: s.done, level: &l, n: n, of: of, errors: map[string]int{}}
}

func (s *state) request(q *record.Request) {
	if s.level == nil || q.Phase != record.Measured || q.Error == wire.KindCancelled {
		return
	}
	if !q.OK() {
		s.errors[q.Error]++
		return
	}
	s.ttft.add(q.TTFT())
	s.itl.add(q.ITL())
	s.e2e.add(q.E2E())
}

func (s *state) tickTo(p load.Progress) {
	s.rate.add(p)
	s.tick = p
}

func (s *state) levelDone(l record.Level) {
	s.done = append(s.done, l)
	s.level = nil
}

// ring holds the latest samples.
type ring struct {
	values []float64
	next   int
}

func (r *ring) add(v float64, ok bool) {
	switch {
	case !ok:
	case len(r.values) < latest:
		r.values = append(r.values, v)
	default:
		r.values[r.next] = v
		r.next = (r.next + 1) % latest
	}
}

// percentile is nil without samples. It is of what a ring holds, whether or not
// that supports it: for watching alone.
func (r *ring) percentile(p float64) *float64 {
	if len(r.values) == 0 {
		return nil
	}
	sorted := slices.Clone(r.values)
	slices.Sort(sorted)
	v := stats.Percentile(sorted, p)
	return &v
}

// rateWindow is over how much time the rates of a level under way are taken.
const rateWindow = 4 * time.Second

// rate is what ended in the last moments.
type rate struct{ past []load.Progress }

func (r *rate) add(p load.Progress) {
	r.past = append(r.past, p)
	for len(r.past) > 2 && p.Elapsed-r.past[1].Elapsed >= rateWindow {
		r.past = r.past[1:]
	}
}

// perSecond are the requests that succeeded and the output tokens of those that
// ended; ok is false before there is a span to take them over.
func (r *rate) perSecond() (requests, tokens float64, ok bool) {
	if len(r.past) < 2 {
		return 0, 0, false
	}
	a, b := r.past[0], r.past[len(r.past)-1]
	seconds := (b.Elapsed - a.Elapsed).Seconds()
	if seconds <= 0 {
		return 0, 0, false
	}
	succeeded := float64(b.Finished-b.Failed) - float64(a.Finished-a.Failed)
	return succeeded / seconds, float64(b.Tokens-a.Tokens) / seconds, true
}
