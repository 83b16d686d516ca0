package httpd

import (
	"iter"
	"sync"
	"unicode/utf8"

	"assay/internal/engine"
)

// The simulator's own tokenizer. A word with the space before it is one token
// up to wordLetters letters; what is longer takes one more for every
// restLetters. Three digits are a token, a run of other white space, each
// remaining sign. Ids follow from the text, so that equal prefixes of text are
// equal prefixes of ids.
const (
	wordLetters = 6
	restLetters = 4
	digits      = 3
)

// Special tokens of the chat template: <start> role newline text <end> newline.
const (
	tokenStart uint32 = 2 + iota
	tokenEnd
	tokenNewline
	tokenSystem
	tokenUser
	tokenAssistant
	tokenTool
	tokenOther
)

// firstHashed is the smallest id that is made from text.
const firstHashed = engine.FirstOutputToken + engine.OutputTokens

type tokenizer struct {
	vocab uint32

	mu    sync.Mutex
	texts map[uint32]string // of ids that /tokenize gave out, for /detokenize; at most vocab
}

func newTokenizer(vocab int) *tokenizer {
	return &tokenizer{vocab: max(uint32(vocab), firstHashed+1024), texts: map[uint32]string{}}
}

// id is the token of one piece of text.
func (t *tokenizer) id(piece string) uint32 {
	if id, ok := wordIDs[piece]; ok {
		return id
	}
	h := uint64(14695981039346656037) // FNV-1a
	for i := 0; i < len(piece); i++ {
		h = (h ^ uint64(piece[i])) * 1099511628211
	}
	return firstHashed + uint32(h%uint64(t.vocab-firstHashed))
}

// encode appends the tokens of a text.
func (t *tokenizer) encode(into []uint32, text string) []uint32 {
	for p := range pieces(text) {
		into = append(into, t.id(p))
	}
	return into
}

// pieces cuts a text into the texts of its tokens.
func pieces(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		inWord := false
		for len(text) > 0 {
			n := first(text)
			if inWord && isLetter(text[0]) {
				n = min(n, restLetters)
			}
			if !yield(text[:n]) {
				return
			}
			inWord = isLetter(text[n-1])
			text = text[n:]
		}
	}
}

// first is the length in bytes of the first token of a text that is not empty
// and does not go on with a word.
func first(text string) int {
	at := 0
	if text[0] == ' ' && len(text) > 1 && !isSpace(text[1]) {
		at = 1
	}
	switch c := text[at]; {
	case isLetter(c):
		end := run(text, at, isLetter)
		if end-at > wordLetters {
			return at + wordLetters
		}
		return end
	case isDigit(c):
		return min(run(text, at, isDigit), at+digits)
	case isSpace(c):
		return run(text, at, isSpace)
	default:
		_, size := utf8.DecodeRuneInString(text[at:])
		return at + size
	}
}

func run(text string, at int, is func(byte) bool) int {
	for at < len(text) && is(text[at]) {
		at++
	}
	return at
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isSpace(c byte) bool  { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// chat is the tokens of a conversation, with the head of the answer.
func (t *tokenizer) chat(messages []message) []uint32 {
	n := 0
	for _, m := range messages {
		n += len(m.text)/4 + 8
	}
	ids := make([]uint32, 0, n)
	for _, m := range messages {
		ids = append(ids, tokenStart, roleToken(m.Role), tokenNewline)
		ids = t.encode(ids, m.text)
		ids = append(ids, tokenEnd, tokenNewline)
	}
	return append(ids, tokenStart, tokenAssistant, tokenNewline)
}

func roleToken(role string) uint32 {
	switch role {
	case "system", "developer":
		return tokenSystem
	case "user":
		return tokenUser
	case "assistant":
		return tokenAssistant
	case "tool":
		return tokenTool
	}
	return tokenOther
}

var specials = map[uint32]string{
	engine.EOSToken: "<|eos|>", tokenStart: "<|start|>", tokenEnd: "<|end|>", tokenNewline: "\n",
	tokenSystem: "system", tokenUser: "user", tokenAssistant: "assistant", tokenTool: "tool", tokenOther: "other",
}

// remember keeps the texts of a text's tokens for detokenize.
func (t *tokenizer) remember(text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for p := range pieces(text) {
		t.texts[t.id(p)] = p
	}
}

// text is what a token stands for: empty for an id that no /tokenize gave out.
func (t *tokenizer) text(id uint32) string {
	if s, ok := specials[id]; ok {
		return s
	}
	if s := wordOf(id); s != "" {
		return s
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.texts[id]
}
