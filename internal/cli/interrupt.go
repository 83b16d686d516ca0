package cli

import (
	"context"
	"fmt"
	"os"
)

// interruptible gives a context that a second interrupt cancels and a channel
// that the first one closes. release ends the watch.
func interruptible(env *Env) (hard context.Context, soft <-chan struct{}, release func()) {
	hard, cancel := context.WithCancel(context.Background())
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			case <-env.Interrupts:
			}
			if n > 1 {
				os.Exit(exitInterrupted) // something holds the program: let the user go
			}
			if n == 0 {
				fmt.Fprintln(env.Stderr, "\ninterrupted: finishing what is in flight, then saving; once more to stop at once")
				close(stop)
				continue
			}
			cancel()
		}
	}()
	return hard, stop, func() { close(done); cancel() }
}

// untilInterrupt is a context that the first interrupt cancels.
func untilInterrupt(env *Env) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-env.Interrupts:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}
