package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// plain is a row with a prompt, a text or a list of messages.
type plain struct {
	Prompt   *string         `json:"prompt"`
	Text     *string         `json:"text"`
	Messages json.RawMessage `json:"messages"`

	limits
	// Names that tools give to an exact length of the answer.
	OutputLength      int `json:"output_length"`
	OutputTokens      int `json:"output_tokens"`
	OutputTokensCount int `json:"output_tokens_count"`
}

func newPlain(source) parser { return parsePlain }

func parsePlain(record []byte) ([]Row, error) {
	var p plain
	if err := decode(record, &p); err != nil {
		return nil, err
	}
	row := Row{MaxTokens: p.tokens()}
	if row.MaxTokens < 0 {
		return nil, fmt.Errorf("an answer of %d tokens: must be above 0", row.MaxTokens)
	}
	if exact := max(p.OutputLength, p.OutputTokens, p.OutputTokensCount); exact > 0 {
		row.OutputTokens = &exact
	}
	switch {
	case said(p.Messages):
		row.Messages = p.Messages
		return one(row, checkMessages(p.Messages))
	case p.Prompt != nil:
		row.Text = *p.Prompt
	case p.Text != nil:
		row.Text = *p.Text
	default:
		return nil, errors.New(`the row has none of "prompt", "text", "messages", "conversations" and "body": see docs/traces.md for the formats`)
	}
	if strings.TrimSpace(row.Text) == "" {
		return nil, errNoPrompt
	}
	return []Row{row}, nil
}
