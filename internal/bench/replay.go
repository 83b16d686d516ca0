package bench

import (
	"errors"
	"io"
	"time"

	"assay/internal/trace"
)

// extent is what a replay of a file sends, before anything is sent.
type extent struct {
	rows           int
	span           time.Duration // from the first row to the last, as recorded
	prompt, output int64         // tokens, where each row says them
	known          bool          // each row says both
}

// extentOf reads a level's file through. A level that ends by number or by time
// sends no more than those rows.
func extentOf(l PlannedLevel) (extent, error) {
	s := l.Scenario
	rows, err := trace.Open(s.DatasetPath, trace.Options{Kind: s.DatasetKind})
	if err != nil {
		return extent{}, err
	}
	defer rows.Close()
	e := extent{known: true}
	for s.NumRequests == 0 || s.Duration > 0 || e.rows < s.NumRequests {
		row, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return e, err
		}
		if row.At != nil && s.Duration > 0 && float64(*row.At) > float64(s.Duration)*l.Load.Speed && e.rows >= s.NumRequests {
			break
		}
		e.add(row, s.Sessions)
	}
	return e, nil
}

func (e *extent) add(row trace.Row, sessions bool) {
	if row.Failed || row.Continues && !sessions {
		return
	}
	e.rows++
	if row.At != nil {
		e.span = max(e.span, *row.At)
	}
	if row.PromptTokens == nil || row.OutputTokens == nil {
		e.known = false
		return
	}
	e.prompt += int64(*row.PromptTokens)
	e.output += int64(*row.OutputTokens)
}
