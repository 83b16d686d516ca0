package trace

import (
	"encoding/json"
	"errors"
	"time"
)

// mooncakeBlock is the tokens of a block of Mooncake's traces (FAST25 release,
// read 2026-11: len(hash_ids) is ceil(input_length/512) in every row).
const mooncakeBlock = 512

// mooncake is a row of Mooncake's, or of AIPerf's extension of it, which adds
// sessions, and texts, messages or whole bodies in place of a length.
type mooncake struct {
	Timestamp    *float64 `json:"timestamp"` // ms
	Delay        *float64 `json:"delay"`     // ms
	InputLength  *int     `json:"input_length"`
	OutputLength *int     `json:"output_length"`
	HashIDs      blockIDs `json:"hash_ids"`

	SessionID   string          `json:"session_id"`
	TextInput   *string         `json:"text_input"`
	Messages    json.RawMessage `json:"messages"`
	Tools       json.RawMessage `json:"tools"`
	Payload     json.RawMessage `json:"payload"`
	Extra       json.RawMessage `json:"extra"`
	MessageMode string          `json:"message_mode"`
	ContextMode string          `json:"context_mode"`
}

var isMooncake = anyOf(
	keys("input_length", "hash_ids"), keys("input_length", "timestamp"), keys("input_length", "output_length"), keys("input_length", "session_id"),
	keys("text_input"), keys("payload"), keys("messages", "timestamp"), keys("messages", "session_id"),
)

func newMooncake(s source) parser {
	block, seen := mooncakeBlock, sessions{}
	if s.blockSize > 0 {
		block = s.blockSize
	}
	return func(record []byte) ([]Row, error) {
		var m mooncake
		if err := decode(record, &m); err != nil {
			return nil, err
		}
		row, err := m.row(block)
		if err == nil && m.SessionID != "" {
			row.Session = m.SessionID
			row.Turn, err = seen.turn(m.SessionID)
			row.Continues = row.Turn > 0 && m.continues()
		}
		return one(row, err)
	}
}

// row is the row without its session.
func (m mooncake) row(block int) (Row, error) {
	row := Row{PromptTokens: m.InputLength, OutputTokens: m.OutputLength}
	if err := errors.Join(tokens("input_length", m.InputLength), tokens("output_length", m.OutputLength)); err != nil {
		return row, err
	}
	var err error
	if row.At, err = optional("timestamp", m.Timestamp, time.Millisecond); err != nil {
		return row, err
	}
	if row.Delay, err = optional("delay", m.Delay, time.Millisecond); err != nil {
		return row, err
	}
	if len(m.HashIDs) > 0 {
		row.Blocks, row.BlockSize, row.PartialBlock = m.HashIDs, block, true
	}
	switch {
	case said(m.Payload):
		row.Body, err = withExtra(m.Payload, m.Extra)
	case said(m.Messages):
		if err = checkMessages(m.Messages); err == nil {
			err = row.setMessages(m.Messages, m.Tools, m.Extra)
		}
	case m.TextInput != nil:
		row.Text = *m.TextInput
		if row.Text == "" {
			return row, errNoPrompt
		}
	case m.InputLength == nil:
		err = errors.New(`the row has none of "input_length", "text_input", "messages" and "payload"`)
	}
	return row, err
}

// continues says whether the row holds only what is new in its turn. AIPerf
// takes lengths and texts so; messages hold the whole conversation unless they
// say otherwise, and block ids name a whole prompt.
func (m mooncake) continues() bool {
	switch {
	case said(m.Payload), m.ContextMode == "message_array_with_responses":
		return false
	case said(m.Messages):
		return m.MessageMode == "delta"
	}
	return m.HashIDs == nil
}
