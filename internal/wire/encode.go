package wire

import (
	"encoding/json"
	"fmt"
)

// Prompt is what one request asks.
type Prompt struct {
	Text     string          // the user's message, or the prompt of a text completion
	Messages []Message       // in place of Text
	Body     json.RawMessage // in place of both: a request body; model, streaming and lengths override its own

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

// Encode makes the body of a request. It is called before the measured moment.
func (c *Client) Encode(p Prompt, d Dialect) ([]byte, error) {
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
	c.encodePrompt(fields, p)
	fields["model"] = c.endpoint.Model
	fields["stream"] = true
	delete(fields, "stream_options")
	if d.IncludeUsage {
		options := map[string]bool{"include_usage": true}
		if d.ContinuousUsage {
			options["continuous_usage_stats"] = true
		}
		fields["stream_options"] = options
	}
	encodeLengths(fields, p, d)
	return json.Marshal(fields)
}

func (c *Client) encodePrompt(fields map[string]any, p Prompt) {
	switch {
	case len(p.Body) > 0:
	case c.endpoint.API == Completions:
		text := p.Text
		for _, m := range p.Messages {
			text += m.Content + "\n"
		}
		fields["prompt"] = text
	case len(p.Messages) > 0:
		fields["messages"] = p.Messages
	default:
		fields["messages"] = []Message{{Role: "user", Content: p.Text}}
	}
}

func encodeLengths(fields map[string]any, p Prompt, d Dialect) {
	if p.MaxTokens > 0 {
		delete(fields, maxTokens)
		delete(fields, maxCompletionTokens)
		name := d.MaxTokensField
		if name == "" {
			name = maxTokens
		}
		fields[name] = p.MaxTokens
	}
	if p.MinTokens > 0 && d.IgnoreEOS {
		fields["ignore_eos"] = true
	}
	if p.MinTokens > 0 && d.MinTokens {
		fields["min_tokens"] = p.MinTokens
	}
}
