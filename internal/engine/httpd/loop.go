package httpd

import (
	"sync"
	"time"

	"assay/internal/engine"
)

// loop steps the engine in real time. It alone calls Step; Submit and Abort
// may come from any request.
type loop struct {
	speed   float64
	began   time.Time
	metrics *metrics
	sender  *sender // nil without a limit on the API server's workers

	mu     sync.Mutex // guards engine and what follows
	engine *engine.Engine
	last   time.Duration // of the latest submission
	late   time.Duration // how far the wake-up of the latest step lagged
	stuck  bool          // steps are not taken: a fault

	wake chan struct{} // something was submitted or aborted
	quit chan struct{}
	done chan struct{}
}

func startLoop(e *engine.Engine, speed float64, m *metrics) *loop {
	l := &loop{
		speed: speed, began: time.Now(), metrics: m, engine: e,
		wake: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	if e.Config().Frontend.Workers > 0 {
		l.sender = startSender(l.until, l.quit)
	}
	go l.run()
	return l
}

// counters are the engine's, and its time.
func (l *loop) counters() (time.Duration, engine.Counters) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now(), l.engine.Counters()
}

// fault makes the engine as faults want it: with that clock, stuck or not.
func (l *loop) fault(t engine.Throttle, stuck bool) error {
	l.mu.Lock()
	err := l.engine.SetThrottle(t)
	l.stuck = stuck
	l.mu.Unlock()
	l.nudge()
	return err
}

// now is the engine's time.
func (l *loop) now() time.Duration {
	return time.Duration(float64(time.Since(l.began)) * l.speed)
}

// submit hands in the choices of one call.
func (l *loop) submit(requests ...engine.Request) ([]*engine.Sequence, error) {
	l.mu.Lock()
	l.last = max(l.last, l.now())
	sequences, err := l.engine.Submit(l.last, requests...)
	l.mu.Unlock()
	l.nudge()
	return sequences, err
}

// abort ends sequences whose client has left.
func (l *loop) abort(sequences []*engine.Sequence) {
	l.mu.Lock()
	for _, s := range sequences {
		l.engine.Abort(s)
	}
	l.mu.Unlock()
	l.nudge()
}

// forget empties the prefix cache; false while requests hold blocks.
func (l *loop) forget() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.engine.ResetPrefixCache()
}

func (l *loop) nudge() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// stop ends the loop where it is; streams get no more tokens.
func (l *loop) stop() {
	close(l.quit)
	<-l.done
	if l.sender != nil {
		<-l.sender.done
	}
}

func (l *loop) run() {
	defer close(l.done)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	var now time.Duration
	for {
		l.mu.Lock()
		if l.stuck {
			l.mu.Unlock()
			if !l.wait() {
				return
			}
			now = max(now, l.now()) // time has passed, and no step with it
			continue
		}
		step := l.engine.Step(now)
		if step.Idle {
			l.metrics.gauges(l.engine)
		}
		l.mu.Unlock()
		switch {
		case !step.Idle:
			now += step.Duration
			if !l.sleep(timer, now) {
				return
			}
			l.deliver(step.Outputs, now)
		case step.Next >= 0:
			switch l.sleepOrWake(timer, step.Next) {
			case reached:
				now = step.Next
			case stopped:
				return
			}
		default:
			if !l.wait() {
				return
			}
		}
	}
}

// wait waits until something happens; false when the loop is to stop.
func (l *loop) wait() bool {
	select {
	case <-l.wake:
		return true
	case <-l.quit:
		return false
	}
}

// deliver hands a step's tokens to their streams. All of them are due at the
// step's end.
func (l *loop) deliver(outputs []engine.Output, at time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.late = time.Duration(float64(max(l.now()-at, 0)) / l.speed)
	l.metrics.step(l.engine, outputs)
	if l.sender != nil {
		l.sender.add(outputs)
		return
	}
	for _, o := range outputs {
		o.Owner.(*choice).push(o)
	}
}

// until is the real time from now to a time of the engine.
func (l *loop) until(at time.Duration) time.Duration {
	return time.Duration(float64(at)/l.speed) - time.Since(l.began)
}

// sleep waits until a time of the engine; false when the loop is to stop.
func (l *loop) sleep(timer *time.Timer, at time.Duration) bool {
	d := l.until(at)
	if d <= 0 {
		select {
		case <-l.quit:
			return false
		default:
			return true
		}
	}
	timer.Reset(d)
	select {
	case <-timer.C:
		return true
	case <-l.quit:
		return false
	}
}

type woke int

const (
	reached woke = iota
	nudged
	stopped
)

// sleepOrWake waits until a time of the engine or until something is submitted.
func (l *loop) sleepOrWake(timer *time.Timer, at time.Duration) woke {
	d := l.until(at)
	if d <= 0 {
		return reached
	}
	timer.Reset(d)
	select {
	case <-timer.C:
		return reached
	case <-l.wake:
		return nudged
	case <-l.quit:
		return stopped
	}
}
