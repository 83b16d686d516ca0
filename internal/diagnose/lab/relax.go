package lab

import (
	"cmp"
	"math"
	"slices"
	"time"

	"assay/internal/engine"
	"assay/internal/record"
)

// Truth is what binds a system, found by relaxing one resource after the other
// under its highest load.
type Truth struct {
	// Bounds are the right answers, the strongest first: more than one where two
	// bottlenecks lie close together.
	Bounds []string
	// Clear: nothing else comes near the first, and other requests of the same kind
	// would not have told otherwise.
	Clear bool
	// Gains are the shares by which throughput grew.
	Gains map[string]float64
}

// Right says whether a verdict is among the right answers.
func (t Truth) Right(verdict string) bool { return slices.Contains(t.Bounds, verdict) }

const (
	// faster is how far a resource of hardware is relaxed, and twice how far a limit
	// that a flag or more load moves: what an operator would try next. What is a
	// defect, such as a throttled clock, is taken away.
	faster = 1.3
	twice  = 2
	// near is the share of the strongest gain from which on a second one counts as
	// an answer too, and least the gain below which nothing was shown to bind.
	near  = 0.6
	least = 0.05
)

// relaxation makes one resource more plentiful; false where a system has none of it.
type relaxation struct {
	bound string
	relax func(r *rig, l *load) bool
}

var relaxations = []relaxation{
	{record.BoundCompute, func(r *rig, _ *load) bool { r.engine.ComputeScale *= faster; return true }},
	{record.BoundMemory, func(r *rig, _ *load) bool { r.engine.BandwidthScale *= faster; return true }},
	{record.BoundCollective, func(r *rig, _ *load) bool { r.engine.LinkScale *= faster; return r.engine.TP > 1 }},
	{record.BoundKVCache, func(r *rig, _ *load) bool { r.engine.KVBlocks *= twice; return true }},
	{record.BoundAdmission, func(r *rig, _ *load) bool { r.engine.MaxNumSeqs *= twice; return true }},
	{record.BoundTokenBudget, func(r *rig, _ *load) bool { r.engine.MaxBatchedTokens *= twice; return true }},
	{record.BoundCPU, func(r *rig, _ *load) bool {
		for _, d := range []*time.Duration{
			&r.engine.Overheads.Step, &r.engine.Overheads.Sequence, &r.engine.Overheads.Request,
			&r.engine.Frontend.Request, &r.engine.Frontend.PromptToken, &r.engine.Frontend.OutputToken,
		} {
			*d = time.Duration(float64(*d) / faster)
		}
		return true
	}},
	{record.BoundNetwork, func(r *rig, _ *load) bool {
		was := r.path
		r.path.delay = time.Duration(float64(r.path.delay) / faster)
		r.path.bandwidth *= faster
		r.path.slots *= twice
		return was != path{}
	}},
	{record.BoundClient, func(r *rig, _ *load) bool { was := r.client; r.client = client{}; return was != client{} }},
	{record.BoundThrottled, func(r *rig, _ *load) bool {
		was := r.engine.Throttle.On()
		r.engine.Throttle = engine.Throttle{}
		return was
	}},
	{record.BoundFault, func(r *rig, _ *load) bool { was := r.fault.on(); r.fault = fault{}; return was }},
	{record.BoundCold, func(r *rig, _ *load) bool { was := r.cold; r.cold = cold{}; return was != cold{} }},
	{record.BoundNotSaturated, func(_ *rig, l *load) bool { l.concurrency *= twice; return true }},
}

// relaxedWaves are fewer than a measurement's: only the throughput counts. Behind a
// queue in front of the engine requests come in bunches, which takes longer to even out.
const (
	relaxedWaves = 1.5
	bunchedWaves = 4
)

// idle are the resources that a run never waited for: more of them changes nothing,
// or too little to count, and the experiment is spared.
func idle(o *observed, noCache bool) map[string]bool {
	w := o.after.Work
	span := w.Busy() + w.Host
	little := func(d time.Duration) bool { return float64(d) < 0.02*float64(span) }
	held := o.after.Held
	return map[string]bool{
		record.BoundCompute:     little(w.Compute),
		record.BoundMemory:      little(w.Memory),
		record.BoundCollective:  little(w.Collective),
		record.BoundAdmission:   held.Sequences == 0,
		record.BoundTokenBudget: held.Budget == 0,
		record.BoundKVCache:     held.KV == 0 && noCache, // a larger cache also hits more
	}
}

// Truth runs the experiments.
func (s System) Truth() Truth {
	top := load{concurrency: s.concurrency}
	o := s.try(s.rig, top)
	base, spared := o.throughput(), idle(o, s.rig.engine.NoPrefixCache)
	t := Truth{Gains: map[string]float64{}}
	for _, x := range relaxations {
		r, l := s.rig, top
		if x.relax(&r, &l) && !spared[x.bound] {
			t.Gains[x.bound] = s.try(r, l).throughput()/base - 1
		}
	}
	type gain struct {
		bound string
		of    float64
	}
	var order []gain
	for b, g := range t.Gains {
		order = append(order, gain{b, g})
	}
	slices.SortFunc(order, func(a, b gain) int { return cmp.Or(cmp.Compare(b.of, a.of), cmp.Compare(a.bound, b.bound)) })
	for _, g := range order {
		if g.of >= least && g.of >= near*order[0].of {
			t.Bounds = append(t.Bounds, g.bound)
		}
	}
	switch {
	case s.rig.fault.on():
		t.Bounds = []string{record.BoundFault} // whatever else binds beside it: its work cannot be trusted
	case len(t.Bounds) == 0:
		t.Bounds = []string{record.BoundUnknown} // nothing that was relaxed helps
	}
	again := s
	again.Seed = scramble(s.Seed)
	noise := math.Abs(again.try(s.rig, top).throughput()/base - 1)
	t.Clear = len(t.Bounds) == 1 && order[0].of > 2*noise
	return t
}

// try holds the load for as long as a throughput takes.
func (s System) try(r rig, l load) *observed {
	waves := relaxedWaves
	if s.rig.warmup() > firstWave {
		waves = bunchedWaves
	}
	o, err := r.hold(l, s.Seed, r.cold.fades/2, waves, 0)
	if err != nil {
		panic(err) // what is relaxed can start where the system could
	}
	return o
}
