package load

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"assay/internal/record"
	"assay/internal/wire"
)

// Sender sends one request and times it. wire.Client is one.
type Sender interface {
	// Now is the time since the run's start on the clock of Do's Outcome.
	Now() time.Duration
	// Do sends body with that X-Request-Id and reads the answer to its end.
	Do(ctx context.Context, id string, body []byte) wire.Outcome
}

// Runner runs levels one after the other against one target.
type Runner struct {
	Client Sender
	Encode func(Prompt) ([]byte, error) // prompt to request body, in the target's dialect
	Source Source
	RunID  string // prefix of the request ids

	// Stop, once closed, ends sending; what is in flight has Grace to finish
	// and is cancelled then. Run's context cancels it at once.
	Stop  <-chan struct{}
	Grace time.Duration // 0: 5 s

	// Each is called by one goroutine at a time, and may be nil.
	OnRequest  func(record.Request)
	OnSample   func(record.ClientSample) // once a second
	OnProgress func(Progress)            // four times a second

	// newWaiter is what waits for the schedule's moments; nil: newPreciseWaiter.
	newWaiter func(context.Context, func() time.Duration) waiter
}

// Progress is how far a level is.
type Progress struct {
	Level    string
	Phase    string // record.Warmup, record.Measured or Draining
	Elapsed  time.Duration
	Asked    int // measured requests; 0: by time only
	Measured int // sent
	Finished int // measured requests that ended
	Failed   int // of Finished
	InFlight int
	Tokens   int // output tokens of measured requests that ended
	Dropped  int
}

// Draining is the phase after the last request was sent.
const Draining = "draining"

const defaultGrace = 5 * time.Second

// Run holds one level of load to its end and gives what it saw. An error means
// that the level could not be run, or not go on, for a reason on our side (the
// source of prompts failed): Result holds what was measured until then. Failed
// requests are data, not errors.
func (r *Runner) Run(ctx context.Context, l Level) (Result, error) {
	if err := l.check(); err != nil {
		return Result{}, fmt.Errorf("level %s: %w", l.ID, err)
	}
	u := newExecution(r, l)
	first, err := u.prepare(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("level %s: %w", l.ID, err)
	}
	defer calmCollector()()
	result, err := u.run(ctx, first)
	if err != nil {
		return result, fmt.Errorf("level %s: %w", l.ID, err)
	}
	return result, nil
}

// execution is one level under way.
type execution struct {
	*Runner
	level Level
	wait  waiter
	feed  *feed
	gate  *gate
	meter meter

	sending context.Context // ends when nothing more is to be sent
	flight  context.Context // ends when what is in flight is to be given up

	trips     chan trip
	tally     tally
	tokens    atomic.Int64
	firstDone atomic.Bool // the first request has ended
	allOpen   atomic.Bool // each slot of a closed loop has sent its first request
	warmed    atomic.Int64
}

func newExecution(r *Runner, l Level) *execution {
	return &execution{Runner: r, level: l, feed: newFeed(r, l), trips: make(chan trip, 4*maxAhead)}
}

// prepare makes the first request of each slot, so that all are there when the
// level starts.
func (u *execution) prepare(ctx context.Context) ([]item, error) {
	var first []item
	for range u.level.Concurrency {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		it, err := u.feed.make()
		if err != nil {
			return nil, err
		}
		first = append(first, it)
	}
	return first, nil
}

func (u *execution) run(ctx context.Context, first []item) (Result, error) {
	var cancelSending, cancelFlight context.CancelFunc
	u.flight, cancelFlight = context.WithCancel(ctx)
	defer cancelFlight()
	u.sending, cancelSending = context.WithCancel(ctx)
	defer cancelSending()
	newWaiter := u.newWaiter
	if newWaiter == nil {
		newWaiter = newPreciseWaiter
	}
	u.wait = newWaiter(u.sending, u.Client.Now)
	defer u.wait.close()
	u.gate = &gate{level: u.level, ctx: ctx, onClose: cancelSending}
	select {
	case <-u.Stop:
		u.gate.close(CutInterrupt)
	default:
	}

	var background sync.WaitGroup
	done := make(chan struct{})
	u.feed.fill(u.sending, &background)
	background.Go(func() { u.obeyStop(ctx, done, cancelFlight) })
	collected := make(chan struct{})
	go func() { defer close(collected); u.collect() }()

	start := u.Client.Now()
	watch := startWatch(u, start)
	background.Go(func() { watch.run(done) })
	if u.level.closed() {
		u.closedLoop(first, start)
	} else {
		u.openLoop(start)
	}
	if ctx.Err() != nil {
		u.gate.close(CutInterrupt)
	}
	starved := u.gate.close("") // sending ended although nothing had ended it
	close(u.trips)
	<-collected
	close(done)
	background.Wait()
	result := u.result(start)
	if starved {
		return result, u.feed.err
	}
	return result, nil // what the source could not give was not needed
}

// obeyStop closes the gate on an interrupt and gives up what is in flight after
// the grace.
func (u *execution) obeyStop(ctx context.Context, done <-chan struct{}, giveUp func()) {
	select {
	case <-done:
		return
	case <-ctx.Done():
		u.gate.close(CutInterrupt) // a gate that nobody asks anything must close too
		return
	case <-u.Stop:
		u.gate.close(CutInterrupt)
	}
	grace := u.Grace
	if grace == 0 {
		grace = defaultGrace
	}
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-done:
	case <-ctx.Done():
	case <-timer.C:
		giveUp()
	}
}

// closedLoop holds exactly Concurrency slots, a goroutine each.
func (u *execution) closedLoop(first []item, start time.Duration) {
	rate := u.level.OpenRate
	if rate <= 0 {
		rate = defaultOpenRate
	}
	var slots sync.WaitGroup
	defer slots.Wait()
	for k, it := range first {
		due := start + time.Duration(math.Round(float64(k)/rate*float64(time.Second)))
		if !u.wait.until(due) {
			return
		}
		warm := u.warm(true)
		seq, admitted := u.gate.admit(warm, due)
		if !admitted {
			return
		}
		slots.Go(func() { u.slot(it, seq, warm, due) })
	}
	u.allOpen.Store(true)
}

// slot sends one request after the other. Each is due the moment the last one
// ended: what the client needs in between counts as lateness.
func (u *execution) slot(it item, seq int, warm bool, due time.Duration) {
	for {
		u.meter.begin()
		end, refused := u.exchange(it, seq, warm, due)
		if due = end; refused && !u.backOff() {
			return
		}
		var ok bool
		if it, ok = u.feed.next(); !ok {
			return
		}
		warm = u.warm(false)
		if seq, ok = u.gate.admit(warm, u.Client.Now()); !ok {
			return
		}
	}
}

// refusedPause is how long a slot of a closed loop waits after a connection that
// could not be made: a server that restarts for a second must not burn the
// whole level's requests in it.
const refusedPause = 200 * time.Millisecond

// backOff waits, or reports false when nothing more is to be sent.
func (u *execution) backOff() bool {
	timer := time.NewTimer(refusedPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-u.sending.Done():
		return false
	}
}

// warm says whether the next request of a closed loop is warm-up: by the number
// asked for, else the first of each slot and what comes before all slots are
// open, for until then the load is not what was asked.
func (u *execution) warm(first bool) bool {
	switch {
	case u.level.Warmup < 0:
		return false
	case u.level.Warmup == 0:
		return first || !u.allOpen.Load()
	}
	return u.warmed.Add(1) <= int64(u.level.Warmup)
}

// openLoop sends on an absolute schedule, whatever comes back and when.
func (u *execution) openLoop(start time.Duration) {
	pacer, _ := u.level.pacer() // checked before
	rng := rand.New(rand.NewPCG(u.level.Seed, arrivalStream))
	limit := u.level.maxInFlight()
	warm := u.level.Warmup != NoWarmup

	var requests crew
	defer requests.wait()
	it, ok := u.feed.next()
	// The schedule is a sum in seconds: a float64 keeps it within a nanosecond
	// over a day, where rounding each gap would drift.
	offset := 0.0
	for arrivals := 0; ok; arrivals++ {
		due := start + time.Duration(offset*float64(time.Second))
		offset += pacer.Gap(rng)
		if u.gate.over(due) || !u.wait.until(due) {
			return
		}
		warm = warm && (arrivals < u.level.Warmup || !u.firstDone.Load())
		if u.meter.open() >= limit {
			u.meter.drop()
			continue
		}
		seq, admitted := u.gate.admit(warm, due)
		if !admitted {
			return
		}
		u.meter.begin()
		now, isWarm := it, warm
		requests.do(func() { u.exchange(now, seq, isWarm, due) })
		it, ok = u.feed.next()
	}
}

// exchange sends a request that the meter has counted as begun. It gives the
// moment of its end, and whether no connection could be made.
func (u *execution) exchange(it item, seq int, warm bool, due time.Duration) (end time.Duration, refused bool) {
	id := fmt.Sprintf("%s-%s-%d", u.RunID, u.level.ID, seq)
	o := u.Client.Do(u.flight, id, it.body)
	if o.End == 0 {
		o.End = u.Client.Now()
	}
	u.meter.end(o, due)
	if seq == 0 {
		u.firstDone.Store(true)
	}
	if !warm {
		u.gate.finish(o.Err != nil && o.Err.Kind != wire.KindCancelled)
	}
	u.trips <- trip{id: id, level: u.level.ID, seq: seq, warm: warm, due: due, prompt: it.prompt, outcome: o}
	return o.End, o.Err != nil && (o.Err.Kind == wire.KindConnect || o.Err.Kind == wire.KindResolve || o.Err.Kind == wire.KindTLS)
}

// collect folds each request into the tally and hands on its record, off the
// path of the requests.
func (u *execution) collect() {
	for t := range u.trips {
		q := t.record()
		u.tally.add(t)
		if !t.warm && q.OutputTokens != nil {
			u.tokens.Add(int64(*q.OutputTokens))
		}
		if u.OnRequest != nil {
			u.OnRequest(q)
		}
	}
}
