package load

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/internal/spec"
)

// Synthetic is a Source of random texts with lengths in the server's tokens.
// Lengths repeat with the level's seed; the words depend on the run's nonce too,
// so that no block of a prefix cache serves a second run, or a second level.
type Synthetic struct {
	calibration    *Calibration
	prompt, output spec.Lengths
	prefixes       []string  // texts of which each prompt begins with one
	shared         int       // tokens of each, template included
	draw           []float64 // cumulative shares of the prefixes
	words          *rand.Rand
}

var _ Source = (*Synthetic)(nil)

// Prefixes are texts that prompts begin with.
type Prefixes struct {
	Tokens int // of each, the template's included; 0: prompts share nothing
	Groups int // how many there are; 0: 1
	// Skew is the exponent of Zipf's law by which prompts draw their group: 0
	// draws all alike, at 1 the first is drawn twice as often as the second.
	Skew float64
}

// NewSynthetic draws prompts and outputs of the given lengths. The prefixes are
// the same in all levels of the run that nonce names; level must differ from
// that of each other Synthetic of the run.
func NewSynthetic(c *Calibration, prompt, output spec.Lengths, shared Prefixes, nonce, level string) *Synthetic {
	s := &Synthetic{
		calibration: c, prompt: prompt, output: output, shared: max(0, shared.Tokens),
		words: stream(nonce, "level "+level),
	}
	if s.shared <= c.Overhead {
		return s
	}
	sum := 0.0
	for g := range max(1, shared.Groups) {
		purpose := "shared prefix"
		if g > 0 {
			purpose = fmt.Sprintf("shared prefix %d", g)
		}
		b := newText(s.shared)
		c.extend(b, stream(nonce, purpose), s.shared-c.Overhead)
		s.prefixes = append(s.prefixes, b.String())
		sum += math.Pow(float64(g+1), -shared.Skew)
		s.draw = append(s.draw, sum)
	}
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
	if len(s.prefixes) == 0 || tokens <= s.shared {
		p.Text = s.calibration.Text(s.words, tokens)
		return p, nil
	}
	prefix := s.prefix(rng)
	var b strings.Builder
	b.Grow(len(prefix) + (tokens-s.shared)*meanWordBytes)
	b.WriteString(prefix)
	s.calibration.extend(&b, s.words, tokens-s.shared)
	p.Text = b.String()
	return p, nil
}

// prefix draws one of the shared prefixes.
func (s *Synthetic) prefix(rng *rand.Rand) string {
	if len(s.prefixes) == 1 {
		return s.prefixes[0]
	}
	x := rng.Float64() * s.draw[len(s.draw)-1]
	g, _ := slices.BinarySearch(s.draw, x)
	return s.prefixes[min(g, len(s.prefixes)-1)]
}

// phrase is a text of that many tokens by itself.
func (s *Synthetic) phrase(tokens int) string { return s.calibration.phrase(s.words, tokens) }
