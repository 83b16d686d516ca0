package trace

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// otelSpan is a span under the names of inference-perf's files and of OTLP.
type otelSpan struct {
	TraceID  string          `json:"trace_id"`
	TraceID2 string          `json:"traceId"`
	Start    json.RawMessage `json:"start_time"`
	Start2   json.RawMessage `json:"startTimeUnixNano"`
	End      json.RawMessage `json:"end_time"`
	End2     json.RawMessage `json:"endTimeUnixNano"`
	Status   struct {
		Code json.RawMessage `json:"code"`
	} `json:"status"`
	Attributes otelAttributes `json:"attributes"`
}

// newSpan reads files of one span a row.
func newSpan(source) parser {
	seen := sessions{}
	return func(record []byte) ([]Row, error) {
		var sp otelSpan
		if err := decode(record, &sp); err != nil {
			return nil, err
		}
		return one(sp.row(seen))
	}
}

// row is the request that a span is about, or errNoPrompt where it is about none:
// a tool, an agent whose own requests have spans too, an embedding.
func (s otelSpan) row(seen sessions) (Row, error) {
	a := s.Attributes
	if !a.isRequest() {
		return Row{}, errNoPrompt
	}
	row := Row{
		Model:  a.text("gen_ai.request.model", "gen_ai.response.model", "llm.request.model"),
		Failed: s.failed(),
		Answer: a.answer(),
	}
	var err error
	if row.At, err = stampOf(s.Start, s.Start2); err != nil {
		return row, err
	}
	end, err := stampOf(s.End, s.End2)
	if err != nil {
		return row, err
	}
	if row.At != nil && end != nil && *end >= *row.At {
		row.Latency = new(*end - *row.At)
	}
	if err := a.lengths(&row); err != nil {
		return row, err
	}
	if row.Messages, err = a.messages(); err != nil {
		return row, err
	}
	row.Session = cmp.Or(a.text("gen_ai.conversation.id", "session.id"), s.TraceID, s.TraceID2)
	if row.Session != "" {
		row.Turn, err = seen.turn(row.Session)
	}
	return row, err
}

// failed says whether the span ended in an error: OTLP's code 2.
func (s otelSpan) failed() bool {
	code := strings.ToUpper(strings.Trim(string(s.Status.Code), `"`))
	return code == "2" || strings.HasSuffix(code, "ERROR") || s.Attributes.text("error.type") != ""
}

// stampOf is a moment under one of two names.
func stampOf(a, b json.RawMessage) (*time.Duration, error) {
	raw := a
	if len(raw) == 0 {
		raw = b
	}
	// A number of nanoseconds is a text in OTLP's JSON, and too long for a float.
	if ns, err := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64); err == nil && unitOf(float64(ns)) == time.Nanosecond {
		if ns < 0 || ns > 2*longestSpan {
			return nil, fmt.Errorf("time stamp %d is out of range", ns)
		}
		return new(time.Duration(ns)), nil
	}
	return stamp(raw)
}

// otelAttributes are a span's, as JSON values.
type otelAttributes map[string]json.RawMessage

// UnmarshalJSON reads a map, or OTLP's list of keys with typed values.
func (a *otelAttributes) UnmarshalJSON(raw []byte) error {
	*a = otelAttributes{}
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) {
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err != nil {
			return err
		}
		*a = m
		return nil
	}
	var list []struct {
		Key   string                     `json:"key"`
		Value map[string]json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	for _, item := range list {
		for _, v := range item.Value { // one: stringValue, intValue, ...
			(*a)[item.Key] = v
		}
	}
	return nil
}

// text is the first of several attributes that is there, as a text.
func (a otelAttributes) text(names ...string) string {
	for _, n := range names {
		if s := fieldOf(a[n]); s != "" {
			return s
		}
	}
	return ""
}

// isRequest says whether a span is of one request to a model that generates.
func (a otelAttributes) isRequest() bool {
	switch a.text("gen_ai.operation.name") {
	case "", "chat", "text_completion", "generate_content":
	default:
		return false
	}
	for key := range a {
		if strings.HasPrefix(key, "gen_ai.usage.") || strings.HasPrefix(key, "gen_ai.input.messages") || strings.HasPrefix(key, "gen_ai.prompt") {
			return true
		}
	}
	return false
}

// lengths reads the counts of tokens, under the names of now and of before, and
// the times that an engine put into its spans.
func (a otelAttributes) lengths(row *Row) error {
	for _, f := range []struct {
		to    **int
		names []string
	}{
		{&row.PromptTokens, []string{"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"}},
		{&row.OutputTokens, []string{"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"}},
	} {
		if s := a.text(f.names...); s != "" {
			n, err := count(f.names[0], s)
			if err != nil {
				return err
			}
			*f.to = n
		}
	}
	if s := a.text("gen_ai.request.max_tokens"); s != "" {
		n, err := count("gen_ai.request.max_tokens", s)
		if err != nil {
			return err
		}
		row.MaxTokens = *n
	}
	if s := a.text("gen_ai.server.time_to_first_token", "gen_ai.latency.time_to_first_token"); s != "" {
		var err error
		row.TTFT, err = seconds("time_to_first_token", s)
		return err
	}
	return nil
}

// answer is what the span says was answered.
func (a otelAttributes) answer() string {
	if s := a.text("gen_ai.output.text"); s != "" {
		return s
	}
	said := a.text("gen_ai.output.messages", "gen_ai.completion")
	var list []otelMessage
	if json.Unmarshal([]byte(said), &list) == nil && len(list) > 0 {
		return list[0].text()
	}
	return said
}

// messages are what the span says was asked, in OpenAI's form; nil where it does
// not say it.
func (a otelAttributes) messages() (json.RawMessage, error) {
	said := a.text("gen_ai.input.messages", "gen_ai.prompt")
	if said == "" {
		return a.indexed()
	}
	var list []otelMessage
	if json.Unmarshal([]byte(said), &list) != nil {
		if strings.HasPrefix(strings.TrimSpace(said), "[") {
			return nil, errors.New("gen_ai.input.messages is not a list of messages")
		}
		list = []otelMessage{{Role: "user", Content: fmtJSON(said)}}
	}
	if s := a.text("gen_ai.system_instructions"); s != "" {
		list = slices.Insert(list, 0, otelMessage{Role: "system", Content: fmtJSON(s)})
	}
	return openAI(list)
}

// indexed are messages whose fields stand in attributes of their own:
// gen_ai.prompt.0.role, gen_ai.prompt.0.content.
func (a otelAttributes) indexed() (json.RawMessage, error) {
	var list []otelMessage
	for i := range maxTurns {
		prefix := fmt.Sprintf("gen_ai.prompt.%d.", i)
		content := a.text(prefix + "content")
		if content == "" && a.text(prefix+"role") == "" {
			break
		}
		list = append(list, otelMessage{Role: a.text(prefix + "role"), Content: fmtJSON(content)})
	}
	return openAI(list)
}

// fmtJSON is a text as a JSON value.
func fmtJSON(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // a string always can be
	return raw
}

// otelMessage is a message with parts, or with content as OpenAI has it.
type otelMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Parts   []struct {
		Type      string          `json:"type"`
		Content   json.RawMessage `json:"content"`
		Text      string          `json:"text"`
		Arguments json.RawMessage `json:"arguments"` // of a tool call
		Result    json.RawMessage `json:"result"`    // of a tool
		Response  json.RawMessage `json:"response"`
	} `json:"parts"`
}

// text is all that a message says, calls of tools and their results as text.
func (m otelMessage) text() string {
	var said []string
	if s := contentText(m.Content); s != "" {
		said = append(said, s)
	}
	for _, p := range m.Parts {
		for _, s := range []string{fieldOf(p.Content), p.Text, fieldOf(p.Arguments), fieldOf(p.Result), fieldOf(p.Response)} {
			if s != "" {
				said = append(said, s)
				break
			}
		}
	}
	return strings.Join(said, "\n")
}

// contentText is the text of a message's content, which may be a list of parts.
func contentText(content json.RawMessage) string {
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return fieldOf(content)
	}
	var said []string
	for _, p := range parts {
		if p.Text != "" {
			said = append(said, p.Text)
		}
	}
	return strings.Join(said, "\n")
}

// openAI are messages that every chat server takes: a tool's result without the
// id of its call would be refused, so a user says it.
func openAI(list []otelMessage) (json.RawMessage, error) {
	if len(list) == 0 {
		return nil, nil
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	out := make([]message, len(list))
	for i, m := range list {
		out[i] = message{m.Role, m.text()}
		if m.Role != "system" && m.Role != "assistant" {
			out[i].Role = "user"
		}
	}
	return json.Marshal(out)
}
