package load

import (
	_ "embed"
	"strings"
)

// anchor begins each synthetic prompt, so that each word after it follows a
// space: tokenizers count a word at the very start of a text differently.
const anchor = "Read"

// vocabulary are common English words. Most cost one token in the tokenizers of
// current models, and Calibrate finds out which.
var vocabulary = distinct(strings.Fields(wordList))

//go:embed words.txt
var wordList string

func distinct(words []string) []string {
	seen := make(map[string]bool, len(words))
	var out []string
	for _, w := range words {
		if !seen[w] {
			seen[w] = true
			out = append(out, w)
		}
	}
	return out
}
