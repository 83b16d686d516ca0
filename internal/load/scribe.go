package load

import (
	"fmt"
	"math/rand/v2"

	"assay/internal/trace"
)

// scribe writes prompts for rows of a trace that only say how long they were.
type scribe struct {
	calibration *Calibration
	key         string     // of the level of a run
	private     *rand.Rand // words that no other prompt shares
}

func newScribe(c *Calibration, nonce, level string) *scribe {
	key := nonce + "\x00trace " + level
	return &scribe{calibration: c, key: key, private: stream(key, "private")}
}

// length is a row's prompt in tokens.
func length(row trace.Row) int {
	if row.PromptTokens != nil {
		return *row.PromptTokens
	}
	return len(row.Blocks) * row.BlockSize
}

// templateEnd bounds the part of a chat template that stands after the prompt,
// tokens (5 in those of Llama 3 and Qwen). Blocks reach so much further: one that
// ended short of its size would be no whole block in an engine's cache, and half
// of an engine's smallest block, 16 tokens, adds none. Ours.
const templateEnd = 8

// write is a text of the row's length, the template included. The text of a
// block depends on its id alone, so that prompts share what the trace's shared:
// equal ids, equal words. What has no id is unlike all else.
func (s *scribe) write(row trace.Row) string {
	left := length(row) - s.calibration.Overhead
	b := newText(left)
	for i, id := range row.Blocks {
		n := row.BlockSize
		if i == 0 {
			// The template stands before the first block's words, but for its end.
			n -= max(0, s.calibration.Overhead-templateEnd)
		}
		n = min(n, left)
		if n <= 0 {
			continue
		}
		s.calibration.extend(b, stream(s.key, fmt.Sprintf("block %s\x00%d", row.Scope, id)), n)
		left -= n
	}
	s.calibration.extend(b, s.private, left)
	return b.String()
}

// later writes the row of a session's turn when the turn has come: the texts of
// an agent's hundred turns together would take more memory than all the rest.
func (s *scribe) later(row trace.Row, session int) func() string {
	own := *s // turns of several sessions are written at once
	own.private = stream(s.key, fmt.Sprintf("private %d\x00%d", session, row.Turn))
	return func() string { return own.write(row) }
}

// phrase is a text of that many tokens by itself.
func (s *scribe) phrase(tokens int) string { return s.calibration.phrase(s.private, tokens) }
