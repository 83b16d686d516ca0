package load

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"assay/internal/wire"
)

// Turn is one turn of a conversation before it is played.
type Turn struct {
	// Prompt is what the user says and how long the answer is to be. With
	// Continues it follows on all that was said before; otherwise it is whole in
	// itself.
	Prompt    Prompt
	Continues bool
	// Write makes the Prompt's Text when the turn has come, from what takes Holds
	// bytes; nil: it is there.
	Write func() string
	Holds int
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

func (c *chat) Bytes() int {
	n := 0
	for _, t := range c.turns[c.next:] {
		n += len(t.Prompt.Text) + len(t.Prompt.Body) + len(t.Recorded) + t.Holds
		for _, m := range t.Prompt.Messages {
			n += len(m.Content)
		}
	}
	return n
}

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
	if t.Write != nil {
		p.Text = t.Write()
	}
	if t.Continues {
		c.said = append(c.said, messagesOf(p)...)
		p.Body = withMessages(p.Body, c.said)
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

// withMessages is a body with other messages; none where it says nothing else.
func withMessages(body json.RawMessage, said []wire.Message) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) != nil || len(fields) < 2 {
		return nil
	}
	fields["messages"], _ = json.Marshal(said) // texts always can be
	out, _ := json.Marshal(fields)
	return out
}

// messagesOf is a prompt as messages; nil for a body in which they are more than
// plain texts.
func messagesOf(p Prompt) []wire.Message {
	switch {
	case len(p.Body) > 0:
		return plainMessages(p.Body)
	case len(p.Messages) > 0:
		return slices.Clone(p.Messages)
	}
	return []wire.Message{{Role: "user", Content: p.Text}}
}

// plainMessages are those of a body; nil where one has parts, calls of tools or
// anything else that a text does not hold.
func plainMessages(raw json.RawMessage) []wire.Message {
	var body struct {
		Messages []json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(raw, &body) != nil {
		return nil
	}
	var out []wire.Message
	for _, one := range body.Messages {
		d := json.NewDecoder(bytes.NewReader(one))
		d.DisallowUnknownFields()
		var m wire.Message
		if d.Decode(&m) != nil {
			return nil
		}
		out = append(out, m)
	}
	return out
}
