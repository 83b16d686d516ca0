package nullserver

import (
	"encoding/json"
	"fmt"
	"strings"
)

// request is what the server reads of a body.
type request struct {
	Messages            []struct{ Content json.RawMessage }
	Prompt              json.RawMessage
	Stream              bool
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
	StreamOptions       struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
}

// readRequest refuses what the server cannot answer.
func readRequest(body []byte) (request, error) {
	var r request
	if err := json.Unmarshal(body, &r); err != nil {
		return r, fmt.Errorf("the body is not a request: %w", err)
	}
	if !r.Stream {
		return r, fmt.Errorf("this server only streams: set \"stream\": true")
	}
	return r, nil
}

// tokens is the length of the answer: the one asked for, or the server's own.
func (r *request) tokens(own int) int {
	switch {
	case r.MaxTokens > 0:
		return r.MaxTokens
	case r.MaxCompletionTokens > 0:
		return r.MaxCompletionTokens
	}
	return own
}

// promptTokens counts a word as one token.
func (r *request) promptTokens() int {
	n := words(r.Prompt)
	for _, m := range r.Messages {
		n += words(m.Content)
	}
	return n
}

func words(raw json.RawMessage) int {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return 0
	}
	return len(strings.Fields(text))
}
