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
	// end it repeats every step tokens, the greatest common divisor of the costs.
	off  []int
	step int
}

func newPool(words []word) pool {
	costliest, step := 1, 0
	var costs []int
	for _, w := range words {
		if !slices.Contains(costs, w.cost) {
			costs = append(costs, w.cost)
			costliest, step = max(costliest, w.cost), divisor(w.cost, step)
		}
	}
	// All multiples of step from (costliest/step - 1)² steps on are sums of costs
	// (Schur's bound on the Frobenius number).
	p := pool{words: words, step: max(step, 1), off: make([]int, costliest*(costliest+1))}
	for n := range p.off {
		p.off[n] = n
		for _, c := range costs {
			p.off[n] = min(p.off[n], p.miss(n-c))
		}
	}
	return p
}

// divisor is the greatest common divisor of a and b, by Euclid.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// miss is how far the best end lies off when that many tokens are left.
func (p pool) miss(tokens int) int {
	if tokens < 0 {
		return -tokens
	}
	if beyond := tokens - len(p.off); beyond >= 0 {
		tokens -= (beyond/p.step + 1) * p.step
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
