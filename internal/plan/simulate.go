package plan

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/engine"
	"assay/internal/figure"
)

// The engine in virtual time runs an option's share of the load, so that waiting for
// the KV cache, preemption and steps of prompts and answers together show, and the
// percentiles that they make.

// Limits of one simulation. Its steady part is short: what it is for is a share of a
// second, over all options.
const (
	mostSimulated  = 150_000 // output tokens of one scheduler
	fewSimulated   = 40      // requests from which percentiles are taken
	lengthSpread   = 0.3     // σ of lognormal lengths
	simulatedNoise = 0.03    // σ of a step's time
)

// simulation is one scheduler of an option under its share of the load. Times are
// milliseconds of the step model, which measurements have not corrected.
type simulation struct {
	ttft, itl float64 // means
	wait      float64 // of a request for room, mean
	served    float64 // requests per millisecond
	kept      float64 // requests that ended over those that arrived: below 1 they pile up
	tails     tailsOf

	kvPeak, batch, queued float64 // share; requests in a step; requests that wait for room: means over steps
	preemptions           int64
	requests              int           // that ended
	span                  time.Duration // that was looked at, steady
}

// tailsOf are percentiles over means, by latency.
type tailsOf map[string]map[string]figure.Range

// simulate runs a sized candidate, once for each chip, layout and load. Nil: the
// engine can't be laid out so.
func (p *planner) simulate(s sized) *simulation {
	key := asking{placed{s.chip.Name, s.layout}, s.load}
	if got, ok := p.simulations[key]; ok {
		return got
	}
	got := p.run(p, s)
	p.simulations[key] = got
	return got
}

// runEngine simulates one rank of attention and one batch of a pipeline.
func (p *planner) runEngine(s sized) *simulation {
	cfg := p.engineOf(s.candidate)
	// Ranks of attention and stages of a pipeline each have a batch of their own.
	shares := float64(s.layout.dp * s.layout.pp)
	open := max(1, int(math.Ceil(s.predicted.Concurrency/shares)))
	w := newWatch(cfg, p.asked.ISL, p.asked.OSL)
	if s.load.Rate > 0 {
		// The step model's time is not the option's: as many are to be in flight.
		stretch := s.predicted.E2E.Mid / (s.predicted.Form.TTFT + s.predicted.Form.ITL*float64(max(p.asked.OSL-1, 0)))
		if !(stretch > 0) || math.IsInf(stretch, 0) {
			stretch = 1
		}
		return w.arrivals(open, s.load.Rate*stretch/shares)
	}
	return w.closed(open)
}

// engineOf is the engine of one rank of attention and one batch of a pipeline.
func (p *planner) engineOf(c candidate) engine.Config {
	limits, chip := c.account.Config, c.chip
	if chip.BF16 == 0 {
		chip.BF16 = chip.Half()
	}
	k := engine.Fitted().Of(p.engine.Name, chip)
	cfg := engine.Config{
		Model: p.arch, Chip: chip, TP: c.layout.tp, DP: c.layout.dp, EP: c.layout.ep,
		Format: p.format, KVWidth: p.kv.Width(), MaxNumSeqs: limits.MaxNumSeqs, MaxBatchedTokens: limits.MaxBatchedTokens,
		MaxModelLen: limits.MaxModelLen, BlockSize: c.account.BlockSize, KVBlocks: c.account.Blocks,
		NoPrefixCache: c.account.Cache.Plain(), // no prompt is like another; a hybrid's blocks depend on it
		Coefficients:  k, Overheads: engine.OverheadsOf(k), Jitter: simulatedNoise,
	}
	if pp := c.layout.pp; pp > 1 {
		cfg.MaxNumSeqs, cfg.KVBlocks = max(1, cfg.MaxNumSeqs/pp), cfg.KVBlocks/pp
		cfg.MaxModelLen = min(cfg.MaxModelLen, 3*(p.asked.ISL+p.asked.OSL))
	}
	return cfg
}

// watch looks on while one simulation runs.
type watch struct {
	cfg      engine.Config
	isl, osl int
	rng      *rand.Rand
	open     int // requests at the start

	steady       bool
	began, ended time.Duration // of the steady part
	before       engine.Counters
	last         engine.Counters
	done, wanted int
	tokens       int
	initial      int // of the first requests that have ended
	held         int // requests that wait for room

	steps         float64
	batch, queued float64 // sums over time, ms
	kvPeak        float64
	gaps          time.Duration
	gapped        int
}

func newWatch(cfg engine.Config, isl, osl int) *watch {
	return &watch{cfg: cfg, isl: isl, osl: osl, rng: rand.New(rand.NewPCG(1, 6))}
}

// request is the i-th. The first ones are under way, each at another place of its
// answer, so that the KV cache holds from the start what it holds later.
func (w *watch) request(i int) engine.Request {
	vary := func(n int) int {
		return max(1, int(math.Round(float64(n)*math.Exp(lengthSpread*w.rng.NormFloat64()-lengthSpread*lengthSpread/2))))
	}
	in, out := vary(w.isl), vary(w.osl)
	if i < w.open {
		left := max(1, int(math.Round(float64(out)*(float64(i)+0.5)/float64(w.open))))
		in, out = in+out-left, left
	}
	longest := w.cfg.MaxModelLen
	in = min(in, max(1, longest-2))
	out = min(out, max(1, longest-1-in))
	return engine.Request{PromptLen: in, MaxTokens: out, IgnoreEOS: true, Seed: uint64(i)}
}

// closed keeps so many requests open. A queue that is never empty may be shorter
// than the real one, which Little's law then gives.
func (w *watch) closed(open int) *simulation {
	w.open = min(open, 2*w.cfg.MaxNumSeqs)
	w.wanted = max(100, 2*w.open)
	results, err := engine.WatchClosed(w.cfg, w.open, w.most(), w.request, w.see)
	if err != nil {
		return nil
	}
	return w.sum(results, open-w.open)
}

// arrivals lets requests arrive at random, so many a second, beside those that are
// under way.
func (w *watch) arrivals(open int, rate float64) *simulation {
	w.open = min(open, 2*w.cfg.MaxNumSeqs)
	w.wanted = max(150, 2*w.open)
	list := make([]engine.Arrival, w.most())
	for i := range list {
		list[i].Request = w.request(i)
	}
	at := w.settling(list[:w.open])
	for i := w.open; i < len(list); i++ {
		at += time.Duration(w.rng.ExpFloat64() / rate * float64(time.Second))
		list[i].At = at
	}
	results, err := engine.Watch(w.cfg, list, w.see)
	if err != nil {
		return nil
	}
	out := w.sum(results, 0)
	if out == nil {
		return nil
	}
	arrived := 0
	for _, r := range results {
		if r.At >= w.began && r.At < w.ended {
			arrived++
		}
	}
	out.kept = min(1, float64(w.done)/float64(max(arrived, 1)))
	return out
}

// settling is how long the prompts of the first requests take, all at once as no
// service has them: others come only then, so that they find no queue of it.
func (w *watch) settling(first []engine.Arrival) time.Duration {
	var at time.Duration
	_, err := engine.Watch(w.cfg, first, func(_ *engine.Engine, began time.Duration, s engine.Step) bool {
		at = began
		return s.Tokens >= w.cfg.MaxBatchedTokens
	})
	if err != nil {
		return 0 // the whole run says the same
	}
	return at
}

// most is as many requests as a simulation may send.
func (w *watch) most() int { return 3*w.open + 2*w.wanted + 50 }

// see is the engine's Watcher.
func (w *watch) see(e *engine.Engine, began time.Duration, s engine.Step) bool {
	ended := 0
	for _, o := range s.Outputs {
		if o.Finish != engine.Running {
			ended++
		}
	}
	w.tokens += len(s.Outputs)
	w.hold(e, s)
	if !w.steady {
		w.initial += ended
		// The prompts of the first requests are computed, and places have changed hands.
		w.steady = s.Tokens < w.cfg.MaxBatchedTokens && w.initial*4 >= w.open || w.initial >= w.open || w.tokens > mostSimulated/3
		w.began, w.ended, w.before = began+s.Duration, began+s.Duration, w.last
		return true
	}
	w.note(e, s, ended)
	w.ended = began + s.Duration
	return w.done < w.wanted && w.tokens < mostSimulated
}

// hold counts the requests that wait for want of room, not of the step's budget.
func (w *watch) hold(e *engine.Engine, s engine.Step) {
	was := w.last.Held
	w.last = e.Counters()
	switch now := w.last.Held; {
	case now.KV+now.Sequences > was.KV+was.Sequences:
		w.held = e.Waiting()
	case s.Tokens < w.cfg.MaxBatchedTokens:
		w.held = 0
	default: // the budget ended the step before room was asked for
		w.held = min(w.held, e.Waiting())
	}
}

func (w *watch) note(e *engine.Engine, s engine.Step, ended int) {
	w.done += ended
	for _, o := range s.Outputs {
		if o.Gap > 0 {
			w.gaps += o.Gap
			w.gapped++
		}
	}
	took := ms(s.Duration)
	w.steps += took
	w.batch += took * float64(e.Running()+ended)
	w.queued += took * float64(w.held)
	w.kvPeak = max(w.kvPeak, e.KVUsage())
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// sum is what was seen. Beyond are requests that wait with the others and were left
// out, since nothing but their own wait hangs on them.
func (w *watch) sum(results []engine.Result, beyond int) *simulation {
	if w.steps == 0 || w.done == 0 || w.gapped == 0 && w.osl > 1 {
		return nil
	}
	out := &simulation{
		kvPeak: w.kvPeak, batch: w.batch / w.steps, queued: w.queued/w.steps + float64(beyond),
		preemptions: w.last.Preemptions - w.before.Preemptions, requests: w.done, span: w.ended - w.began,
		served: float64(w.done) / w.steps, kept: 1, itl: ms(w.gaps) / float64(max(w.gapped, 1)), tails: tailsOf{},
	}
	out.wait = out.queued / out.served
	late := float64(beyond) / out.served // that those left out make each wait
	ttft, itl, e2e, whole := w.latencies(results, late)
	out.ttft = mean(ttft)
	if len(ttft) >= fewSimulated {
		out.tails["ttft"] = percentiles(ttft)
	}
	if whole && len(itl) >= fewSimulated {
		out.tails["itl"], out.tails["e2e"] = percentiles(itl), percentiles(e2e)
	}
	return out
}

// latencies of the requests that were sent in the steady part, up to the last of
// which a first token came. whole: those of which a first token came have ended, all
// but a few; without that the short ones alone would count.
func (w *watch) latencies(results []engine.Result, late float64) (ttft, itl, e2e []float64, whole bool) {
	ended := 0
	for _, r := range results {
		if r.At < w.began || len(r.Tokens) == 0 {
			continue
		}
		ttft = append(ttft, ms(r.TTFT())+late)
	}
	cohort := len(ttft) / 2 // those sent last may not have had the time
	n := 0
	for _, r := range results {
		if r.At < w.began || len(r.Tokens) == 0 {
			continue
		}
		if n++; n > cohort {
			break
		}
		if r.Finish == engine.Running {
			continue
		}
		ended++
		itl, e2e = append(itl, ms(r.ITL())), append(e2e, ms(r.E2E())+late)
	}
	return ttft, itl, e2e, cohort > 0 && 20*ended >= 19*cohort
}

// percentiles over the mean, each with the order statistics that hold it nine times
// in ten were requests independent.
func percentiles(all []float64) map[string]figure.Range {
	slices.Sort(all)
	m, n := mean(all), float64(len(all))
	at := func(rank float64) float64 { return all[min(max(int(rank), 0), len(all)-1)] / m }
	out := map[string]figure.Range{}
	for name, q := range map[string]float64{"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99} {
		spread := 1.645 * math.Sqrt(n*q*(1-q))
		out[name] = figure.Range{Low: at(n*q - spread), Mid: at(n * q), High: at(n*q + spread)}
	}
	return out
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, x := range all {
		sum += x
	}
	return sum / float64(max(len(all), 1))
}
