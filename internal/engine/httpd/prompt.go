package httpd

import (
	"encoding/json"
	"strings"
)

// message is one turn of a conversation; of content made of parts, the text.
type message struct {
	Role string
	text string
}

func (m *message) UnmarshalJSON(b []byte) error {
	var raw struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	m.Role = raw.Role
	if len(raw.Content) == 0 || raw.Content[0] != '[' {
		return json.Unmarshal(or(raw.Content, json.RawMessage("null")), &m.text)
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(raw.Content, &parts); err != nil {
		return err
	}
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Text)
	}
	m.text = all.String()
	return nil
}

func or(b, fallback json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return fallback
	}
	return b
}

// prompts are the token ids of each prompt of the call, and whether they came
// as text.
func (c *call) prompts(t *tokenizer) (ids [][]uint32, text bool, bad *apiError) {
	if c.Messages != nil {
		return [][]uint32{t.chat(c.Messages)}, true, nil
	}
	var one string
	if json.Unmarshal(c.Prompt, &one) == nil {
		return [][]uint32{t.encode(nil, one)}, true, nil
	}
	var many []string
	if json.Unmarshal(c.Prompt, &many) == nil {
		for _, p := range many {
			ids = append(ids, t.encode(nil, p))
		}
		return ids, true, nil
	}
	var tokens []uint32
	if json.Unmarshal(c.Prompt, &tokens) == nil {
		return [][]uint32{tokens}, false, t.inVocabulary(tokens)
	}
	if json.Unmarshal(c.Prompt, &ids) != nil {
		return nil, false, invalid("body.prompt", "{'type': 'type_error', 'loc': 'body.prompt', 'msg': 'Input should be a string, a list of strings, token ids or a list of them'}")
	}
	for _, tokens := range ids {
		if bad := t.inVocabulary(tokens); bad != nil {
			return nil, false, bad
		}
	}
	return ids, false, nil
}

func (t *tokenizer) inVocabulary(ids []uint32) *apiError {
	for _, id := range ids {
		if id >= t.vocab {
			return badRequest("", "Token id %d is out of vocabulary", id)
		}
	}
	return nil
}

// fits refuses a prompt that leaves no room for an output. Like vLLM it stops
// counting a text at one token over the limit.
func fits(prompt []uint32, text bool, maxModelLen int) *apiError {
	switch n := len(prompt); {
	case n == 0:
		return badRequest("", "The decoder prompt cannot be empty")
	case n > maxModelLen && text:
		return badValue("input_tokens", maxModelLen+1,
			"This model's maximum context length is %d tokens. However, your prompt contains at least %d input tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input prompt.",
			maxModelLen, maxModelLen+1)
	case n >= maxModelLen:
		return badValue("max_tokens", 0, "max_tokens must be at least 1, got 0.")
	}
	return nil
}
