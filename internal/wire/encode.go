package wire

import (
	"cmp"
	"encoding/json"
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
}

// Names of the field that bounds an answer. The older one is understood by
// every server; some new ones refuse it, and Ollama ignores the newer.
const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// question is what Assay says in a request. A struct is encoded in a third of the
// time of a map, which counts at thousands of requests a second.
type question struct {
	Model               string         `json:"model"`
	Messages            []Message      `json:"messages,omitempty"`
	Prompt              string         `json:"prompt,omitempty"`
	Stream              bool           `json:"stream"`
	StreamOptions       *streamOptions `json:"stream_options,omitempty"`
	MaxTokens           int            `json:"max_tokens,omitempty"`
	MaxCompletionTokens int            `json:"max_completion_tokens,omitempty"`
	IgnoreEOS           bool           `json:"ignore_eos,omitempty"`
	MinTokens           int            `json:"min_tokens,omitempty"`
}

type streamOptions struct {
	IncludeUsage    bool `json:"include_usage"`
	ContinuousUsage bool `json:"continuous_usage_stats,omitempty"`
}

// Encode makes the body of a request. It is called before the measured moment.
func (c *Client) Encode(p Prompt, d Dialect) ([]byte, error) {
	b := question{Model: cmp.Or(p.Model, c.endpoint.Model), Stream: true}
	c.encodePrompt(&b, p)
	if d.IncludeUsage {
		b.StreamOptions = &streamOptions{IncludeUsage: true, ContinuousUsage: d.ContinuousUsage}
	}
	if d.MaxTokensField == maxCompletionTokens {
		b.MaxCompletionTokens = p.MaxTokens
	} else {
		b.MaxTokens = p.MaxTokens
	}
	if p.MinTokens > 0 {
		b.IgnoreEOS = d.IgnoreEOS
		if d.MinTokens {
			b.MinTokens = p.MinTokens
		}
	}
	ours, err := json.Marshal(b)
	if err != nil || len(p.Body) == 0 && len(c.endpoint.Extra) == 0 {
		return ours, err
	}
	return c.overlay(ours, p)
}

func (c *Client) encodePrompt(b *question, p Prompt) {
	switch {
	case len(p.Body) > 0:
	case c.endpoint.API == Completions:
		b.Prompt = p.Text
		for _, m := range p.Messages {
			b.Prompt += m.Content + "\n"
		}
	case len(p.Messages) > 0:
		b.Messages = p.Messages
	default:
		b.Messages = []Message{{Role: "user", Content: p.Text}}
	}
}

// overlay puts our fields over the endpoint's extra ones, and those over the
// body that a dataset gave.
func (c *Client) overlay(ours []byte, p Prompt) ([]byte, error) {
	fields := map[string]any{}
	if len(p.Body) > 0 {
		var own map[string]json.RawMessage
		if err := json.Unmarshal(p.Body, &own); err != nil {
			return nil, fmt.Errorf("request body of the dataset: %w", err)
		}
		for k, v := range own {
			fields[k] = v
		}
	}
	for k, v := range c.endpoint.Extra {
		fields[k] = v
	}
	delete(fields, "stream_options")
	if p.MaxTokens > 0 {
		delete(fields, maxTokens)
		delete(fields, maxCompletionTokens)
	}
	var said map[string]json.RawMessage
	if err := json.Unmarshal(ours, &said); err != nil {
		return nil, err
	}
	for k, v := range said {
		fields[k] = v
	}
	return json.Marshal(fields)
}
