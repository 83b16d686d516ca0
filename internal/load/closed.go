package load

import (
	"math"
	"sync"
	"time"
)

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
		it.turns = u.firstTurns(it, k)
		slots.Go(func() { u.slot(it, seq, warm, due) })
	}
	u.allOpen.Store(true)
}

// slot sends one request after the other, or where requests are turns plays one
// session after the other. Each is due the moment the last one ended: what the
// client needs in between counts as lateness.
func (u *execution) slot(it item, seq int, warm bool, due time.Duration) {
	for first := true; ; first = false {
		u.meter.reserve(math.MaxInt)
		end, refused := u.play(it, seq, warm, due, func() bool { return u.warm(first) })
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
func (u *execution) backOff() bool { return u.think(refusedPause) }

// warm says whether the next request of a closed loop is warm-up: by the number
// asked for, else those of the first session of each slot and what comes before
// all slots are open, for until then the load is not what was asked.
func (u *execution) warm(first bool) bool {
	switch {
	case u.level.Warmup < 0:
		return false
	case u.level.Warmup == 0:
		return first || !u.allOpen.Load()
	}
	return u.warmed.Add(1) <= int64(u.level.Warmup)
}

// mostWarmTurns bounds how many turns of a slot's first session are played: one
// of a hundred turns would make the warm-up longer than the level.
const mostWarmTurns = 8

// firstTurns is how many turns slot k plays of its first session: spread evenly,
// so that slots are at different turns from the start. Histories that grow in
// step would make the load rise and fall with them.
func (u *execution) firstTurns(it item, k int) int {
	if it.prompt.Session == nil || u.level.Warmup < 0 {
		return 0
	}
	return shortened(min(it.prompt.Session.Turns(), mostWarmTurns), k, u.level.Concurrency)
}

// WarmupTurns is how many requests the automatic warm-up of a closed loop sends
// whose sessions have that many turns; 0 and 1: requests by themselves.
func WarmupTurns(slots, turns int) int {
	n := 0
	for k := range slots {
		n += shortened(min(max(1, turns), mostWarmTurns), k, slots)
	}
	return n
}
