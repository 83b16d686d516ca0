package wire

import (
	"errors"
	"fmt"
	"math"
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
	size      int    // of all that was generated, bytes
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
		return event{}, fmt.Errorf("an event %w: %s", errNotJSON, clip(data))
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
			e.reasoning = join(e.reasoning, r)
			e.size += len(r)
			e.field = name
			break // some servers send both names with the same text
		}
	}
	for _, call := range d.GetArray("tool_calls") {
		n := len(call.GetStringBytes("function", "name")) + len(call.GetStringBytes("function", "arguments"))
		e.tool = e.tool || n > 0
		e.size += n
	}
}

func (e *event) addText(b []byte) {
	e.text = join(e.text, b)
	e.size += len(b)
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

// maxCount is more tokens than any request has.
const maxCount = 10_000_000

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
	return Usage{
		Prompt: prompt, Completion: completion,
		Cached:    part(v.Get("prompt_tokens_details", "cached_tokens"), prompt),
		Reasoning: part(v.Get("completion_tokens_details", "reasoning_tokens"), completion),
	}, true
}

// count reads a number of tokens; none is 0. Some servers write 4.0 for 4.
func count(v *fastjson.Value) (n int, ok bool) {
	if v == nil || v.Type() == fastjson.TypeNull {
		return 0, true
	}
	f, err := v.Float64()
	if err != nil || !(f >= 0 && f <= maxCount) || f != math.Trunc(f) {
		return 0, false
	}
	return int(f), true
}

// part reads how many of whole tokens are of some kind, nil where that is not
// said or cannot be.
func part(v *fastjson.Value, whole int) *int {
	if v == nil || v.Type() == fastjson.TypeNull {
		return nil
	}
	n, ok := count(v)
	if !ok || n > whole {
		return nil
	}
	return &n
}
