package load

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// word costs a known number of tokens when it follows a space.
type word struct {
	text string
	cost int
}

// pool are the words that texts are made of.
type pool struct {
	words []word
	// off[n] is how far the nearest sum of costs lies from n tokens. Beyond its
	// end any sum can be had, or missing it by that little does not matter.
	off []int
}

func newPool(words []word) pool {
	costliest := 1
	for _, w := range words {
		costliest = max(costliest, w.cost)
	}
	p := pool{words: words, off: make([]int, exactTail*costliest)}
	var costs []int
	for _, w := range words {
		if !slices.Contains(costs, w.cost) {
			costs = append(costs, w.cost)
		}
	}
	for n := range p.off {
		p.off[n] = n
		for _, c := range costs {
			p.off[n] = min(p.off[n], p.miss(n-c))
		}
	}
	return p
}

// exactTail is the length of the end of a text, in costliest words, in which
// words are chosen so that the sum comes out right.
const exactTail = 8

// miss is how far the best end lies off when that many tokens are left.
func (p pool) miss(tokens int) int {
	switch {
	case tokens < 0:
		return -tokens
	case tokens >= len(p.off):
		return 0
	}
	return p.off[tokens]
}

// write appends random words that cost that many tokens together, each after a
// space, or as near to it as their costs allow. No word follows itself: some
// tokenizers merge repeats.
func (p pool) write(b *strings.Builder, rng *rand.Rand, tokens int) {
	last := -1
	for tokens > 0 {
		i := p.pick(rng, tokens, last)
		if i < 0 {
			return
		}
		b.WriteByte(' ')
		b.WriteString(p.words[i].text)
		tokens -= p.words[i].cost
		last = i
	}
}

// pick draws the first word in random order that does not spoil the end; -1
// when adding any word would.
func (p pool) pick(rng *rand.Rand, tokens, last int) int {
	goal := p.miss(tokens)
	if goal == tokens {
		return -1 // nothing comes nearer than to stop here
	}
	n := len(p.words)
	start := rng.IntN(n)
	for k := range n {
		i := (start + k) % n
		if (i != last || n == 1) && p.miss(tokens-p.words[i].cost) <= goal {
			return i
		}
	}
	return last // the only word that fits
}
