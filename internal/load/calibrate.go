package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// Counter is the server's own count of the tokens of a prompt, chat template
// included: from /tokenize, or from usage.prompt_tokens of a request for one
// token.
type Counter func(ctx context.Context, text string) (int, error)

// Calibration knows how to write a text of a given length in a server's tokens.
type Calibration struct {
	// Overhead are the tokens of the shortest prompt: the template, a BOS and
	// the first word.
	Overhead int
	// Estimated is true when the server counted nothing: each word is then taken
	// for one token and the template for none.
	Estimated bool
	// Counts is how often the server was asked.
	Counts int
	// Checks compare whole prompts with what the server counted in them, after
	// the last correction.
	Checks []LengthCheck

	pool  pool
	scale float64 // words' tokens as predicted / as counted in long texts
}

// LengthCheck is one prompt of an asked length and what it came to.
type LengthCheck struct{ Asked, Got int }

// Off is the relative error of the length.
func (c LengthCheck) Off() float64 {
	return math.Abs(float64(c.Got-c.Asked)) / float64(c.Asked)
}

// Tolerance is how far a prompt may be off its asked length.
const Tolerance = 0.02

// Bounds of a calibration. A text drawn from enoughWords differs from all
// others within its first block: 16 tokens of 128 words are 112 bits. Where few
// words cost one token, fewWords of any known cost do.
const (
	enoughWords = 128
	fewWords    = 64
	chunkWords  = 32
	maxCounts   = 160
)

// Estimate is the calibration where the server counts nothing. Common English
// words are one token each in the vocabularies of current models.
func Estimate() *Calibration {
	known := learned{}
	known.take(part{vocabulary, len(vocabulary)})
	return &Calibration{Estimated: true, Overhead: 1, pool: newPool(known.singles), scale: 1}
}

// Calibrate finds words whose cost in the server's tokens is known, and checks
// prompts of the shortest and the longest length that will be asked for.
//
// It asks for as little as it can: the whole vocabulary at once, and only where
// that is not one token a word, parts of it. The cost of words is the difference
// between a text with and without them, so no tokenizer is needed.
func Calibrate(ctx context.Context, count Counter, shortest, longest int) (*Calibration, error) {
	c := &calibrator{ctx: ctx, count: count}
	overhead, err := c.tokens(anchor)
	if err != nil {
		return nil, err
	}
	c.overhead = overhead
	words, err := c.words()
	if err != nil {
		return nil, err
	}
	cal := &Calibration{Overhead: overhead, pool: newPool(words), scale: 1}
	err = c.verify(cal, shortest, longest)
	cal.Counts = c.counts
	if err != nil {
		return nil, err
	}
	return cal, nil
}

type calibrator struct {
	ctx      context.Context
	count    Counter
	counts   int
	overhead int
}

func (c *calibrator) tokens(text string) (int, error) {
	c.counts++
	n, err := c.count(c.ctx, text)
	if err != nil {
		return 0, fmt.Errorf("count the tokens of a prompt of %d characters: %w", len(text), err)
	}
	if n <= 0 {
		return 0, fmt.Errorf("the server counts %d tokens in a prompt of %d characters: its count cannot be used", n, len(text))
	}
	return n, nil
}

// cost is what words cost together.
func (c *calibrator) cost(words []string) (int, error) {
	n, err := c.tokens(anchor + " " + strings.Join(words, " "))
	return n - c.overhead, err
}

// part is a run of words and what they cost together.
type part struct {
	words []string
	cost  int
}

// excess is by how many tokens a word exceeds one, in the mean.
func (p part) excess() float64 { return float64(p.cost)/float64(len(p.words)) - 1 }

// words finds words of one token, or where there are few, words of any known
// cost.
func (c *calibrator) words() ([]word, error) {
	known := learned{}
	// A context too short for the whole vocabulary is no failure: its parts fit.
	if all, err := c.cost(vocabulary); err == nil && known.take(part{vocabulary, all}) {
		return known.singles, nil
	}
	var rest []part
	for words := range slices.Chunk(vocabulary, chunkWords) {
		cost, err := c.cost(words)
		if err != nil {
			return nil, err
		}
		if p := (part{words, cost}); !known.take(p) {
			rest = append(rest, p)
		}
		if len(known.singles) >= enoughWords {
			return known.singles, nil
		}
	}
	if err := c.bisect(&known, rest); err != nil {
		return nil, err
	}
	if len(known.singles) >= fewWords {
		return known.singles, nil
	}
	if words := slices.Concat(known.singles, known.costly); len(words) > 1 {
		return words, nil
	}
	return nil, errors.New("the server's counts do not add up: no word has a cost of its own")
}

// learned are the words whose cost is known.
type learned struct{ singles, costly []word }

// take keeps the words of a part whose costs follow from its sum, and says
// whether they did.
func (k *learned) take(p part) bool {
	switch {
	case p.cost == len(p.words):
		for _, w := range p.words {
			k.singles = append(k.singles, word{w, 1})
		}
	case len(p.words) == 1 && p.cost > 1:
		k.costly = append(k.costly, word{p.words[0], p.cost})
	case len(p.words) == 1: // free or negative: the counts do not add up here
	default:
		return false
	}
	return true
}

// bisect takes parts in two, those nearest to one token a word first. One count
// tells the cost of both halves.
func (c *calibrator) bisect(known *learned, parts []part) error {
	for len(parts) > 0 && c.counts < maxCounts &&
		len(known.singles) < fewWords && len(known.costly) < fewWords {
		slices.SortStableFunc(parts, func(a, b part) int {
			return cmp.Or(cmp.Compare(a.excess(), b.excess()), cmp.Compare(len(a.words), len(b.words)))
		})
		p := parts[0]
		parts = parts[1:]
		half := len(p.words) / 2
		cost, err := c.cost(p.words[:half])
		if err != nil {
			return err
		}
		for _, q := range []part{{p.words[:half], cost}, {p.words[half:], p.cost - cost}} {
			if !known.take(q) {
				parts = append(parts, q)
			}
		}
	}
	return nil
}

// verify counts whole prompts, corrects once where they are off, and counts
// again. The shortest shows a wrong overhead, the longest a cost a word that
// changes in long texts.
func (c *calibrator) verify(cal *Calibration, shortest, longest int) error {
	shortest, longest = max(1, min(shortest, longest)), max(1, shortest, longest)
	shortest, longest = max(shortest, cal.Overhead+1), max(longest, cal.Overhead+1)
	short, err := c.check(cal, shortest)
	if err != nil {
		return err
	}
	if short.Got != short.Asked && short.Off() > Tolerance/4 {
		cal.Overhead += short.Got - short.Asked
		if short, err = c.check(cal, shortest); err != nil {
			return err
		}
	}
	cal.Checks = append(cal.Checks, short)
	if longest == shortest {
		return nil
	}
	long, err := c.check(cal, longest)
	if err != nil {
		return err
	}
	if long.Off() > Tolerance/4 && long.Got > cal.Overhead {
		cal.scale *= float64(long.Asked-cal.Overhead) / float64(long.Got-cal.Overhead)
		if long, err = c.check(cal, longest); err != nil {
			return err
		}
	}
	cal.Checks = append(cal.Checks, long)
	return nil
}

func (c *calibrator) check(cal *Calibration, asked int) (LengthCheck, error) {
	rng := rand.New(rand.NewPCG(uint64(asked), uint64(c.counts)))
	got, err := c.tokens(cal.Text(rng, asked))
	return LengthCheck{Asked: asked, Got: got}, err
}

// Text is a random text of that many tokens as the server counts a whole
// prompt; of Overhead tokens at least.
func (c *Calibration) Text(rng *rand.Rand, tokens int) string {
	b := newText(tokens)
	c.extend(b, rng, tokens-c.Overhead)
	return b.String()
}

// phrase is a random text of that many tokens by itself, without a template.
func (c *Calibration) phrase(rng *rand.Rand, tokens int) string {
	b := newText(tokens)
	c.extend(b, rng, tokens-1) // the text begins with one word
	return b.String()
}

// newText begins a text of about that many words.
func newText(words int) *strings.Builder {
	var b strings.Builder
	b.Grow(len(anchor) + max(0, words)*meanWordBytes)
	b.WriteString(anchor)
	return &b
}

// meanWordBytes is that of the vocabulary with its space, rounded up.
const meanWordBytes = 7

// extend appends words that cost that many tokens.
func (c *Calibration) extend(b *strings.Builder, rng *rand.Rand, tokens int) {
	if c.scale != 1 {
		tokens = int(math.Round(float64(tokens) * c.scale))
	}
	c.pool.write(b, rng, tokens)
}
