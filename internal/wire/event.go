package wire

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/valyala/fastjson"
)

// event is what one chunk of a chat or completions stream says. Its bytes are
// valid until its parser reads the next one.
type event struct {
	choices   int
	role      bool   // a delta that names the role
	text      []byte // visible content, all choices
	reasoning []byte // under either name
	tool      bool   // arguments or name of a tool call
	field     string // name of the field that held reasoning
	finish    string // finish_reason of choice 0
	aborted   bool   // some choice was aborted
	hasUsage  bool
	usage     Usage
	failure   string // the words of an error object
}

// carries reports whether the chunk holds generated tokens that can be seen.
func (e *event) carries() bool { return len(e.text) > 0 || len(e.reasoning) > 0 || e.tool }

// parsers are shared: each of many open streams needs one for a moment only.
var parsers fastjson.ParserPool

var errNotJSON = errors.New("is not a JSON object")

// parseEvent reads the data of one event.
func parseEvent(p *fastjson.Parser, data []byte) (event, error) {
	v, err := p.ParseBytes(data)
	if err != nil || v.Type() != fastjson.TypeObject {
		return event{}, fmt.Errorf("an event %w: %s", errNotJSON, shorten(string(data)))
	}
	var e event
	if e.failure = failureOf(v); e.failure != "" {
		return e, nil
	}
	choices := v.GetArray("choices")
	e.choices = len(choices)
	for _, c := range choices {
		e.choice(c)
	}
	e.usage, e.hasUsage = usageOf(v.Get("usage"))
	return e, nil
}

func (e *event) choice(c *fastjson.Value) {
	reason := c.GetStringBytes("finish_reason")
	if len(reason) > 0 && c.GetInt("index") == 0 {
		e.finish = shorten(string(reason))
	}
	if string(reason) == "abort" {
		e.aborted = true
	}
	e.text = join(e.text, c.GetStringBytes("text"))
	d := c.Get("delta")
	if d == nil {
		return
	}
	e.role = e.role || len(d.GetStringBytes("role")) > 0
	e.text = join(e.text, d.GetStringBytes("content"))
	e.text = join(e.text, d.GetStringBytes("refusal"))
	for _, name := range reasoningFields {
		if r := d.GetStringBytes(name); len(r) > 0 {
			e.reasoning = join(e.reasoning, r)
			e.field = name
			break // some servers send both names with the same text
		}
	}
	for _, call := range d.GetArray("tool_calls") {
		if len(call.GetStringBytes("function", "name")) > 0 || len(call.GetStringBytes("function", "arguments")) > 0 {
			e.tool = true
		}
	}
}

// join appends b to a without touching the bytes of either. Nearly always one of
// them is empty, and nothing is copied.
func join(a, b []byte) []byte {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	return slices.Concat(a, b)
}

// reasoningFields are the names that servers give to reasoning: vLLM since
// January 2026 and Ollama the first, SGLang, llama.cpp and others the second.
var reasoningFields = []string{"reasoning", "reasoning_content"}

func usageOf(v *fastjson.Value) (u Usage, given bool) {
	if v == nil || v.Type() != fastjson.TypeObject {
		return u, false
	}
	return Usage{
		Prompt: v.GetInt("prompt_tokens"), Completion: v.GetInt("completion_tokens"),
		Cached:    optionalInt(v.Get("prompt_tokens_details", "cached_tokens")),
		Reasoning: optionalInt(v.Get("completion_tokens_details", "reasoning_tokens")),
	}, true
}

func optionalInt(v *fastjson.Value) *int {
	if v == nil {
		return nil
	}
	n, err := v.Int()
	if err != nil {
		return nil
	}
	return &n
}

// failureOf is the message of an error object in any of the shapes that servers
// use: {"error": {"message"}}, {"error": "text"}, {"object": "error", "message"},
// {"detail"}. Empty: not an error.
func failureOf(v *fastjson.Value) string {
	if v.Type() != fastjson.TypeObject {
		return ""
	}
	if e := v.Get("error"); e != nil && e.Type() != fastjson.TypeNull && e.Type() != fastjson.TypeFalse {
		if m := e.GetStringBytes("message"); len(m) > 0 {
			return shorten(string(m))
		}
		if e.Type() == fastjson.TypeString {
			return shorten(string(e.GetStringBytes()))
		}
		return shorten(e.String())
	}
	if bytes.Equal(v.GetStringBytes("object"), []byte("error")) {
		return shorten("error: " + string(v.GetStringBytes("message")))
	}
	if d := v.Get("detail"); d != nil && !v.Exists("choices") {
		if d.Type() == fastjson.TypeString {
			return shorten(string(d.GetStringBytes()))
		}
		return shorten(d.String())
	}
	return ""
}

// maxDetail bounds what is kept of a server's words, in bytes.
const maxDetail = 300

// cutMark stands where words were cut off.
const cutMark = "…"

// shorten makes foreign text one printable line of bounded length.
func shorten(s string) string {
	if len(s) > maxDetail {
		s = s[:maxDetail] + cutMark
	}
	out := make([]rune, 0, len(s))
	space := false
	for _, r := range s {
		if r < ' ' || r == 0x7f || r == ' ' || r == '\u2028' || r == '\u2029' || (r >= 0x80 && r < 0xa0) {
			space = true
			continue
		}
		if space && len(out) > 0 {
			out = append(out, ' ')
		}
		space = false
		out = append(out, r)
	}
	return string(out)
}
