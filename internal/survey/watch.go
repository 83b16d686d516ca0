package survey

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
)

// DefaultHeartbeat is how often a watch says that it still looks.
const DefaultHeartbeat = 10 * time.Minute

// Kinds of a watch's events.
const (
	Changed   = "change"    // another verdict, another odd replica, or the first look
	Heartbeat = "heartbeat" // nothing changed for a while
	Failed    = "failed"    // nothing could be read
)

// Event is what a watch says. Result is nil of a failed look.
type Event struct {
	Event  string    `json:"event"`
	At     time.Time `json:"at"`
	Error  string    `json:"error,omitempty"`
	Result *Result   `json:"result,omitempty"`
}

// Watch looks again and again until ctx ends and tells each change, and every
// heartbeat that there was none. A look that fails is told once and tried again.
// It returns the last result, nil where there was none, and an error only for
// wrong usage.
func Watch(ctx context.Context, opt Options, heartbeat time.Duration, tell func(Event)) (*Result, error) {
	if heartbeat <= 0 {
		heartbeat = DefaultHeartbeat
	}
	pause, _ := opt.pace()
	var last *Result
	said, saidAt := "", time.Time{}
	for {
		r, err := Look(ctx, opt)
		now := time.Now()
		if u := (*UsageError)(nil); errors.As(err, &u) {
			return last, err
		}
		if ctx.Err() != nil {
			// A look cut short would show changes that are none; the first one is all
			// there is.
			if said == "" && err == nil {
				tell(Event{Event: Changed, At: now, Result: r})
				last = r
			}
			return last, nil
		}
		e := Event{At: now, Result: r}
		state := ""
		if err != nil {
			e.Event, e.Error, state = Failed, err.Error(), "failed"
		} else {
			last, state = r, stateOf(r)
			e.Event = Changed
		}
		switch {
		case state != said:
			tell(e)
			said, saidAt = state, now
		case now.Sub(saidAt) >= heartbeat:
			if err == nil {
				e.Event = Heartbeat
			}
			tell(e)
			saidAt = now
		}
		if opt.Prometheus == nil && err == nil {
			continue // the look itself took its time
		}
		if !wait(ctx, pause) {
			return last, nil
		}
	}
}

// stateOf is what a change is told of: the verdict, each replica's, and who is odd.
func stateOf(r *Result) string {
	parts := []string{r.Bound.Verdict}
	for _, i := range r.Instances {
		if i.Odd {
			parts = append(parts, "odd "+i.Name)
		}
		if i.Failed != "" {
			parts = append(parts, "lost "+i.Name)
		}
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, "\n")
}

// wait is false when ctx ended first.
func wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
