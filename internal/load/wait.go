package load

import (
	"context"
	"time"
)

// waiter waits for moments of a clock until its context ends.
type waiter interface {
	// until returns at that time, or as soon after it as the machine can; false
	// when the context has ended.
	until(at time.Duration) bool
	close()
}

// timerWaiter waits with Go's timers, which a Linux kernel wakes up to a
// millisecond late: the runtime's poller waits in whole milliseconds.
type timerWaiter struct {
	ctx context.Context
	now func() time.Duration
}

func newTimerWaiter(ctx context.Context, now func() time.Duration) waiter {
	return timerWaiter{ctx, now}
}

func (w timerWaiter) until(at time.Duration) bool {
	left := at - w.now()
	if left <= 0 {
		return w.ctx.Err() == nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.ctx.Done():
		return false
	}
}

func (timerWaiter) close() {}
