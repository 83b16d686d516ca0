package load

import (
	"encoding/json"
	"slices"
	"time"

	"assay/internal/wire"
)

// Turn is one turn of a conversation before it is played.
type Turn struct {
	// Prompt is what the user says and how long the answer is to be. With
	// Continues it is a Text that follows on all that was said before; otherwise
	// it is whole in itself.
	Prompt    Prompt
	Continues bool
	// Recorded is what was answered when the conversation was recorded, or a
	// text of the answer's length.
	Recorded string
	Think    time.Duration // after the end of the turn before
	At       time.Duration // when a trace says to send, with Timed
	Timed    bool
}

// History is what a turn repeats of the answers before it.
type History int

const (
	// Answered repeats what the server answered, as a production client does.
	Answered History = iota
	// FromRecord repeats Turn.Recorded: prompts do not depend on the server.
	FromRecord
)

// chat is a Session of turns.
type chat struct {
	id      string
	turns   []Turn
	history History
	said    []wire.Message
	next    int // the turn to come
}

var _ Session = (*chat)(nil)

// NewChat is the first prompt of a conversation of at least one turn.
func NewChat(id string, turns []Turn, h History) Prompt {
	c := &chat{id: id, turns: turns, history: h}
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
	p := t.Prompt
	if t.Continues {
		c.said = append(c.said, wire.Message{Role: "user", Content: p.Text})
	} else {
		c.said = messagesOf(p)
	}
	if len(p.Body) == 0 {
		p.Text, p.Messages = "", slices.Clone(c.said)
	}
	p.SessionID, p.Turn, p.Turns = c.id, c.next, len(c.turns)
	p.Think, p.At, p.Timed = t.Think, t.At, t.Timed
	return p
}

// messagesOf is a whole prompt as messages. Of a body in which they are no plain
// texts nothing is known.
func messagesOf(p Prompt) []wire.Message {
	switch {
	case len(p.Body) > 0:
		var body struct {
			Messages []wire.Message `json:"messages"`
		}
		if json.Unmarshal(p.Body, &body) != nil {
			return nil
		}
		return body.Messages
	case len(p.Messages) > 0:
		return slices.Clone(p.Messages)
	}
	return []wire.Message{{Role: "user", Content: p.Text}}
}
