package load

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
	"strings"

	"assay/internal/spec"
)

// Synthetic is a Source of random texts with lengths in the server's tokens.
// Lengths repeat with the level's seed; the words depend on the run's nonce too,
// so that no block of a prefix cache serves a second run, or a second level.
type Synthetic struct {
	calibration    *Calibration
	prompt, output spec.Lengths
	shared         int // tokens that all prompts begin with
	sharedText     string
	words          *rand.Rand
}

var _ Source = (*Synthetic)(nil)

// NewSynthetic draws prompts and outputs of the given lengths. The first shared
// tokens, the template's included, are the same in all prompts of the run that
// nonce names; level must differ from that of each other Synthetic of the run.
func NewSynthetic(c *Calibration, prompt, output spec.Lengths, shared int, nonce, level string) *Synthetic {
	s := &Synthetic{
		calibration: c, prompt: prompt, output: output, shared: max(0, shared),
		words: stream(nonce, "level "+level),
	}
	b := newText(shared)
	c.extend(b, stream(nonce, "shared prefix"), shared-c.Overhead)
	s.sharedText = b.String()
	return s
}

// stream is a random stream that belongs to a run and a purpose.
func stream(nonce, purpose string) *rand.Rand {
	sum := sha256.Sum256([]byte(nonce + "\x00" + purpose))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:])))
}

// Next draws a prompt. One that is to be no longer than the shared prefix is of
// other words altogether: all its tokens would be cached.
func (s *Synthetic) Next(rng *rand.Rand) (Prompt, error) {
	tokens, output := s.prompt.Sample(rng), s.output.Sample(rng)
	p := Prompt{Tokens: tokens, MaxTokens: output, MinTokens: output}
	if s.shared <= s.calibration.Overhead || tokens <= s.shared {
		p.Text = s.calibration.Text(s.words, tokens)
		return p, nil
	}
	var b strings.Builder
	b.Grow(len(s.sharedText) + (tokens-s.shared)*meanWordBytes)
	b.WriteString(s.sharedText)
	s.calibration.extend(&b, s.words, tokens-s.shared)
	p.Text = b.String()
	return p, nil
}
