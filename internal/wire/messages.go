package wire

import (
	"strings"

	"github.com/valyala/fastjson"
)

// Messages is Anthropic's API, /v1/messages, which vLLM and others have too.
const Messages = "messages"

var messagesProtocol = &protocol{
	chats:   true,
	path:    fixed("/v1/messages"),
	accept:  eventStream,
	headers: map[string]string{"Anthropic-Version": "2023-06-01"},
	encode:  encodeMessages,
	lengths: []string{maxTokens},
	framing: newSSE,
	meaning: func([]byte) meaning { return &messages{} },
	closing: "message_stop",
}

// takesAPIKey reports Anthropic itself, which takes the key as X-Api-Key. All
// others take it as OpenAI does, and vLLM refuses the other way.
func takesAPIKey(api, target string) bool {
	u, err := parseBase(target)
	return err == nil && api == Messages && (u.Hostname() == anthropicHost || strings.HasSuffix(u.Hostname(), "."+anthropicHost))
}

const anthropicHost = "anthropic.com"

// unasked bounds an answer whose length nobody asked for: this API wants a bound.
const unasked = 4096

type messagesQuestion struct {
	Model     string        `json:"model"`
	System    string        `json:"system,omitempty"`
	Messages  []contentTurn `json:"messages,omitempty"`
	MaxTokens int           `json:"max_tokens,omitempty"`
	Stream    bool          `json:"stream"`
}

func encodeMessages(p Prompt, _ Dialect) (any, error) {
	q := &messagesQuestion{Model: p.Model, Stream: true, MaxTokens: p.MaxTokens}
	if q.MaxTokens == 0 && len(p.Body) == 0 {
		q.MaxTokens = unasked
	}
	var system []string
	for _, m := range p.turns() {
		if m.Role == "system" || m.Role == "developer" { // no turn in this API
			system = append(system, m.Content)
			continue
		}
		q.Messages = append(q.Messages, contentTurn{m.Role, m.Content})
	}
	q.System = strings.Join(system, "\n")
	if len(p.Images) == 0 {
		return q, nil
	}
	return q, addImages(q.Messages, p.Images, func(i image) any {
		return map[string]any{"type": "image", "source": map[string]string{"type": "base64", "media_type": i.kind, "data": i.base64}}
	})
}

// messages reads the events of /v1/messages. What is known of the prompt comes
// first, what is known of the answer last.
type messages struct {
	usage  Usage
	uncut  int  // tokens of the prompt that were neither read from a cache nor written to one
	made   int  // tokens written to the cache
	prompt bool // the prompt's count can be believed
}

func (m *messages) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	var e event
	kind := v.GetStringBytes("type")
	if len(kind) == 0 {
		kind = f.name
	}
	switch string(kind) {
	case "message_start":
		e.choices, e.role = 1, true
		m.count(v.Get("message", "usage"))
	case "content_block_start":
		e.choices = 1
		e.addText(v.GetStringBytes("content_block", "text"))
		e.addTool(v.GetStringBytes("content_block", "name"))
	case "content_block_delta":
		e.choices = 1
		d := v.Get("delta")
		e.addText(d.GetStringBytes("text"))
		e.addReasoning(d.GetStringBytes("thinking"), "thinking")
		e.addTool(d.GetStringBytes("partial_json"))
	case "message_delta":
		m.close(&e, v)
	case "message_stop":
		e.ended = true
	case "ping":
		e.ping = true
	case "error":
		e.failure = orElse(failureOf(v, true), "an event of type error")
	case "":
		e.failure = failureOf(v, true)
	}
	return e, nil
}

func (m *messages) close(e *event, v *fastjson.Value) {
	reason := reasonOf(v.Get("delta", "stop_reason"))
	e.finish = clip(reason)
	switch endingOf(reason) {
	case endedAborted:
		e.aborted = true
	case endedFailed:
		e.failure = "stop_reason " + clip(reason)
	}
	u := v.Get("usage")
	m.count(u)
	if u == nil {
		return
	}
	// It grows over the events of this kind; the one in message_start is a guess.
	n, ok := count(u.Get("output_tokens"))
	m.usage.Completion = n
	e.usage, e.hasUsage = m.usage, ok && m.prompt
}

// count takes what is said of the prompt, which a later event may say again.
// input_tokens are those that no cache had a part in.
func (m *messages) count(u *fastjson.Value) {
	if u == nil || u.Type() != fastjson.TypeObject {
		return
	}
	ok := true
	take := func(name string, n int) int {
		v := u.Get(name)
		if v == nil || v.Type() == fastjson.TypeNull {
			return n
		}
		said, is := count(v)
		ok = ok && is
		return said
	}
	m.uncut = take("input_tokens", m.uncut)
	m.made = take("cache_creation_input_tokens", m.made)
	cached := 0
	if m.usage.Cached != nil {
		cached = *m.usage.Cached
	}
	if said := take("cache_read_input_tokens", -1); said >= 0 {
		cached = said
		m.usage.Cached = &said
	}
	m.usage.Prompt, m.prompt = m.uncut+m.made+cached, ok
}
