package httpd

import (
	"sync"
	"time"

	"assay/internal/engine"
)

// metrics is what vLLM counts, recorded when vLLM records it: tokens and
// latencies at each step's end, a request's own at its end, a preemption with
// the next output of the request that suffered it. Requests whose client left
// are in no counter but that of tokens.
type metrics struct {
	mu      sync.Mutex
	started time.Time

	running, waiting int
	kvUsage          float64
	engine           engine.Counters

	promptComputed, promptCached float64
	generated                    float64
	preemptions                  float64
	finished                     map[string]float64 // by finished_reason
	rejected                     map[string]float64 // by reason
	http                         map[httpKey]float64

	promptLen *histogram
	outputLen *histogram
	iteration *histogram
	maxOutput *histogram
	paramsN   *histogram
	paramsMax *histogram
	ttft      *histogram
	itl       *histogram
	tpot      *histogram
	e2e       *histogram
	queue     *histogram
	inference *histogram
	prefill   *histogram
	decode    *histogram
	preempted *histogram
	computed  *histogram
}

type httpKey struct{ handler, method, status string }

func newMetrics(maxModelLen int) *metrics {
	tokens := tokenBuckets(maxModelLen)
	return &metrics{
		started:  time.Now(),
		finished: map[string]float64{}, rejected: map[string]float64{}, http: map[httpKey]float64{},
		promptLen: newHistogram(tokens),
		outputLen: newHistogram(tokens),
		iteration: newHistogram(iterationBuckets),
		maxOutput: newHistogram(tokens),
		paramsN:   newHistogram(paramsNBuckets),
		paramsMax: newHistogram(tokens),
		ttft:      newHistogram(ttftBuckets),
		itl:       newHistogram(itlBuckets),
		tpot:      newHistogram(itlBuckets),
		e2e:       newHistogram(requestBuckets),
		queue:     newHistogram(requestBuckets),
		inference: newHistogram(requestBuckets),
		prefill:   newHistogram(requestBuckets),
		decode:    newHistogram(requestBuckets),
		preempted: newHistogram(preemptionBuckets),
		computed:  newHistogram(tokens),
	}
}

// gauges reads what the scheduler shows.
func (m *metrics) gauges(e *engine.Engine) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.snapshot(e)
}

func (m *metrics) snapshot(e *engine.Engine) {
	m.running, m.waiting, m.kvUsage = e.Running(), e.Waiting(), e.KVUsage()
	m.engine = e.Counters()
}

// step records the outputs of one step. vLLM takes a request's first and last
// moment in its API server, and what lies between in the engine.
func (m *metrics) step(e *engine.Engine, outputs []engine.Output) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.snapshot(e)
	if len(outputs) == 0 {
		return // a step of partial prefills: vLLM observes nothing
	}
	tokens := len(outputs)
	for _, o := range outputs {
		m.preemptions += float64(o.Preemptions)
		if o.Index == 0 {
			cached := o.CachedTokens()
			tokens += o.PromptTokens() - cached
			m.promptCached += float64(cached)
			m.promptComputed += float64(o.PromptTokens() - cached)
			m.ttft.observe((o.Ready - o.Arrived).Seconds())
		} else {
			m.itl.observe(o.Gap.Seconds())
		}
		if o.Finish != engine.Running {
			m.ended(o.Sequence, o.Finish, o.Ready)
		}
	}
	m.generated += float64(len(outputs))
	m.iteration.observe(float64(tokens))
}

// ended records a request that generated all it was to.
func (m *metrics) ended(s *engine.Sequence, why engine.Finish, at time.Duration) {
	n := s.Generated()
	decode := (s.LastAt - s.FirstAt).Seconds()
	perToken := 0.0
	if n > 1 {
		perToken = decode / float64(n-1)
	}
	m.finished[why.String()]++
	m.promptLen.observe(float64(s.PromptTokens()))
	m.outputLen.observe(float64(n))
	m.computed.observe(float64(s.PromptTokens() - s.CachedTokens()))
	m.paramsMax.observe(float64(s.Limit()))
	m.preempted.observe(float64(s.Preemptions()))
	m.tpot.observe(perToken)
	m.e2e.observe((at - s.Arrived).Seconds())
	m.queue.observe((s.Scheduled - s.Queued).Seconds())
	m.prefill.observe((s.FirstAt - s.Scheduled).Seconds())
	m.decode.observe(decode)
	m.inference.observe((s.LastAt - s.Scheduled).Seconds())
	s.Owner.(*choice).answer.ended(m, n)
}

// call records the parameters of a whole call, when its last choice has ended.
func (m *metrics) call(choices, longest int) {
	m.paramsN.observe(float64(choices))
	m.maxOutput.observe(float64(longest))
}

// reject counts a call that a limit turned away, however many choices it asked for.
func (m *metrics) reject(reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.rejected[reason]++
}

func (m *metrics) served(k httpKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.http[k]++
}
