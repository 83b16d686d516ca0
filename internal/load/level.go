package load

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// Arrival processes of an open loop.
const (
	Constant = "constant"
	Poisson  = "poisson"
	Gamma    = "gamma"
)

// Reasons for a level to end before what was asked is done.
const (
	CutBudget    = "budget"
	CutErrors    = "errors"
	CutInterrupt = "interrupt"
	// CutOversaturated is an open loop that the server did not keep up with.
	CutOversaturated = "oversaturated"
)

// NoWarmup, as a Level's Warmup, measures from the first request on.
const NoWarmup = -1

// Level is one fixed load.
type Level struct {
	ID       string
	Scenario string

	// Concurrency is the number of slots of a closed loop, each of which sends
	// its next request when the last one has ended. 0: an open loop of Rate.
	Concurrency int
	// OpenRate paces the start of the slots of a closed loop, slots per second.
	// 0: 2,000.
	OpenRate float64

	Rate    float64 // open loop, requests per second
	Arrival string  // constant, poisson (also when empty) or gamma
	// Replay sends an open loop's prompts at their own times, Speed times as fast
	// (0: 1) as they say, and neither by Rate nor by Arrival.
	Replay     bool
	Speed      float64
	Burstiness float64 // gamma's shape: 1 (also when 0) is Poisson, below 1 burstier

	// Requests is the number of measured requests, warm-up not counted, and
	// Duration the least time over which they are sent. With both, whichever is
	// later ends the level.
	Requests int
	Duration time.Duration
	// Budget stops sending when measured requests have been sent for that long,
	// whatever Requests and Duration say. 0: none.
	Budget time.Duration

	// Warmup is the number of requests before the measured ones. 0 is automatic:
	// in a closed loop the first request of each slot, in an open loop what
	// arrives until the first request has ended. NoWarmup: none.
	Warmup int
	// Once ends the level with its source, where it is not over before; neither
	// Requests nor Duration is then needed.
	Once bool
	// MaxErrors is the share of failed measured requests above which the level
	// ends early, once it is shown at 99 % confidence (a binomial bound) that the
	// true share lies above it, from MinJudged finished ones on. 0: never.
	MaxErrors float64
	// MaxInFlight bounds what an open loop has open at once; arrivals above it
	// are dropped and counted. 0: what the limit on open files allows.
	MaxInFlight int

	Seed uint64
}

// MinJudged is the number of finished measured requests from which on MaxErrors
// is judged: below it one failure more or less decides.
const MinJudged = 20

// defaultOpenRate opens 16,000 connections in 8 s, far below what fills a
// listener's backlog of 4,096 (the kernel's default), and 100 within 50 ms.
const defaultOpenRate = 2000

func (l Level) closed() bool { return l.Concurrency > 0 }

func (l Level) speed() float64 {
	if l.Speed == 0 {
		return 1
	}
	return l.Speed
}

// endless says that nothing but its source ends a level.
func (l Level) endless() bool { return l.Once && l.Requests <= 0 && l.Duration <= 0 }

// check names what cannot be run.
func (l Level) check() error {
	switch {
	case l.Concurrency < 0:
		return fmt.Errorf("concurrency %d: must be at least 1", l.Concurrency)
	case l.closed() && l.Replay:
		return fmt.Errorf("concurrency %d: a trace's times are an open loop", l.Concurrency)
	case !(l.speed() > 0) || math.IsInf(l.Speed, 0):
		return fmt.Errorf("speed %g: must be above 0", l.Speed)
	case !l.closed() && !l.Replay && !(l.Rate > 0):
		return errors.New("neither a concurrency nor a request rate above 0 is given")
	case l.closed() && l.Rate > 0:
		return fmt.Errorf("concurrency %d and request rate %g: a level is either a closed or an open loop", l.Concurrency, l.Rate)
	case l.Requests <= 0 && l.Duration <= 0 && !l.Once:
		return errors.New("neither a number of requests nor a duration is given: the level would not end")
	case l.Warmup < NoWarmup:
		return fmt.Errorf("warm-up of %d requests: must be %d (none) or more", l.Warmup, NoWarmup)
	case l.closed() && l.Concurrency > l.maxInFlight():
		return fmt.Errorf("concurrency %d needs as many connections, but this process may open %d files: raise the limit with `ulimit -n %d`",
			l.Concurrency, l.maxInFlight()+reservedFiles, l.Concurrency+reservedFiles)
	}
	_, err := l.pacer()
	return err
}

// maxInFlight is the bound in force.
func (l Level) maxInFlight() int {
	if l.MaxInFlight > 0 {
		return l.MaxInFlight
	}
	return MostInFlight()
}

// MostInFlight is how many requests the limit on open files lets this process
// have open at once, one connection each.
func MostInFlight() int { return max(1, openFilesLimit()-reservedFiles) }

// reservedFiles are left for what is not a request's connection: the run
// folder, the metrics' scrapes, the terminal.
const reservedFiles = 64

// shortened is the output length of the first request of slot k of c: spread
// evenly over 1/c..1 of what is asked, so that the slots are out of phase from
// the start. A deterministic server answers slots that start together together,
// in waves, for the rest of the level.
func shortened(asked, k, c int) int {
	return max(1, (asked*(k+1)+c-1)/c)
}

// unknownFilesLimit is taken where the system does not say how many files a
// process may open: the common soft limit.
const unknownFilesLimit = 1024
