package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"assay/internal/record"
	"assay/internal/wire"
)

// tally is what a level's requests add, in a form that can be resampled.
type tally struct {
	level  *record.Level
	units  []unit
	gaps   []gap // a sample of the gaps between chunks, see mostGaps
	stride int   // one gap in so many is kept
	seen   int
	slices []slice // of an open loop's window
}

// unit is one measured request.
type unit struct {
	seq                int
	sentUS, endUS      int64
	latency            [5]float64 // ms, in the order of latencies; of icl the mean gap. NaN: undefined
	gapSum, gapCount   float64
	tokens             float64
	prompt, cached     float64 // tokens; NaN: not known
	ok, inWindow, good bool
}

type gap struct {
	ms   float64
	unit int32
}

// slice is one part of the window of an open loop.
type slice struct{ requests, tokens, good float64 }

// mostGaps bounds how many gaps of a level are resampled. A p99 of so many
// still has a thousand samples above it.
const mostGaps = 100_000

// slicesOf an open loop's window: enough to see how throughput varies, few
// enough for several requests in each.
const slicesOf = 40

func newTally(l *record.Level) *tally {
	t := &tally{level: l, stride: 1 + max(0, l.ICL.N)/mostGaps}
	if l.Load.Kind == record.ByRate {
		if n := min(slicesOf, l.Requests.Completed/2); n >= fewest && l.Window.Seconds() > 0 {
			t.slices = make([]slice, n)
		}
	}
	return t
}

// add takes one request of the level.
func (t *tally) add(r *record.Request) {
	good := r.OK() && t.meets(r)
	if t.level.Load.Credits(r) {
		t.credit(r, good)
	}
	if r.Phase == record.Warmup || r.Error == wire.KindCancelled {
		return
	}
	u := unit{seq: r.Seq, sentUS: r.SentUS, endUS: r.EndUS, ok: r.OK(), good: good, prompt: math.NaN(), cached: math.NaN()}
	for i := range u.latency {
		u.latency[i] = math.NaN()
	}
	if u.ok {
		u.inWindow = t.level.Window.Ended(r)
		t.measure(&u, r)
	} else if r.NotSent {
		u.sentUS = r.IntendedUS
	}
	t.units = append(t.units, u)
}

func (t *tally) measure(u *unit, r *record.Request) {
	for i, key := range latencies {
		if key == "icl" {
			continue
		}
		r.Each(key, func(ms float64) { u.latency[i] = ms })
	}
	r.ICLs(func(ms float64) {
		u.gapSum, u.gapCount = u.gapSum+ms, u.gapCount+1
		if t.seen%t.stride == 0 {
			t.gaps = append(t.gaps, gap{ms, int32(len(t.units))})
		}
		t.seen++
	})
	if u.gapCount > 0 {
		u.latency[slices.Index(latencies, "icl")] = u.gapSum / u.gapCount
	}
	if r.OutputTokens != nil {
		u.tokens = float64(*r.OutputTokens)
	}
	if r.PromptTokens != nil && t.level.Cached != nil {
		u.prompt, u.cached = float64(*r.PromptTokens), 0 // what is not said beside others is 0
		if r.CachedTokens != nil {
			u.cached = float64(*r.CachedTokens)
		}
	}
}

// meets reports a request within every condition of the level's SLO.
func (t *tally) meets(r *record.Request) bool {
	return !slices.ContainsFunc(t.level.SLO, func(c record.Criterion) bool { return !r.Within(c.Metric, c.Limit) })
}

// credit adds a request's work to the slices in which it was done.
func (t *tally) credit(r *record.Request, good bool) {
	if len(t.slices) == 0 {
		return
	}
	at := func(us int64) *slice {
		w := t.level.Window
		if us <= w.StartUS || us > w.EndUS {
			return nil
		}
		return &t.slices[min(int(float64(us-w.StartUS)/float64(w.EndUS-w.StartUS)*float64(len(t.slices))), len(t.slices)-1)]
	}
	if s := at(r.EndUS); s != nil {
		s.requests++
		if good {
			s.good++
		}
	}
	r.EachToken(func(us int64, tokens float64) {
		if s := at(us); s != nil {
			s.tokens += tokens
		}
	})
}

// sent orders units by when they were sent; those of one moment as they were meant to be.
func sent(a, b unit) int { return cmp.Or(cmp.Compare(a.sentUS, b.sentUS), cmp.Compare(a.seq, b.seq)) }

// order puts the units into the order of time in which blocks are drawn.
func (t *tally) order() {
	old := make([]int32, len(t.units)) // where each stood
	for i := range old {
		old[i] = int32(i)
	}
	slices.SortStableFunc(old, func(a, b int32) int { return sent(t.units[a], t.units[b]) })
	units, place := make([]unit, len(old)), make([]int32, len(old))
	for i, o := range old {
		units[i], place[o] = t.units[o], int32(i)
	}
	t.units = units
	for i := range t.gaps {
		t.gaps[i].unit = place[t.gaps[i].unit]
	}
}

// over is how many samples of a latency are at or above a limit, of how many.
// Of a level with more than mostGaps gaps it is a sample of them.
func (t *tally) over(latency string, limit float64) (over, n int) {
	count := func(ms float64) {
		if math.IsNaN(ms) {
			return
		}
		if n++; ms >= limit {
			over++
		}
	}
	if latency == "icl" {
		for _, g := range t.gaps {
			count(g.ms)
		}
		return over, n
	}
	at := slices.Index(latencies, latency)
	for _, u := range t.units {
		count(u.latency[at])
	}
	return over, n
}

// tallyInto reads a side's requests once and sorts them by level.
func tallyInto(out map[*record.Level]*tally, s Side, wanted []*record.Level) error {
	if s.Requests == nil {
		return nil
	}
	byID := map[string]*tally{}
	for _, l := range wanted {
		byID[l.ID] = newTally(l)
	}
	if err := s.Requests(func(r record.Request) error {
		if t := byID[r.Level]; t != nil {
			t.add(&r)
		}
		return nil
	}); err != nil {
		return fmt.Errorf("read the requests of %s: %w", s.Name, err)
	}
	for _, l := range wanted {
		if t := byID[l.ID]; len(t.units) > 0 {
			t.order()
			out[l] = t
		}
	}
	return nil
}
