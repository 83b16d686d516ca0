package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"assay/internal/engine"
)

// call is one request as its client sees it. Times are of the level's own clock.
type call struct {
	index  int
	share  float64       // of its output that is asked for
	sent   time.Duration // by the client
	arrive time.Duration // at the proxy or server
	first  time.Duration // token at the client
	last   time.Duration

	prompt, cached, tokens int
	over, failed           bool
	server                 parts
}

// parts are what the server observes of a request, seconds.
type parts struct{ ttft, queue, prefill, decode, e2e float64 }

// sample is one reading of the engine's gauges.
type sample struct {
	running, waiting int
	kv               float64
}

// observed is all that happened in one level.
type observed struct {
	calls      []*call
	gaps       []float64 // between chunks at the client, milliseconds
	begin, end time.Duration
	samples    []sample

	before, after         engine.Counters
	steps, iterations     float64 // with an output, and the tokens that vLLM counts in them
	prompts, outputs      float64 // tokens
	ended                 float64
	itl, itls             float64 // seconds between tokens, and how many
	clientBusy            time.Duration
	failures, backlogFrom int
	backlogTo             int
}

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
)

// holder holds one level.
type holder struct {
	rig
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
	wanted   int           // samples, or up to twice as many
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
	h := &holder{rig: r, e: e, seed: seed, rng: rand.New(rand.NewPCG(seed, 7)), age: age}
	warm := int(math.Ceil(r.warmup() * float64(l.concurrency)))
	goal := max(leastEnded, int(waves*float64(l.concurrency)))
	if l.rate > 0 {
		warm = goal / 2
		h.offer(l, 4*goal)
	} else {
		for i := range l.concurrency {
			// Slots are out of phase from the start, as bench's warm-up makes them.
			h.send(0, float64(i+1)/float64(l.concurrency))
		}
	}
	ended, outputs := 0, 0
	for step := 0; ; step++ {
		h.submit()
		if r.cold.extra > 0 && step%16 == 0 {
			fade := math.Exp(-float64(h.age+h.now) / float64(r.cold.fades))
			e.SetStepOverhead(r.engine.Overheads.Step + time.Duration(fade*float64(r.cold.extra)))
		}
		s := e.Step(h.now)
		if s.Idle {
			if !h.idle(s.Next) {
				break // an open loop whose arrivals are over
			}
			continue
		}
		h.now += s.Duration
		for _, o := range s.Outputs {
			outputs++
			if !h.deliver(o) {
				continue
			}
			ended++
			if l.rate == 0 {
				h.send(o.Owner.(*call).last, 1)
			}
			if ended == warm {
				h.start(samples, waves)
			}
		}
		h.count(s)
		if h.begin > 0 && (ended >= warm+goal || outputs > mostOutputs && ended > warm+leastEnded) {
			break
		}
	}
	h.end, h.after = h.now, e.Counters()
	h.backlogTo = e.Open() + len(h.proxied)
	return &h.observed, nil
}

// warmup is how many waves pass before the window.
func (r rig) warmup() float64 {
	if r.path.bandwidth > 0 || r.client.chunk > 0 || r.engine.Frontend.Workers > 0 {
		return moreWaves
	}
	return firstWave
}

// start begins the window. Samples are spread over what the first wave lets expect.
func (h *holder) start(samples int, waves float64) {
	h.begin, h.before = h.now, h.e.Counters()
	h.backlogFrom = h.e.Open() + len(h.proxied)
	h.wanted = samples
	h.every = max(time.Duration(1.6*float64(h.now)*waves)/time.Duration(max(samples, 1)), time.Microsecond)
	h.sampleAt = h.now + h.every/2
	h.clientBusy, h.failures = 0, 0
	h.iterations, h.steps = 0, 0
	h.prompts, h.outputs, h.ended = 0, 0, 0
	h.itl, h.itls = 0, 0
	h.gaps = h.gaps[:0]
}

// send puts the next request on its way; it leaves the client at a time.
func (h *holder) send(at time.Duration, share float64) {
	c := &call{index: len(h.calls), share: share, sent: at, arrive: at + h.path.delay}
	h.calls = append(h.calls, c)
	h.upcoming = append(h.upcoming, c)
	for i := len(h.upcoming) - 1; i > 0 && h.upcoming[i-1].arrive > c.arrive; i-- {
		h.upcoming[i-1], h.upcoming[i] = c, h.upcoming[i-1]
	}
}

// offer is an open loop's arrivals: gamma gaps.
func (h *holder) offer(l load, n int) {
	at := 0.0
	shape := 1 / (l.cv * l.cv)
	for range n {
		at += gamma(h.rng, shape) / shape / l.rate
		h.send(time.Duration(at*float64(time.Second)), 1)
	}
}

// gamma draws with scale 1 (Marsaglia and Tsang 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	if shape < 1 {
		return gamma(rng, shape+1) * math.Pow(rng.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := rng.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(1-rng.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// submit hands in what has arrived, as far as the proxy lets it through.
func (h *holder) submit() {
	i := 0
	for ; i < len(h.upcoming) && h.upcoming[i].arrive <= h.now; i++ {
		c := h.upcoming[i]
		if h.path.slots > 0 && h.through >= h.path.slots {
			h.proxied = append(h.proxied, c)
			continue
		}
		h.enter(c, c.arrive)
	}
	h.upcoming = h.upcoming[i:]
}

func (h *holder) enter(c *call, at time.Duration) {
	h.through++
	q := h.request(h.seed, c.index, c.share, h.e.Config().MaxModelLen)
	q.Owner = c
	s, err := h.e.Submit(at, q)
	if err != nil {
		panic(err) // lengths are cut to the model's, and there is no queue limit
	}
	c.prompt = s[0].PromptTokens()
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

// deliver brings one token to the client; true when the request is over.
func (h *holder) deliver(o engine.Output) bool {
	c := o.Owner.(*call)
	if c.over {
		return false
	}
	h.serve(o)
	at := o.Ready
	if h.path.bandwidth > 0 {
		h.linkFree = max(h.linkFree, at) + time.Duration(chunkBytes/h.path.bandwidth*float64(time.Second))
		at = h.linkFree
	}
	at += h.path.delay
	if h.client.chunk > 0 {
		h.coreFree = max(h.coreFree, at) + h.client.chunk
		at = h.coreFree
		h.clientBusy += h.client.chunk
	}
	if c.tokens == 0 {
		c.first, c.cached = at, o.CachedTokens()
	} else if len(h.gaps) < 4000 {
		h.gaps = append(h.gaps, float64(at-c.last)/float64(time.Millisecond))
	}
	c.last = at
	c.tokens++
	if p := h.fails(); p > 0 && c.tokens == 1 && o.Finish == engine.Running && h.rng.Float64() < p {
		c.failed = true
		h.failures++
		h.e.Abort(o.Sequence)
	} else if o.Finish == engine.Running {
		return false
	}
	c.over = true
	h.leave(o.Ready)
	return true
}

// lostInRestarts is the share of requests that a restart in each level ends.
const lostInRestarts = 0.12

// fails is the share of requests that end in an error.
func (h *holder) fails() float64 {
	if h.cold.restarts {
		return lostInRestarts
	}
	return h.fault.crash
}

// leave frees a place behind the proxy.
func (h *holder) leave(at time.Duration) {
	h.through--
	if len(h.proxied) > 0 {
		c := h.proxied[0]
		h.proxied = h.proxied[1:]
		h.enter(c, max(at, h.now))
	}
}

// serve is what vLLM observes of an output.
func (h *holder) serve(o engine.Output) {
	p := &o.Owner.(*call).server
	h.outputs++
	if o.Index == 0 {
		h.prompts += float64(o.PromptTokens())
		p.ttft = (o.Ready - o.Arrived).Seconds()
	} else {
		h.itl += o.Gap.Seconds()
		h.itls++
	}
	if o.Finish != engine.Running {
		h.ended++
		p.queue, p.prefill = (o.Scheduled - o.Queued).Seconds(), (o.FirstAt - o.Scheduled).Seconds()
		p.decode, p.e2e = (o.LastAt - o.FirstAt).Seconds(), (o.Ready - o.Arrived).Seconds()
	}
}

// seconds of the window.
func (o *observed) seconds() float64 { return (o.end - o.begin).Seconds() }

// throughput is tokens in and out per second, as the client received them.
func (o *observed) throughput() float64 {
	n := 0.0
	for _, c := range o.calls {
		if c.failed || c.tokens == 0 {
			continue
		}
		if c.first > o.begin && c.first <= o.end {
			n += float64(c.prompt)
		}
		if c.last <= o.begin || c.first > o.end {
			continue
		}
		// Tokens come evenly between the first and the last.
		from, to := max(c.first, o.begin), min(c.last, o.end)
		share := 1.0
		if c.last > c.first {
			share = float64(to-from) / float64(c.last-c.first)
		}
		n += share * float64(c.tokens)
	}
	return n / o.seconds()
}

// inFlight is the mean number of requests that the client had open.
func (o *observed) inFlight() float64 {
	sum := 0.0
	for _, c := range o.calls {
		last := o.end
		if c.over {
			last = min(c.last, o.end)
		}
		if from := max(c.sent, o.begin); last > from {
			sum += (last - from).Seconds()
		}
	}
	return sum / o.seconds()
}

// measured are the requests that ended within the window, in order of their end.
func (o *observed) measured() []*call {
	var out []*call
	for _, c := range o.calls {
		if c.over && !c.failed && c.last > o.begin && c.last <= o.end {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b *call) int { return int(a.last - b.last) })
	return out
}
