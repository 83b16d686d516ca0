package trace

import (
	"encoding/json"
	"errors"
	"fmt"
)

// said says whether a value is there and is not null.
func said(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// checkMessages refuses what no server would take for a conversation.
func checkMessages(messages json.RawMessage) error {
	var list []struct {
		Role string `json:"role"`
	}
	if err := json.Unmarshal(messages, &list); err != nil {
		return fmt.Errorf(`"messages" is not a list of messages: %w`, err)
	}
	if len(list) == 0 {
		return errNoPrompt
	}
	for i, m := range list {
		if m.Role == "" {
			return fmt.Errorf(`message %d has no "role"`, i+1)
		}
	}
	return nil
}

// setMessages makes the row ask a list of messages, as a whole body where tools
// or fields of its own come with them.
func (r *Row) setMessages(messages, tools, extra json.RawMessage) error {
	if !said(tools) && !said(extra) {
		r.Messages = messages
		return nil
	}
	fields := map[string]json.RawMessage{"messages": messages}
	if said(tools) {
		fields["tools"] = tools
	}
	body, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	r.URL = chatPath
	r.Body, err = withExtra(body, extra)
	return err
}

// chatPath is where a body of messages goes.
const chatPath = "/v1/chat/completions"

// withExtra puts fields over those of a body.
func withExtra(body, extra json.RawMessage) (json.RawMessage, error) {
	var fields, over map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, errors.New("the request's body is not an object")
	}
	if !said(extra) {
		return body, nil
	}
	if err := json.Unmarshal(extra, &over); err != nil {
		return nil, errors.New(`"extra" is not an object`)
	}
	for k, v := range over {
		fields[k] = v
	}
	return json.Marshal(fields)
}
