package wire

import (
	"fmt"

	"github.com/valyala/fastjson"
)

var chatProtocol = &protocol{
	chats:   true,
	path:    fixed("/v1/chat/completions"),
	accept:  eventStream,
	encode:  encodeChat,
	lengths: []string{maxTokens, maxCompletionTokens},
	dialect: openAI,
	framing: newSSE,
	meaning: func([]byte) meaning { return choices{} },
	closing: "a finish_reason and without [DONE]",
}

var completionsProtocol = &protocol{
	path:    fixed("/v1/completions"),
	accept:  eventStream,
	encode:  encodeCompletion,
	lengths: []string{maxTokens, maxCompletionTokens},
	dialect: openAI,
	framing: newSSE,
	meaning: func([]byte) meaning { return choices{} },
	closing: "a finish_reason and without [DONE]",
}

// openAI is what servers of OpenAI's older APIs are asked for first.
var openAI = Dialect{IncludeUsage: true, ContinuousUsage: true, IgnoreEOS: true, MinTokens: true, MaxTokensField: maxTokens}

// question is what Assay says in a request. A struct is encoded in a third of the
// time of a map, which counts at thousands of requests a second.
type question struct {
	Model               string         `json:"model"`
	Messages            any            `json:"messages,omitempty"` // []Message or []contentTurn
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

func encodeChat(p Prompt, d Dialect) (any, error) {
	q := newQuestion(p, d)
	turns := p.turns()
	if len(turns) > 0 {
		q.Messages = turns
	}
	if len(p.Images) == 0 {
		return q, nil
	}
	var with []contentTurn
	for _, m := range turns {
		with = append(with, contentTurn{m.Role, m.Content})
	}
	q.Messages = with
	return q, addImages(with, p.Images, func(i image) any {
		return map[string]any{"type": "image_url", "image_url": map[string]string{"url": i.url}}
	})
}

func encodeCompletion(p Prompt, d Dialect) (any, error) {
	q := newQuestion(p, d)
	q.Prompt = p.plain()
	return q, noImages(p)
}

func newQuestion(p Prompt, d Dialect) *question {
	q := &question{Model: p.Model, Stream: true}
	if d.IncludeUsage {
		q.StreamOptions = &streamOptions{IncludeUsage: true, ContinuousUsage: d.ContinuousUsage}
	}
	if d.MaxTokensField == maxCompletionTokens {
		q.MaxCompletionTokens = p.MaxTokens
	} else {
		q.MaxTokens = p.MaxTokens
	}
	if p.MinTokens > 0 {
		q.IgnoreEOS = d.IgnoreEOS
		if d.MinTokens {
			q.MinTokens = p.MinTokens
		}
	}
	return q
}

// choices reads the chunks of a chat or completions stream.
type choices struct{}

func (choices) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	var e event
	choices, usage := v.GetArray("choices"), v.Get("usage")
	bare := len(choices) == 0 && (usage == nil || usage.Type() != fastjson.TypeObject)
	if e.failure = failureOf(v, bare); e.failure != "" {
		return e, nil
	}
	e.choices = len(choices)
	for _, c := range choices {
		e.choice(c)
	}
	e.usage, e.hasUsage = usageOf(usage)
	return e, nil
}

func (e *event) choice(c *fastjson.Value) {
	reason := reasonOf(c.Get("finish_reason"))
	if len(reason) > 0 && c.GetInt("index") == 0 {
		e.finish = clip(reason)
	}
	switch endingOf(reason) {
	case endedAborted:
		e.aborted = true
	case endedFailed:
		e.failure = fmt.Sprintf("finish_reason %q", clip(reason))
	}
	if told := c.Get("error"); told != nil && stands(told) {
		e.failure = failureOf(c, false)
	}
	e.addText(c.GetStringBytes("text"))
	d := c.Get("delta")
	if d == nil {
		return
	}
	e.role = e.role || len(d.GetStringBytes("role")) > 0
	e.addText(d.GetStringBytes("content"))
	e.addText(d.GetStringBytes("refusal"))
	for _, name := range reasoningFields {
		if r := d.GetStringBytes(name); len(r) > 0 {
			e.addReasoning(r, name)
			break // some servers send both names with the same text
		}
	}
	for _, call := range d.GetArray("tool_calls") {
		e.addTool(call.GetStringBytes("function", "name"))
		e.addTool(call.GetStringBytes("function", "arguments"))
	}
}

// reasoningFields are the names that servers give to reasoning: vLLM since
// January 2026 and Ollama the first, SGLang, llama.cpp and others the second.
var reasoningFields = []string{"reasoning", "reasoning_content"}

// usageOf reads the server's count. One that cannot be is none: a part that
// is wrong makes the rest doubtful.
func usageOf(v *fastjson.Value) (u Usage, given bool) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return u, false
	}
	prompt, ok1 := count(v.Get("prompt_tokens"))
	completion, ok2 := count(v.Get("completion_tokens"))
	if !ok1 || !ok2 {
		return u, false
	}
	reasoning := v.Get("completion_tokens_details", "reasoning_tokens")
	if reasoning == nil {
		reasoning = v.Get("reasoning_tokens") // SGLang's place for it
	}
	return Usage{
		Prompt: prompt, Completion: completion,
		Cached:    part(v.Get("prompt_tokens_details", "cached_tokens"), prompt),
		Reasoning: part(reasoning, completion),
	}, true
}
