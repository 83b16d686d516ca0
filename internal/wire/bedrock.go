package wire

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/valyala/fastjson"
)

// BedrockConverse is Amazon Bedrock's API for all of its chat models,
// /model/MODEL/converse-stream.
const BedrockConverse = "bedrock-converse"

var bedrockProtocol = &protocol{
	path:    func(model string) string { return "/model/" + escapeAll(model) + "/converse-stream" },
	accept:  awsEventStream,
	encode:  encodeBedrock,
	lengths: []string{"maxTokens"},
	service: "bedrock",
	framing: newBinaryStream,
	meaning: func([]byte) meaning { return bedrock{} },
	closing: "messageStop",
}

// escapeAll escapes all that is not unreserved, as AWS's own clients do: a model
// may be named by an ARN, which holds / and :. An id that is escaped otherwise
// has another signature.
func escapeAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		if letter || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

type bedrockQuestion struct {
	System          []bedrockText    `json:"system,omitempty"`
	Messages        []contentTurn    `json:"messages,omitempty"`
	InferenceConfig *bedrockInferred `json:"inferenceConfig,omitempty"`
}

type bedrockText struct {
	Text string `json:"text"`
}

type bedrockInferred struct {
	MaxTokens int `json:"maxTokens"`
}

func encodeBedrock(p Prompt, _ Dialect) (any, error) {
	q := &bedrockQuestion{}
	if p.MaxTokens > 0 {
		q.InferenceConfig = &bedrockInferred{p.MaxTokens}
	}
	for _, m := range p.turns() {
		if m.Role == "system" || m.Role == "developer" { // no turn in this API
			q.System = append(q.System, bedrockText{m.Content})
			continue
		}
		q.Messages = append(q.Messages, contentTurn{m.Role, []any{bedrockText{m.Content}}})
	}
	return q, addBedrockImages(q.Messages, p.Images)
}

// addBedrockImages puts images before the text of the last turn.
func addBedrockImages(turns []contentTurn, images []string) error {
	if len(images) == 0 {
		return nil
	}
	if len(turns) == 0 {
		return fmt.Errorf("a prompt with images has no user message to carry them")
	}
	var parts []any
	for _, url := range images {
		i, err := parseImage(url)
		if err != nil {
			return err
		}
		parts = append(parts, map[string]any{"image": map[string]any{
			"format": strings.TrimPrefix(i.kind, "image/"), "source": map[string]string{"bytes": i.base64},
		}})
	}
	last := &turns[len(turns)-1]
	last.Content = append(parts, last.Content.([]any)...)
	return nil
}

// bedrock reads the events of ConverseStream. Their shapes: API reference of
// ConverseStreamOutput, read 2026-11-30.
type bedrock struct{}

func (bedrock) read(p *fastjson.Parser, f frame) (event, error) {
	v, err := parseObject(p, f.data)
	if err != nil {
		return event{}, err
	}
	var e event
	switch string(f.name) {
	case "messageStart":
		e.choices, e.role = 1, true
	case "contentBlockStart":
		e.choices = 1
		e.addTool(v.GetStringBytes("start", "toolUse", "name"))
	case "contentBlockDelta":
		e.choices = 1
		e.addBedrock(v.Get("delta"))
	case "messageStop":
		reason := reasonOf(v.Get("stopReason"))
		e.finish = clip(reason)
		if strings.HasPrefix(e.finish, "malformed_") {
			e.failure = "stopReason " + e.finish
		}
	case "metadata": // the last event
		e.usage, e.hasUsage = bedrockUsage(v.Get("usage"))
		e.ended = true
	}
	return e, nil
}

func (e *event) addBedrock(delta *fastjson.Value) {
	if delta == nil {
		return
	}
	e.addText(delta.GetStringBytes("text"))
	e.addTool(delta.GetStringBytes("toolUse", "input"))
	const reasoning = "reasoningContent"
	e.addReasoning(delta.GetStringBytes(reasoning, "text"), reasoning)
	e.addReasoning(delta.GetStringBytes(reasoning, "redactedContent"), reasoning)
}

// bedrockUsage reads the count. inputTokens are those that no cache had a part in.
func bedrockUsage(v *fastjson.Value) (u Usage, given bool) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return u, false
	}
	input, ok1 := count(v.Get("inputTokens"))
	output, ok2 := count(v.Get("outputTokens"))
	read, ok3 := count(v.Get("cacheReadInputTokens"))
	written, ok4 := count(v.Get("cacheWriteInputTokens"))
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return u, false
	}
	u = Usage{Prompt: input + read + written, Completion: output}
	u.Cached = part(v.Get("cacheReadInputTokens"), u.Prompt)
	return u, true
}

// SageMaker is Amazon SageMaker's streaming invocation,
// /endpoints/ENDPOINT/invocations-response-stream. What its container is asked
// is a chat, and its own stream comes cut into pieces, one a message.
const SageMaker = "sagemaker"

var sagemakerProtocol = &protocol{
	path: func(endpoint string) string {
		return "/endpoints/" + escapeAll(endpoint) + "/invocations-response-stream"
	},
	accept:  awsEventStream,
	encode:  encodeSageMaker,
	lengths: []string{maxTokens, maxCompletionTokens},
	dialect: openAI,
	service: "sagemaker",
	framing: func() framing { return &container{outer: newBinaryStream().(*binaryStream)} },
	meaning: func([]byte) meaning { return containerEvents{} },
	closing: "a finish_reason and without [DONE]",
}

// sagemakerQuestion is a chat without a model: its endpoint has one, whose name
// is not the endpoint's.
type sagemakerQuestion struct {
	*question
	Model json.RawMessage `json:"model,omitempty"`
}

func encodeSageMaker(p Prompt, d Dialect) (any, error) {
	q, err := encodeChat(p, d)
	if err != nil {
		return nil, err
	}
	return sagemakerQuestion{question: q.(*question)}, nil
}
