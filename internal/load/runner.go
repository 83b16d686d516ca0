package load

import (
	"context"
	"errors"
	"fmt"
	"io"
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

	// Overload, once closed, ends sending as CutOversaturated; what is in flight
	// is answered to its end. nil: never.
	Overload <-chan struct{}

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
	limit int // of open requests; to ask for it costs a system call
	wait  waiter
	feed  *feed
	gate  *gate
	meter meter

	sending context.Context // ends when nothing more is to be sent
	flight  context.Context // ends when what is in flight is to be given up

	start     time.Duration // of the level
	trips     chan trip
	tally     tally
	tokens    atomic.Int64
	firstDone atomic.Bool // the first request, or session, has ended
	allOpen   atomic.Bool // each slot of a closed loop has sent its first request
	warmed    atomic.Int64
	failed    atomic.Pointer[error] // why the level could not go on
}

func newExecution(r *Runner, l Level) *execution {
	return &execution{Runner: r, level: l, limit: l.maxInFlight(), feed: newFeed(r, l), trips: make(chan trip, 4*maxAhead)}
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
		if u.level.Once && errors.Is(err, io.EOF) && len(first) > 0 {
			return first, nil
		}
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

	if !u.level.closed() {
		// To read a trace and to make a thousand prompts while the first are due
		// would make those late.
		select {
		case <-u.feed.full:
		case <-u.sending.Done():
		}
	}
	u.start = u.Client.Now()
	start := u.start
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
	if err := u.failed.Load(); err != nil {
		return result, *err
	}
	switch {
	case !starved: // what the source could not give was not needed
		return result, nil
	case u.level.Once && errors.Is(u.feed.err, io.EOF):
		result.SourceEnded = true
		return result, nil
	}
	return result, u.feed.err
}

// obeyStop closes the gate on an interrupt and gives up what is in flight after
// the grace.
func (u *execution) obeyStop(ctx context.Context, done <-chan struct{}, giveUp func()) {
	overload := u.Overload
	for stopped := false; !stopped; {
		select {
		case <-done:
			return
		case <-ctx.Done():
			u.gate.close(CutInterrupt) // a gate that nobody asks anything must close too
			return
		case <-overload:
			u.gate.close(CutOversaturated)
			overload = nil
		case <-u.Stop:
			u.gate.close(CutInterrupt)
			stopped = true
		}
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
