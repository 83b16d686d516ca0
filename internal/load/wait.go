package load

import (
	"context"
	"time"
)

// waiter waits for a moment of the run's clock.
type waiter interface {
	// until returns at that time or as soon after it as the machine can, true
	// unless ctx ended before. now reads the clock.
	until(ctx context.Context, now func() time.Duration, at time.Duration) bool
	// spun is the CPU time burnt by waiting so far.
	spun() time.Duration
	close()
}

// timerWaiter waits with Go's timers, which a Linux kernel wakes up to a
// millisecond late: the runtime's poller waits in whole milliseconds.
type timerWaiter struct{}

var _ waiter = timerWaiter{}

func (timerWaiter) until(ctx context.Context, now func() time.Duration, at time.Duration) bool {
	left := at - now()
	if left <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (timerWaiter) spun() time.Duration { return 0 }
func (timerWaiter) close()              {}
