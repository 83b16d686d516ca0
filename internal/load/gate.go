package load

import (
	"context"
	"sync"
	"time"

	"assay/internal/stats"
)

// gate decides which requests may still be sent. It is closed once: by the
// number, the time, the budget, the errors or an interrupt.
type gate struct {
	level   Level
	ctx     context.Context // of the run; nothing is sent once it has ended
	onClose func()

	mu       sync.Mutex
	isClosed bool
	cut      string // why, when it was not because all was done
	sent     int    // all that were admitted
	measured int
	began    time.Duration // first measured admission
	finished int           // measured
	failed   int           // measured
}

// admit says whether a request due at that time may be sent, and its place in
// the level's order.
func (g *gate) admit(warm bool, at time.Duration) (seq int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isClosed || g.overLocked(at) {
		return 0, false
	}
	seq = g.sent
	g.sent++
	if warm {
		return seq, true
	}
	if g.measured == 0 {
		g.began = at
	}
	g.measured++
	if g.level.Duration <= 0 && !g.level.endless() && g.measured >= g.level.Requests {
		g.closeLocked("")
	}
	return seq, true
}

// over says whether nothing due at that time or later may be sent.
func (g *gate) over(at time.Duration) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.isClosed || g.overLocked(at)
}

func (g *gate) overLocked(at time.Duration) bool {
	if g.ctx.Err() != nil {
		g.closeLocked(CutInterrupt)
		return true
	}
	if g.measured == 0 {
		return false
	}
	elapsed := at - g.began
	if !g.level.endless() && g.measured >= g.level.Requests && elapsed >= g.level.Duration {
		g.closeLocked("")
		return true
	}
	if g.level.Budget > 0 && elapsed >= g.level.Budget {
		g.closeLocked(CutBudget)
		return true
	}
	return false
}

// finish counts a measured request that has ended by itself.
func (g *gate) finish(failed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.finished++
	if failed {
		g.failed++
	}
	if g.level.MaxErrors > 0 && g.level.MaxErrors < 1 && g.finished >= MinJudged &&
		float64(g.failed) > g.level.MaxErrors*float64(g.finished) &&
		stats.JudgeShare(g.failed, g.finished, 100*(1-g.level.MaxErrors)) == stats.Missed {
		g.closeLocked(CutErrors)
	}
}

// close stops sending and says whether it was this call that did; a gate keeps
// the reason it was first closed for.
func (g *gate) close(cut string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.closeLocked(cut)
}

func (g *gate) closeLocked(cut string) bool {
	if g.isClosed {
		return false
	}
	g.isClosed, g.cut = true, cut
	g.onClose()
	return true
}

// progress is what has been measured so far.
func (g *gate) progress() (measured, finished, failed int, closed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.measured, g.finished, g.failed, g.isClosed
}
