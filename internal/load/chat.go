package load

import (
	"slices"
	"time"

	"assay/internal/wire"
)

// Turn is one turn of a conversation before it is played.
type Turn struct {
	Text string // what the user says
	// Recorded is what was answered when the conversation was recorded, or a
	// text of the answer's length.
	Recorded             string
	MaxTokens, MinTokens int           // of the answer, 0: not asked
	Think                time.Duration // after the end of the turn before
	At                   time.Duration // when a trace says to send, with Timed
	Timed                bool
}

// History is what a turn repeats of the answers before it.
type History int

const (
	// Answered repeats what the server answered, as a production client does.
	Answered History = iota
	// FromRecord repeats Turn.Recorded: prompts do not depend on the server.
	FromRecord
)

// chat is a Session of turns that carry all that was said before.
type chat struct {
	id      string
	turns   []Turn
	history History
	said    []wire.Message
	next    int // the turn to come
}

var _ Session = (*chat)(nil)

// NewChat is the first prompt of a conversation; opening are messages that stand
// before its first turn, such as a system prompt.
func NewChat(id string, opening []wire.Message, turns []Turn, h History) Prompt {
	c := &chat{id: id, turns: turns, history: h, said: slices.Clone(opening)}
	p := c.prompt()
	p.Session = c
	return p
}

func (c *chat) Turns() int { return len(c.turns) }

func (c *chat) Next(answer Answer) (Prompt, bool) {
	if c.next == len(c.turns) {
		return Prompt{}, false
	}
	text := answer.Text
	if c.history == FromRecord {
		text = c.turns[c.next-1].Recorded
	}
	c.said = append(c.said, wire.Message{Role: "assistant", Content: text})
	return c.prompt(), true
}

// prompt takes the next turn.
func (c *chat) prompt() Prompt {
	t := c.turns[c.next]
	c.next++
	c.said = append(c.said, wire.Message{Role: "user", Content: t.Text})
	return Prompt{
		Messages: slices.Clone(c.said), MaxTokens: t.MaxTokens, MinTokens: t.MinTokens,
		SessionID: c.id, Turn: c.next, Turns: len(c.turns), Think: t.Think, At: t.At, Timed: t.Timed,
	}
}
