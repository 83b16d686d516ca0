package view

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// Lines prints a line as each level begins and ends. It is safe for concurrent
// use.
type Lines struct {
	mu sync.Mutex
	w  io.Writer
}

var _ bench.View = (*Lines)(nil)

// NewLines prints to w.
func NewLines(w io.Writer) *Lines { return &Lines{w: w} }

// Note prints the remark as it is.
func (l *Lines) Note(text string) { l.print(text) }

// LevelStart prints which level of how many begins.
func (l *Lines) LevelStart(p bench.PlannedLevel, n, of int) { l.print(startLine(p, n, of)) }

// Request prints nothing.
func (l *Lines) Request(*record.Request) {}

// Sample prints nothing.
func (l *Lines) Sample(record.ClientSample) {}

// Tick prints nothing.
func (l *Lines) Tick(load.Progress) {}

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
