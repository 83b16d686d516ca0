package load

import (
	"encoding/json"
	"math/rand/v2"
)

// Prompt is what one request asks.
type Prompt struct {
	// Text is the user's message, or the prompt of a text completion.
	Text string
	// Body, when given, stands in place of Text: a request body in OpenAI's
	// form. The model, the streaming and the lengths below override its own.
	Body json.RawMessage
	// Tokens is the length asked for in the server's tokens, template included;
	// 0: not known.
	Tokens int
	// MaxTokens is the output length asked for; 0: what Body says or the server
	// chooses. MinTokens holds the answer to at least that, where the server can.
	MaxTokens, MinTokens int
	// Repeat marks a prompt that its source has given before: a prefix cache may
	// hold it.
	Repeat bool
}

// Source yields prompts. It is used by one goroutine at a time.
type Source interface {
	// Next draws from rng, which the level's seed determines, and from nothing
	// else that is random.
	Next(rng *rand.Rand) (Prompt, error)
}
