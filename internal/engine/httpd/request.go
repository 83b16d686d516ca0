package httpd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
)

// call is the body of a chat or completion request: the fields that change what
// the engine does. Unknown fields are accepted, as vLLM accepts them.
type call struct {
	Model     string             `json:"model"`
	Messages  []message          `json:"messages"`
	Prompt    json.RawMessage    `json:"prompt"`
	Stream    bool               `json:"stream"`
	Options   *streamOptions     `json:"stream_options"`
	MaxTokens *int               `json:"max_tokens"`
	MaxCompl  *int               `json:"max_completion_tokens"`
	MinTokens int                `json:"min_tokens"`
	N         *int               `json:"n"`
	Stop      stringList         `json:"stop"`
	StopIDs   []uint32           `json:"stop_token_ids"`
	IgnoreEOS bool               `json:"ignore_eos"`
	Seed      *int64             `json:"seed"`
	Temp      *float64           `json:"temperature"`
	TopLogP   *int               `json:"top_logprobs"`
	Bias      map[string]float64 `json:"logit_bias"`
	Priority  int                `json:"priority"`
	RequestID string             `json:"request_id"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
	Continuous   bool `json:"continuous_usage_stats"`
}

// stringList is a string or a list of them.
type stringList []string

func (l *stringList) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var s string
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
		*l = stringList{s}
		return nil
	}
	var many []string
	err := json.Unmarshal(b, &many)
	*l = many
	return err
}

// maxChoices bounds n times the number of prompts, as vLLM's VLLM_MAX_N_SEQUENCES does.
const maxChoices = 16384

// parse reads a body; chat says which of the two APIs it belongs to.
func parse(body []byte, chat bool) (*call, *apiError) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, invalid("body", "{'type': 'missing', 'loc': 'body', 'msg': 'Field required', 'input': 'None'}")
	}
	c := new(call)
	if err := json.Unmarshal(body, c); err != nil {
		return nil, unreadable(err)
	}
	missing := func(field string) *apiError {
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(body, &fields) // it has just been read
		return invalid("body."+field, "{'type': 'missing', 'loc': 'body.%s', 'msg': 'Field required', 'input': '<dict of %d items>'}", field, len(fields))
	}
	switch {
	case chat && c.Messages == nil:
		return nil, missing("messages")
	case chat && len(c.Messages) == 0:
		return nil, badRequest("", "Cannot apply chat template to an empty conversation. Provide at least one message.")
	case !chat && (len(c.Prompt) == 0 || string(c.Prompt) == "null"):
		return nil, missing("prompt")
	}
	return c, nil
}

// unreadable words what encoding/json says the way pydantic does.
func unreadable(err error) *apiError {
	var wrong *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Field != "":
		return invalid("body."+wrong.Field, "{'type': 'type_error', 'loc': 'body.%s', 'msg': 'Input should be a valid %s', 'input': '%s'}",
			wrong.Field, pythonType(wrong.Type.Kind().String()), wrong.Value)
	case errors.As(err, &syntax):
		at := fmt.Sprintf("body.%d", syntax.Offset)
		return invalid(at, "{'type': 'json_invalid', 'loc': '%s', 'msg': 'JSON decode error', 'input': '<dict of 0 items>', 'ctx': {'error': '%s'}}", at, syntax)
	}
	return invalid("body", "{'type': 'json_invalid', 'loc': 'body', 'msg': 'JSON decode error', 'ctx': {'error': '%s'}}", err)
}

func pythonType(kind string) string {
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "integer"
	case strings.HasPrefix(kind, "float"):
		return "number"
	case kind == "bool":
		return "boolean"
	case kind == "slice":
		return "list"
	case kind == "struct", kind == "map":
		return "dictionary"
	}
	return kind
}

// check refuses what vLLM refuses before it looks at the prompt.
func (c *call) check(maxModelLen int) *apiError {
	limit := c.limit()
	switch {
	case c.Options != nil && !c.Stream:
		return badRequest("stream_options", "Stream options can only be defined when `stream=True`. (parameter=stream_options)")
	case c.N != nil && *c.N < 1:
		return badRequest("", "n must be at least 1, got %d.", *c.N)
	case c.N != nil && *c.N > maxChoices:
		return badRequest("", "n must be at most %d, got %d.", maxChoices, *c.N)
	case c.Temp != nil && *c.Temp < 0:
		return badValue("temperature", pythonFloat(*c.Temp), "temperature must be non-negative, got %s.", pythonFloat(*c.Temp))
	case c.TopLogP != nil && *c.TopLogP > 20:
		return badValue("logprobs", *c.TopLogP, "Requested sample logprobs of %d, which is greater than max allowed: 20", *c.TopLogP)
	case limit != nil && *limit < 1:
		return badValue("max_tokens", *limit, "max_tokens must be at least 1, got %d.", *limit)
	case limit != nil && *limit > maxModelLen:
		return badValue("max_tokens", *limit, "max_tokens=%d cannot be greater than max_model_len=%d. Please request fewer output tokens.", *limit, maxModelLen)
	case c.MinTokens < 0:
		return badRequest("", "min_tokens must be greater than or equal to 0, got %d.", c.MinTokens)
	case limit != nil && c.MinTokens > *limit:
		return badRequest("", "min_tokens must be less than or equal to max_tokens=%d, got %d.", *limit, c.MinTokens)
	}
	return nil
}

func pythonFloat(f float64) string {
	if f == math.Trunc(f) {
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprint(f)
}

// limit is the number of output tokens asked for; nil: none.
func (c *call) limit() *int {
	if c.MaxCompl != nil {
		return c.MaxCompl
	}
	return c.MaxTokens
}

// choices is how many outputs each prompt is to have.
func (c *call) choices() int {
	if c.N == nil {
		return 1
	}
	return *c.N
}
