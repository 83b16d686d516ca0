package load

import (
	"math/rand/v2"
	"time"
)

// openLoop sends on an absolute schedule, whatever comes back and when.
func (u *execution) openLoop(start time.Duration) {
	schedule := u.newSchedule(start)
	warm := u.level.Warmup != NoWarmup
	begun := u.Client.Now()

	var requests crew
	defer requests.wait()
	it, ok := u.feed.next()
	for arrivals := 0; ok; arrivals++ {
		due := schedule.next(it)
		if u.gate.over(due) || !u.wait.until(due) {
			return
		}
		warm = warm && (arrivals < u.level.Warmup || !u.settled(begun))
		if !u.meter.reserve(u.limit) {
			u.meter.drop()
			if u.level.Replay {
				it, ok = u.feed.next() // the row's moment has passed
			}
			continue
		}
		seq, admitted := u.gate.admit(warm, due)
		if !admitted {
			u.meter.release()
			return
		}
		now, isWarm := it, warm
		requests.do(func() {
			u.play(now, seq, isWarm, due, func() bool { return isWarm })
			if seq == 0 {
				u.firstDone.Store(true)
			}
		})
		it, ok = u.feed.next()
	}
}

// longestSettling bounds the automatic warm-up of an open loop of sessions, which
// waits for the first one to end.
const longestSettling = time.Minute

// settled says whether an open loop's first request or session has ended, or
// been waited for long enough.
func (u *execution) settled(begun time.Duration) bool {
	return u.firstDone.Load() || u.feed.sessions.Load() && u.Client.Now()-begun >= longestSettling
}

// schedule gives the moments of an open loop's sends.
type schedule struct {
	start time.Duration
	pacer Pacer // nil: the prompts' own times
	rng   *rand.Rand
	speed float64
	// offset is a sum in seconds: a float64 keeps it within a nanosecond over a
	// day, where rounding each gap would drift.
	offset float64
}

func (u *execution) newSchedule(start time.Duration) *schedule {
	s := &schedule{start: start, rng: rand.New(rand.NewPCG(u.level.Seed, arrivalStream)), speed: u.level.speed()}
	s.pacer, _ = u.level.pacer() // checked before
	return s
}

// next is when the next prompt is due.
func (s *schedule) next(it item) time.Duration {
	if s.pacer == nil {
		return s.start + time.Duration(float64(it.prompt.At)/s.speed)
	}
	due := s.start + time.Duration(s.offset*float64(time.Second))
	s.offset += s.pacer.Gap(s.rng)
	return due
}
