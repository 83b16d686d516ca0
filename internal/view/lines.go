package view

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// Lines prints a line as each level begins and ends, and one a minute between. It is safe for concurrent
// use.
type Lines struct {
	mu   sync.Mutex
	w    io.Writer
	next time.Duration // into the level, when it is due to say how far it is
}

// tellEvery is how often a long level says how far it is.
const tellEvery = time.Minute

var _ bench.View = (*Lines)(nil)

// NewLines prints to w.
func NewLines(w io.Writer) *Lines { return &Lines{w: w} }

// Note prints the remark as it is.
func (l *Lines) Note(text string) { l.print(text) }

// LevelStart prints which level of how many begins.
func (l *Lines) LevelStart(p bench.PlannedLevel, n, of int) {
	l.mu.Lock()
	l.next = tellEvery
	l.mu.Unlock()
	l.print(startLine(p, n, of))
}

// Request prints nothing.
func (l *Lines) Request(*record.Request) {}

// Sample prints nothing.
func (l *Lines) Sample(record.ClientSample) {}

// Tick prints how far a long level is.
func (l *Lines) Tick(p load.Progress) {
	l.mu.Lock()
	due := p.Elapsed >= l.next
	for l.next <= p.Elapsed {
		l.next += tellEvery
	}
	l.mu.Unlock()
	if due {
		l.print(farLine(p))
	}
}

// LevelDone prints what the level came to.
func (l *Lines) LevelDone(level record.Level) { l.print(doneLine(level)) }

func (l *Lines) print(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintln(l.w, text)
}

func startLine(p bench.PlannedLevel, n, of int) string {
	return fmt.Sprintf("[%d/%d] %s", n, of, p.ID)
}

// farLine is how far a level is.
func farLine(p load.Progress) string {
	answered := fmt.Sprintf("%d answered", p.Finished)
	if p.Asked > 0 {
		answered = fmt.Sprintf("%d of %d answered", p.Finished, p.Asked)
	}
	text := fmt.Sprintf("      %s: %s, %d in flight", p.Elapsed.Round(time.Second), answered, p.InFlight)
	if p.Failed > 0 {
		text += fmt.Sprintf(", failed %d", p.Failed)
	}
	return text
}

func doneLine(l record.Level) string {
	text := fmt.Sprintf("      %.1f requests/s", l.Throughput.RequestsPerS)
	if l.Throughput.OutputTokensPerS > 0 {
		text += fmt.Sprintf("  %.0f tokens/s", l.Throughput.OutputTokensPerS)
	}
	if l.TTFT.Mean != nil {
		text += fmt.Sprintf("  TTFT %.1f ms", *l.TTFT.Mean)
	}
	if l.ITL.Mean != nil {
		text += fmt.Sprintf("  ITL %.2f ms", *l.ITL.Mean)
	}
	if l.TTFT.Mean == nil && l.E2E.Mean != nil {
		text += fmt.Sprintf("  E2E %.1f ms", *l.E2E.Mean)
	}
	text += fmt.Sprintf("  (means of %d)  %.1f s", l.Requests.Completed, l.DurationS)
	if l.Requests.Failed > 0 {
		text += fmt.Sprintf("  failed %d", l.Requests.Failed)
	}
	if l.Validity.Verdict != record.Valid {
		text += "  " + strings.ToUpper(l.Validity.Verdict)
	}
	return text
}
