package wire

import (
	"bytes"

	"github.com/valyala/fastjson"
)

// Responses is OpenAI's newer API, /v1/responses.
const Responses = "responses"

var responsesProtocol = &protocol{
	chats:   true,
	path:    fixed("/v1/responses"),
	accept:  eventStream,
	encode:  encodeResponses,
	lengths: []string{maxOutputTokens},
	// OpenAI asks for 16 tokens at least (its API reference, 2026).
	dialect: Dialect{LeastTokens: 16},
	framing: newSSE,
	meaning: func([]byte) meaning { return responses{} },
	closing: "response.completed",
}

const maxOutputTokens = "max_output_tokens"

// responsesQuestion stores nothing: answers to a benchmark are of no further use.
type responsesQuestion struct {
	Model     string `json:"model"`
	Input     any    `json:"input,omitempty"`
	Stream    bool   `json:"stream"`
	Store     bool   `json:"store"`
	MaxTokens int    `json:"max_output_tokens,omitempty"`
}

func encodeResponses(p Prompt, _ Dialect) (any, error) {
	if err := noImages(p); err != nil {
		return nil, err
	}
	q := &responsesQuestion{Model: p.Model, Stream: true, MaxTokens: p.MaxTokens}
	if turns := p.turns(); len(turns) > 0 {
		q.Input = turns
	}
	return q, nil
}

// responses reads the events of /v1/responses. Each names its type in its data;
// the name of the event is the same.
type responses struct{}

func (responses) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	var e event
	kind := v.GetStringBytes("type")
	if len(kind) == 0 {
		kind = f.name
	}
	switch name := string(bytes.TrimPrefix(kind, []byte("response."))); name { // no copy: it does not outlive the switch
	case "output_text.delta", "refusal.delta":
		e.choices = 1
		e.addText(v.GetStringBytes("delta"))
	case "reasoning_text.delta":
		e.choices = 1
		e.addReasoning(v.GetStringBytes("delta"), "reasoning_text")
	case "reasoning_summary_text.delta":
		e.choices = 1
		e.addReasoning(v.GetStringBytes("delta"), "reasoning_summary_text")
	case "function_call_arguments.delta", "custom_tool_call_input.delta", "mcp_call_arguments.delta", "code_interpreter_call_code.delta":
		e.choices = 1
		e.addTool(v.GetStringBytes("delta"))
	case "output_item.added": // the name of a function is generated before its arguments
		e.choices = 1
		e.addTool(v.GetStringBytes("item", "name"))
	case "completed", "incomplete", "failed", "cancelled":
		e.close(v.Get("response"), name)
	case "error":
		e.failure = orElse(failureOf(v, true), "an event of type error")
	case "":
		e.failure = failureOf(v, true)
	}
	return e, nil
}

// close reads the whole response in the last event. What cut it short stands
// beside its status, by whatever name the event goes.
func (e *event) close(r *fastjson.Value, name string) {
	e.ended = true
	status := string(r.GetStringBytes("status"))
	switch {
	case name == "failed" || status == "failed":
		e.failure = orElse(failureOf(r, false), "the response failed")
	case name == "cancelled" || status == "cancelled":
		e.aborted = true
	}
	e.finish = clip(r.GetStringBytes("incomplete_details", "reason"))
	if e.finish == "" {
		e.finish = orElse(status, name)
	}
	e.usage, e.hasUsage = inOutUsage(r.Get("usage"))
}

// inOutUsage reads a count whose names are those of the newer APIs.
func inOutUsage(v *fastjson.Value) (u Usage, given bool) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return u, false
	}
	prompt, ok1 := count(v.Get("input_tokens"))
	completion, ok2 := count(v.Get("output_tokens"))
	if !ok1 || !ok2 {
		return u, false
	}
	return Usage{
		Prompt: prompt, Completion: completion,
		Cached:    part(v.Get("input_tokens_details", "cached_tokens"), prompt),
		Reasoning: part(v.Get("output_tokens_details", "reasoning_tokens"), completion),
	}, true
}

func orElse(words, other string) string {
	if words == "" {
		return other
	}
	return words
}
