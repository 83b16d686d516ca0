package wire

import "github.com/valyala/fastjson"

// Ollama's own two APIs.
const (
	OllamaChat     = "ollama-chat"     // /api/chat
	OllamaGenerate = "ollama-generate" // /api/generate
)

var ollamaChatProtocol = &protocol{
	chats:   true,
	path:    fixed("/api/chat"),
	accept:  ndjsonType,
	encode:  encodeOllamaChat,
	lengths: []string{numPredict},
	framing: newNDJSON,
	meaning: func([]byte) meaning { return ollama{} },
	closing: `a line with "done":true`,
}

var ollamaGenerateProtocol = &protocol{
	path:    fixed("/api/generate"),
	accept:  ndjsonType,
	encode:  encodeOllamaGenerate,
	lengths: []string{numPredict},
	framing: newNDJSON,
	meaning: func([]byte) meaning { return ollama{} },
	closing: `a line with "done":true`,
}

const numPredict = "num_predict"

type ollamaQuestion struct {
	Model    string         `json:"model"`
	Messages []Message      `json:"messages,omitempty"`
	Prompt   string         `json:"prompt,omitempty"`
	Stream   bool           `json:"stream"`
	Options  *ollamaOptions `json:"options,omitempty"`
}

type ollamaOptions struct {
	NumPredict int `json:"num_predict"`
}

func encodeOllamaChat(p Prompt, _ Dialect) (any, error) {
	q := newOllamaQuestion(p)
	q.Messages = p.turns()
	return q, noImages(p)
}

func encodeOllamaGenerate(p Prompt, _ Dialect) (any, error) {
	q := newOllamaQuestion(p)
	q.Prompt = p.plain()
	return q, noImages(p)
}

func newOllamaQuestion(p Prompt) *ollamaQuestion {
	q := &ollamaQuestion{Model: p.Model, Stream: true}
	if p.MaxTokens > 0 {
		q.Options = &ollamaOptions{NumPredict: p.MaxTokens}
	}
	return q
}

// ollama reads the lines of both APIs: they differ in where the text stands.
type ollama struct{}

func (ollama) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	var e event
	bare := v.Get("message") == nil && v.Get("response") == nil && v.Get("done") == nil
	if e.failure = failureOf(v, bare); e.failure != "" {
		return e, nil
	}
	e.choices = 1
	e.addText(v.GetStringBytes("response"))
	e.addReasoning(v.GetStringBytes("thinking"), "thinking")
	m := v.Get("message")
	e.role = len(m.GetStringBytes("role")) > 0
	e.addText(m.GetStringBytes("content"))
	e.addReasoning(m.GetStringBytes("thinking"), "message.thinking")
	for _, call := range m.GetArray("tool_calls") { // whole, never in pieces
		e.addTool(call.GetStringBytes("function", "name"))
	}
	if v.GetBool("done") {
		e.closeOllama(v)
	}
	return e, nil
}

// closeOllama reads the last line. A prompt that was all in the cache has no
// prompt_eval_count in some versions: it is then not known.
func (e *event) closeOllama(v *fastjson.Value) {
	e.ended = true
	reason := v.GetStringBytes("done_reason")
	e.finish = orElse(clip(reason), "done")
	if endingOf(reason) == endedFailed {
		e.failure = "done_reason " + clip(reason)
	}
	if !e.carries() {
		e.choices = 0
	}
	prompt, ok1 := count(v.Get("prompt_eval_count"))
	completion, ok2 := count(v.Get("eval_count"))
	e.usage, e.hasUsage = Usage{Prompt: prompt, Completion: completion}, ok1 && ok2 && v.Get("eval_count") != nil
}
