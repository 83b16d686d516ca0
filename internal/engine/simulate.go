package engine

import (
	"fmt"
	"slices"
	"time"
)

// Arrival is a request and when it is sent.
type Arrival struct {
	At time.Duration
	Request
}

// Result is what became of one arrival.
type Result struct {
	At          time.Duration   // sent
	Scheduled   time.Duration   // first admitted
	Tokens      []time.Duration // when each output token was sent
	Finish      Finish
	Cached      int // prompt tokens found in the prefix cache
	Preemptions int
}

// TTFT is the time to the first token.
func (r Result) TTFT() time.Duration { return r.Tokens[0] - r.At }

// E2E is the time to the last token.
func (r Result) E2E() time.Duration { return r.Tokens[len(r.Tokens)-1] - r.At }

// ITL is the mean gap between tokens; 0 for a single token.
func (r Result) ITL() time.Duration {
	n := len(r.Tokens) - 1
	if n < 1 {
		return 0
	}
	return (r.Tokens[n] - r.Tokens[0]) / time.Duration(n)
}

// Simulate runs arrivals through a fresh engine in virtual time and returns
// their results in the order given.
func Simulate(cfg Config, arrivals []Arrival) ([]Result, error) { return Watch(cfg, arrivals, nil) }

// Watcher sees a simulation after each step, which began at a time; false ends it
// there. Requests that have not ended by then are Running in the results.
type Watcher func(e *Engine, began time.Duration, s Step) bool

// Watch is Simulate with someone who looks on; nil: nobody.
func Watch(cfg Config, arrivals []Arrival, see Watcher) ([]Result, error) {
	d, err := newDriver(cfg, len(arrivals))
	if err != nil {
		return nil, err
	}
	order := make([]int, len(arrivals))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(arrivals[a].At - arrivals[b].At) })
	for _, i := range order {
		d.upcoming = append(d.upcoming, indexed{arrivals[i], i})
	}
	return d.results, d.run(nil, see)
}

// SimulateClosed keeps as many requests open as concurrency says until n have
// been sent: each that ends lets the next one start. The first ones are sent at 0.
func SimulateClosed(cfg Config, concurrency, n int, request func(i int) Request) ([]Result, error) {
	return WatchClosed(cfg, concurrency, n, request, nil)
}

// WatchClosed is SimulateClosed with someone who looks on; nil: nobody.
func WatchClosed(cfg Config, concurrency, n int, request func(i int) Request, see Watcher) ([]Result, error) {
	d, err := newDriver(cfg, n)
	if err != nil {
		return nil, err
	}
	sent := 0
	send := func(at time.Duration) {
		if sent < n {
			d.insert(indexed{Arrival{at, request(sent)}, sent})
			sent++
		}
	}
	for range min(concurrency, n) {
		send(0)
	}
	return d.results, d.run(send, see)
}

// driver steps an engine in virtual time.
type driver struct {
	engine   *Engine
	upcoming []indexed // in order of time
	results  []Result
}

type indexed struct {
	Arrival
	index int
}

func newDriver(cfg Config, n int) (*driver, error) {
	e, err := New(cfg)
	if err != nil {
		return nil, err
	}
	return &driver{engine: e, results: make([]Result, n)}, nil
}

// run steps until all is done or who sees it has enough; ended, if not nil, hears
// when a request ends.
func (d *driver) run(ended func(time.Duration), see Watcher) error {
	now := time.Duration(0)
	for d.engine.Open() > 0 || len(d.upcoming) > 0 {
		if err := d.submit(now); err != nil {
			return err
		}
		step := d.engine.Step(now)
		if step.Idle {
			next := step.Next
			if len(d.upcoming) > 0 && (next < 0 || d.upcoming[0].At < next) {
				next = d.upcoming[0].At
			}
			if next <= now {
				return fmt.Errorf("simulate: the engine holds %d requests and schedules none of them at %v", d.engine.Open(), now)
			}
			now = next
			continue
		}
		began := now
		now += step.Duration
		for _, o := range step.Outputs {
			d.note(o)
			if o.Finish != Running && ended != nil {
				ended(o.Ready)
			}
		}
		if see != nil && !see(d.engine, began, step) {
			return nil
		}
	}
	return nil
}

func (d *driver) submit(now time.Duration) error {
	i := 0
	for ; i < len(d.upcoming) && d.upcoming[i].At <= now; i++ {
		a := d.upcoming[i]
		a.Owner = a.index
		if _, err := d.engine.Submit(a.At, a.Request); err != nil {
			return fmt.Errorf("arrival %d at %v: %w", a.index, a.At, err)
		}
		d.results[a.index].At = a.At
	}
	d.upcoming = d.upcoming[i:]
	return nil
}

// insert keeps what is upcoming in order of time.
func (d *driver) insert(a indexed) {
	d.upcoming = append(d.upcoming, a)
	for i := len(d.upcoming) - 1; i > 0 && d.upcoming[i-1].At > a.At; i-- {
		d.upcoming[i-1], d.upcoming[i] = a, d.upcoming[i-1]
	}
}

func (d *driver) note(o Output) {
	r := &d.results[o.Owner.(int)]
	if r.Tokens == nil {
		r.Tokens = make([]time.Duration, 0, min(o.limit, 1024))
	}
	r.Tokens = append(r.Tokens, o.Ready)
	if o.Finish != Running {
		r.Finish = o.Finish
		r.Scheduled = o.Scheduled
		r.Cached = o.cached
		r.Preemptions = o.preemptions
	}
}
