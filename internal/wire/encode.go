package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
)

// Prompt is what one request asks.
type Prompt struct {
	Text     string          // the user's message, or the prompt of a text completion
	Messages []Message       // in place of Text
	Body     json.RawMessage // in place of both: a request body; model, streaming and lengths override its own

	Model  string   // in place of the endpoint's, such as a LoRA adapter
	Images []string // data: URLs that the last user message carries; chat only

	MaxTokens int // 0: what Body says, or the server's choice
	MinTokens int // hold the answer to at least that, where the server can
}

// Message is one turn of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Dialect is which optional fields an endpoint takes.
type Dialect struct {
	IncludeUsage    bool
	ContinuousUsage bool
	IgnoreEOS       bool
	MinTokens       bool
	MaxTokensField  string // max_tokens (also when empty) or max_completion_tokens
	LeastTokens     int    // fewest that may be asked for; 0: one
}

// Names of the field that bounds an answer. The older one is understood by
// every server; some new ones refuse it, and Ollama ignores the newer.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// Encode makes the body of a request. It is called before the measured moment.
func (c *Client) Encode(p Prompt, d Dialect) ([]byte, error) {
	p.Model = cmp.Or(p.Model, c.endpoint.Model)
	if len(p.Body) > 0 {
		p.Text, p.Messages, p.Images = "", nil, nil
	}
	body, err := c.protocol.encode(p, d)
	if err != nil {
		return nil, err
	}
	ours, err := json.Marshal(body)
	if err != nil || len(p.Body) == 0 && len(c.endpoint.Extra) == 0 {
		return ours, err
	}
	return c.overlay(ours, p)
}

// turns are the messages of a prompt; none where a body says it all.
func (p Prompt) turns() []Message {
	if len(p.Body) > 0 || len(p.Messages) > 0 {
		return p.Messages
	}
	return []Message{{Role: "user", Content: p.Text}}
}

// plain is a prompt as one text.
func (p Prompt) plain() string {
	text := p.Text
	for _, m := range p.Messages {
		text += m.Content + "\n"
	}
	return text
}

// overlay puts our fields over the endpoint's extra ones, and those over the
// body that a dataset gave.
func (c *Client) overlay(ours []byte, p Prompt) ([]byte, error) {
	fields := map[string]any{}
	if len(p.Body) > 0 {
		if err := unmarshal(p.Body, &fields); err != nil {
			return nil, fmt.Errorf("request body of the dataset: %w", err)
		}
		if fields == nil {
			return nil, errors.New("request body of the dataset: it is null and no object")
		}
	}
	merge(fields, c.endpoint.Extra)
	delete(fields, "stream_options")
	if p.MaxTokens > 0 {
		for _, name := range c.protocol.lengths {
			delete(fields, name)
		}
	}
	var said map[string]any
	if err := unmarshal(ours, &said); err != nil {
		return nil, err
	}
	merge(fields, said)
	return json.Marshal(fields)
}

// unmarshal leaves numbers as they are written.
func unmarshal(b []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return d.Decode(v)
}

// merge puts fields over others, object by object.
func merge(under, over map[string]any) {
	for k, v := range over {
		inner, ok := v.(map[string]any)
		if !ok {
			under[k] = v
			continue
		}
		below, ok := under[k].(map[string]any)
		if !ok { // a map of its own: over may be shared
			below = map[string]any{}
			under[k] = below
		}
		merge(below, inner)
	}
}
