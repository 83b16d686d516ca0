package load

import (
	"fmt"
	"math/rand/v2"
	"time"

	"assay/internal/spec"
)

// Dialogue is a Source of synthetic sessions: each turn adds words of the user's
// to all that was said before. Lengths are in the server's tokens, those of the
// first turn with the template, those of later ones without.
type Dialogue struct {
	synthetic *Synthetic
	options   DialogueOptions
	made      int
}

// DialogueOptions say what sessions are like.
type DialogueOptions struct {
	Turns   spec.Lengths
	Turn    spec.Lengths // the user's words in each turn after the first
	Think   ThinkTime
	History History
}

var _ Source = (*Dialogue)(nil)

// NewDialogue makes the first turns' prompts and all outputs' lengths as first
// does.
func NewDialogue(first *Synthetic, o DialogueOptions) *Dialogue {
	return &Dialogue{synthetic: first, options: o}
}

// Next draws a whole session.
func (d *Dialogue) Next(rng *rand.Rand) (Prompt, error) {
	d.made++
	n := d.options.Turns.Sample(rng)
	turns := make([]Turn, 0, n)
	for i := range n {
		var t Turn
		if i == 0 {
			p, err := d.synthetic.Next(rng)
			if err != nil {
				return Prompt{}, err
			}
			p.Tokens = 0 // of the first turn alone: means over all would not compare
			t = Turn{Prompt: p}
		} else {
			output := d.synthetic.output.Sample(rng)
			t = Turn{
				Prompt:    Prompt{Text: d.synthetic.phrase(d.options.Turn.Sample(rng)), MaxTokens: output, MinTokens: output},
				Continues: true, Think: d.options.Think.Sample(rng),
			}
		}
		if d.options.History == FromRecord {
			t.Recorded = d.synthetic.phrase(t.Prompt.MaxTokens)
		}
		turns = append(turns, t)
	}
	return NewChat(fmt.Sprintf("s%d", d.made), turns, d.options.History), nil
}

// ThinkTime is how long a user takes between an answer's end and the next turn.
type ThinkTime struct {
	Mean  time.Duration
	Fixed bool // always Mean; else exponential
}

// Sample draws one.
func (t ThinkTime) Sample(rng *rand.Rand) time.Duration {
	if t.Fixed {
		return t.Mean
	}
	return time.Duration(rng.ExpFloat64() * float64(t.Mean))
}
