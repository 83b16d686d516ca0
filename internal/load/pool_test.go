package load

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A text comes as near to the asked sum as the words' costs allow, found here by
// trying all sums.
func TestPoolComesAsNearAsItsCostsAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		costs := rapid.SliceOfN(rapid.IntRange(1, 9), 2, 12).Draw(t, "costs")
		tokens := rapid.IntRange(1, 300).Draw(t, "tokens")
		words := make([]word, len(costs))
		costOf := map[string]int{}
		for i, c := range costs {
			name := "w" + strconv.Itoa(i)
			words[i], costOf[name] = word{name, c}, c
		}

		reachable := make([]bool, tokens+10)
		reachable[0] = true
		want := tokens
		for n := range reachable {
			for _, c := range costs {
				reachable[n] = reachable[n] || n >= c && reachable[n-c]
			}
			if reachable[n] {
				want = min(want, max(n-tokens, tokens-n))
			}
		}

		var b strings.Builder
		newPool(words).write(&b, rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), tokens)
		got := 0
		for _, w := range strings.Fields(b.String()) {
			got += costOf[w]
		}
		if off := max(got-tokens, tokens-got); off != want {
			t.Errorf("%d tokens asked, %d written; a sum %d off can be had", tokens, got, want)
		}
	})
}

// Costs with a common divisor reach none of the sums between its multiples,
// however long the text.
func TestPoolOfCostsWithACommonDivisor(t *testing.T) {
	for _, tokens := range []int{48, 49, 50, 1001} {
		p := newPool([]word{{"a", 2}, {"b", 6}})
		var b strings.Builder
		p.write(&b, rand.New(rand.NewPCG(1, 1)), tokens)
		got := 2*strings.Count(b.String(), "a") + 6*strings.Count(b.String(), "b")
		if want := tokens % 2; max(got-tokens, tokens-got) != want {
			t.Errorf("%d tokens asked, %d written; want %d off", tokens, got, want)
		}
	}
}

func TestPoolRepeatsNoWordAtOnce(t *testing.T) {
	var b strings.Builder
	newPool([]word{{"a", 1}, {"b", 1}, {"c", 2}}).write(&b, rand.New(rand.NewPCG(1, 1)), 500)
	last := ""
	for _, w := range strings.Fields(b.String()) {
		if w == last {
			t.Fatalf("%q follows itself", w)
		}
		last = w
	}
}
