package lab

import (
	"math"
	"math/rand/v2"
	"time"

	"assay/internal/engine"
)

// load is how a level asks: a concurrency, or a rate with that burstiness.
type load struct {
	concurrency int
	rate        float64 // requests per second; 0: closed loop
	cv          float64 // of the gaps between arrivals; 1: Poisson
}

// how much of a level is simulated.
const (
	firstWave   = 1.0 // waves that warm up
	moreWaves   = 2.5 // where something behind the engine has a queue of its own to fill
	mostOutputs = 40_000
	leastEnded  = 24
	offered     = 120 // requests of an open loop
)

// holder holds one level.
type holder struct {
	rig
	load
	waves    float64 // to measure
	warm     int     // requests that are not measured
	goal     int     // and how many are, at least
	done     int     // requests that ended
	made     int     // tokens
	e        *engine.Engine
	seed     uint64
	rng      *rand.Rand
	age      time.Duration // of the server at the level's start
	now      time.Duration
	upcoming []*call // in order of arrival at the server
	proxied  []*call // waiting at the proxy
	through  int     // requests behind the proxy
	linkFree time.Duration
	coreFree time.Duration
	wanted   int           // samples; up to twice as many are kept
	every    time.Duration // between samples
	sampleAt time.Duration
	observed
}

// hold runs a level on a fresh engine that has been up for some time, until as many
// waves of requests have been measured, and gives what happened.
func (r rig) hold(l load, seed uint64, age time.Duration, waves float64, samples int) (*observed, error) {
	cfg := r.engine
	if r.fault.links > 0 {
		cfg.LinkScale *= r.fault.links
	}
	e, err := engine.New(cfg)
	if err != nil {
		return nil, err
	}
	h := &holder{rig: r, load: l, e: e, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), age: age, waves: waves, wanted: samples}
	h.begins()
	for step := 0; !h.over(); step++ {
		h.submit()
		if step%16 == 0 {
			h.warms()
		}
		s := e.Step(h.now)
		if s.Idle {
			if !h.idle(s.Next) {
				break // an open loop whose arrivals are over
			}
			continue
		}
		h.now += s.Duration
		h.step(s)
	}
	h.end, h.after = h.now, e.Counters()
	return &h.observed, nil
}

// begins plans the level and sends what is open from its start.
func (h *holder) begins() {
	if h.rate > 0 {
		h.goal = offered
		h.warm = h.goal / 2
		h.offer(4 * h.goal)
		return
	}
	h.warm = int(math.Ceil(h.warmup() * float64(h.concurrency)))
	h.goal = max(leastEnded, int(h.waves*float64(h.concurrency)))
	for i := range h.concurrency {
		// Slots are out of phase from the start, as bench's warm-up makes them.
		h.send(0, float64(i+1)/float64(h.concurrency))
	}
}

// over says whether enough was measured.
func (h *holder) over() bool {
	return h.begin > 0 && (h.done >= h.warm+h.goal || h.made > mostOutputs && h.done > h.warm+leastEnded)
}

// warms lets a cold server's steps become shorter with its age.
func (h *holder) warms() {
	if h.cold.extra > 0 {
		fade := math.Exp(-float64(h.age+h.now) / float64(h.cold.fades))
		h.e.SetStepOverhead(h.engine.Overheads.Step + time.Duration(fade*float64(h.cold.extra)))
	}
}

// step hands out what a step made; whose request has ended sends the next one.
func (h *holder) step(s engine.Step) {
	for _, o := range s.Outputs {
		h.made++
		if !h.deliver(o) {
			continue
		}
		h.done++
		if h.rate == 0 {
			h.send(o.Owner.(*call).last, 1)
		}
		if h.done == h.warm {
			h.start()
		}
	}
	h.count(s)
}

// warmup is how many waves pass before the window.
func (r rig) warmup() float64 {
	if r.path.bandwidth > 0 || r.client.chunk > 0 || r.engine.Frontend.Workers > 0 {
		return moreWaves
	}
	return firstWave
}

// start begins the window. Samples are spread over what the first wave lets expect.
func (h *holder) start() {
	h.begin, h.before = h.now, h.e.Counters()
	expected := 1.6 * float64(h.now) * max(h.waves, float64(h.goal)/float64(max(h.warm, 1)))
	h.every = max(time.Duration(expected)/time.Duration(max(h.wanted, 1)), time.Microsecond)
	h.sampleAt = h.now + h.every/2
	h.clientBusy, h.failures = 0, 0
	h.iterations, h.steps = 0, 0
	h.prompts, h.outputs, h.ended = 0, 0, 0
	h.itl, h.itls = 0, 0
	h.gaps = h.gaps[:0]
}

// idle moves on to what comes next; false when nothing does.
func (h *holder) idle(next time.Duration) bool {
	if len(h.upcoming) > 0 {
		if at := h.upcoming[0].arrive; next < 0 || at < next {
			next = at
		}
	}
	if next < 0 {
		return false
	}
	h.now = max(next, h.now)
	h.read()
	return true
}

// read samples the gauges when it is time.
func (h *holder) read() {
	for h.begin > 0 && h.now >= h.sampleAt {
		h.samples = append(h.samples, sample{h.e.Running(), h.e.Waiting(), h.e.KVUsage()})
		if len(h.samples) >= 2*max(h.wanted, 1) { // the level is longer than was thought
			for i := range h.wanted {
				h.samples[i] = h.samples[2*i]
			}
			h.samples, h.every = h.samples[:h.wanted], 2*h.every
		}
		h.sampleAt += h.every
	}
}

// count is what vLLM counts of a step.
func (h *holder) count(s engine.Step) {
	h.read()
	if len(s.Outputs) == 0 {
		return
	}
	h.steps++
	for _, o := range s.Outputs {
		h.iterations++
		if o.Index == 0 {
			h.iterations += float64(o.PromptTokens() - o.CachedTokens())
		}
	}
}
