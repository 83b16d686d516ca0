package load

import (
	"encoding/json"
	"math/rand/v2"
	"time"

	"assay/internal/wire"
)

// Prompt is what one request asks.
type Prompt struct {
	// Text is the user's message, or the prompt of a text completion.
	Text string
	// Messages, when given, stand in place of Text: what was said before, and
	// last the user's message.
	Messages []wire.Message
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

	Model  string   // empty: the endpoint's
	Images []string // data: URLs
	// ImageCount is how many images a trace says there were; nil: it does not.
	ImageCount *int

	// Session is what follows the answer; nil: nothing. It is set on a session's
	// first turn alone.
	Session Session
	// SessionID, Turn and Turns say which turn of which session this is, from 1;
	// empty and 0 without a session.
	SessionID   string
	Turn, Turns int
	// Think is how long after the end of the turn before this one is due.
	Think time.Duration
	// At is when a trace says to send, since its first row. With Timed a later
	// turn is due then, or when the one before has ended, whichever is later.
	At    time.Duration
	Timed bool
}

// Source yields prompts. It is used by one goroutine at a time.
type Source interface {
	// Next draws from rng, which the level's seed determines, and from nothing
	// else that is random. io.EOF ends a level that is held Once.
	Next(rng *rand.Rand) (Prompt, error)
}
