//go:build !linux

package load

import (
	"context"
	"time"
)

func newPreciseWaiter(ctx context.Context, now func() time.Duration) waiter {
	return newTimerWaiter(ctx, now)
}
