package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// limits bound an answer's length, under OpenAI's two names.
type limits struct {
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
}

func (l limits) tokens() int { return max(l.MaxTokens, l.MaxCompletionTokens) }

// newBatch reads the requests of an OpenAI batch, which are replayed as they
// stand.
func newBatch(source) parser {
	return func(record []byte) ([]Row, error) {
		var r struct {
			URL  string          `json:"url"`
			Body json.RawMessage `json:"body"`
		}
		if err := decode(record, &r); err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("{")) {
			return nil, errors.New(`a row of an OpenAI batch needs a "body" that is an object`)
		}
		var own struct {
			limits
			Model string `json:"model"`
		}
		if err := json.Unmarshal(r.Body, &own); err != nil {
			return nil, fmt.Errorf("the request's body: %w", err)
		}
		return []Row{{Body: r.Body, URL: r.URL, Model: own.Model, MaxTokens: max(0, own.tokens())}}, nil
	}
}
