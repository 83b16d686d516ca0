package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"assay/internal/bench"
	"assay/internal/load"
	"assay/internal/record"
)

// progress shows a run on stderr as it happens: a line that is rewritten on a
// terminal, and elsewhere one line as each level begins and ends.
type progress struct {
	env   *Env
	live  bool
	mu    sync.Mutex
	drawn bool
}

var _ bench.View = (*progress)(nil)

func newProgress(env *Env) *progress {
	return &progress{env: env, live: env.StderrWidth > 0 && env.Getenv("TERM") != "dumb"}
}

func (p *progress) Note(text string) { p.line("%s", text) }

func (p *progress) LevelStart(l bench.PlannedLevel, n, of int) {
	p.line("[%d/%d] %s", n, of, l.ID)
}

func (p *progress) Tick(t load.Progress) {
	if !p.live {
		return
	}
	done := fmt.Sprintf("%d", t.Finished)
	if t.Asked > 0 {
		done = fmt.Sprintf("%s %d/%d", bar(float64(t.Finished)/float64(t.Asked), 20), t.Finished, t.Asked)
	}
	text := fmt.Sprintf("      %s  %s  in flight %d  %s", done, t.Phase, t.InFlight, t.Elapsed.Round(time.Second))
	if t.Failed > 0 {
		text += fmt.Sprintf("  failed %d", t.Failed)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r := []rune(text); len(r) >= p.env.StderrWidth {
		text = string(r[:max(0, p.env.StderrWidth-1)])
	}
	fmt.Fprintf(p.env.Stderr, "\r\x1b[2K%s", text)
	p.drawn = true
}

func (p *progress) LevelDone(l record.Level) {
	text := fmt.Sprintf("      %.1f requests/s  %.0f tokens/s", l.Throughput.RequestsPerS, l.Throughput.OutputTokensPerS)
	if l.TTFT.Mean != nil {
		text += fmt.Sprintf("  TTFT %.1f ms", *l.TTFT.Mean)
	}
	if l.ITL.Mean != nil {
		text += fmt.Sprintf("  ITL %.2f ms", *l.ITL.Mean)
	}
	text += fmt.Sprintf("  (means of %d)  %.1f s", l.Requests.Completed, l.DurationS)
	if l.Requests.Failed > 0 {
		text += fmt.Sprintf("  failed %d", l.Requests.Failed)
	}
	if l.Validity.Verdict != record.Valid {
		text += "  " + strings.ToUpper(l.Validity.Verdict)
	}
	p.line("%s", text)
}

// line prints over the rewritten one.
func (p *progress) line(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintf(p.env.Stderr, format+"\n", args...)
}

func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.env.Stderr, "\r\x1b[2K")
		p.drawn = false
	}
}

func (p *progress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func bar(share float64, width int) string {
	full := int(min(1, max(0, share)) * float64(width))
	return strings.Repeat("█", full) + strings.Repeat("░", width-full)
}
