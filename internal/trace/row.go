package trace

import (
	"encoding/json"
	"time"
)

// Row is one request of a trace, or one prompt of a dataset. What a file does
// not say is nil, empty or 0 where 0 cannot be meant.
type Row struct {
	// Place is where the row stands, for errors: file:line, or file: item n.
	Place string

	// At is when the request came, since the first of its clock; rows come in the
	// file's order, so it may go back and be negative. nil: not known.
	At *time.Duration
	// Clock names the clock by which At counts. Empty: one for the whole trace.
	// Otherwise each conversation has its own, and how they lay to each other was
	// not recorded.
	Clock string

	// Session names the conversation that the row is a turn of; its rows come in
	// the order of Turn, which counts from 0, and those of other sessions may
	// stand between them. Empty: a request of its own.
	Session string
	Turn    int
	// Continues says that the row holds only what is new in its turn: the turns
	// before it, with their answers, belong in front. Otherwise a row is a whole
	// prompt, whichever turn it is.
	Continues bool
	// Delay is the time from the end of the session's turn before to this one,
	// in which a person reads and types, or a tool runs.
	Delay *time.Duration

	// Model is the one that the request named or was served by.
	Model string

	// PromptTokens and OutputTokens are the lengths that the trace records.
	PromptTokens, OutputTokens *int
	// MaxTokens is a bound on the answer, where the row gives a bound and no
	// length; 0: none.
	MaxTokens int

	// Blocks are the ids of the prompt's blocks of BlockSize tokens, each of
	// which stands for all of the prompt up to its end: equal ids, equal
	// prefixes. Ids of different Scopes have nothing in common. Where
	// PartialBlock is set, the last block may be cut short by the prompt's end;
	// otherwise what remains after the full blocks has no id.
	Blocks       []uint64
	BlockSize    int
	PartialBlock bool
	Scope        string

	// What the request asks, in one of three forms: a text, a list of messages
	// in OpenAI's form, or a whole request body for the path of URL.
	Text     string
	Messages json.RawMessage
	Body     json.RawMessage
	URL      string
	// Prefix is a text that the prompt begins with and shares with others: a
	// system prompt.
	Prefix string
	// Answer is what was answered then.
	Answer string
	// Images is how many images the request carries; nil: not known.
	Images *int

	// TTFT and Latency are those that the trace recorded, on its own server.
	TTFT, Latency *time.Duration
	// Failed marks a request that got no answer then.
	Failed bool
}

// HasPrompt says whether the row says what to ask, and not only how long it was.
func (r Row) HasPrompt() bool { return r.Text != "" || r.Messages != nil || r.Body != nil }
