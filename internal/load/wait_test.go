package load

import (
	"context"
	"testing"
	"time"
)

func TestWaiters(t *testing.T) {
	epoch := time.Now()
	now := func() time.Duration { return time.Since(epoch) }
	for name, newWaiter := range map[string]func(context.Context, func() time.Duration) waiter{
		"timer": newTimerWaiter, "precise": newPreciseWaiter,
	} {
		ctx, cancel := context.WithCancel(t.Context())
		w := newWaiter(ctx, now)
		defer w.close()
		at := now() + 5*ms
		if !w.until(at) || now() < at {
			t.Errorf("%s: returned before the moment, or gave up", name)
		}
		if !w.until(at) {
			t.Errorf("%s: gave up on a moment that has passed", name)
		}
		time.AfterFunc(5*ms, cancel)
		if w.until(now()+time.Hour) || ctx.Err() == nil {
			t.Errorf("%s: went on after its context had ended", name)
		}
		if w.until(now()) {
			t.Errorf("%s: said to go on after its context had ended", name)
		}
	}
}
