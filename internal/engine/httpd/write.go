package httpd

import (
	"strconv"

	"assay/internal/engine"
)

// writer writes a stream's events. What does not change from chunk to chunk is
// made once.
type writer struct {
	answer  *answer
	details bool // prompt_tokens_details in the last usage
	head    []byte
	newline string
	used    usage
	buf     []byte
}

// escapedWords are the texts of output tokens as they stand in JSON.
var escapedWords = func() [][]byte {
	all := make([][]byte, len(words))
	for i, w := range words {
		q := quoted(w)
		all[i] = q[1 : len(q)-1]
	}
	return all
}()

func newWriter(a *answer, model string, details bool) *writer {
	object := "text_completion"
	if a.chat {
		object = "chat.completion.chunk"
	}
	wr := &writer{answer: a, details: details, newline: "\n", used: usage{prompt: a.prompt}}
	if a.faults.CRLF {
		wr.newline = "\r\n"
	}
	h := append([]byte(`data: {"id":`), quoted(a.id)...)
	h = append(h, `,"object":"`+object+`","created":`...)
	h = strconv.AppendInt(h, a.created, 10)
	h = append(h, `,"model":`...)
	h = append(h, quoted(model)...)
	wr.head = append(h, `,"choices":[`...)
	return wr
}

func (wr *writer) asksUsage() bool {
	o := wr.answer.call.Options
	return o != nil && o.IncludeUsage && !wr.answer.faults.NoUsage
}

func (wr *writer) continuous() bool { return wr.asksUsage() && wr.answer.call.Options.Continuous }

func (wr *writer) add(parts ...string) {
	for _, p := range parts {
		wr.buf = append(wr.buf, p...)
	}
}

func (wr *writer) int(n int) { wr.buf = strconv.AppendInt(wr.buf, int64(n), 10) }

func (wr *writer) close() { wr.add("}", wr.newline, wr.newline) }

// usageSoFar is the usage of continuous_usage_stats: the choice's own.
func (wr *writer) usageSoFar(c *choice) {
	if !wr.continuous() {
		return
	}
	wr.add(`,"usage":`)
	wr.counts(wr.used.prompt, c.tokens)
	if wr.answer.chat {
		wr.add(`,"completion_tokens_details":null`)
	}
	wr.add(`}`)
}

func (wr *writer) counts(prompt, completion int) {
	wr.add(`{"prompt_tokens":`)
	wr.int(prompt)
	wr.add(`,"total_tokens":`)
	wr.int(prompt + completion)
	wr.add(`,"completion_tokens":`)
	wr.int(completion)
}

// role is the first chunk of each choice of a chat.
func (wr *writer) role(c *choice) {
	wr.buf = append(wr.buf, wr.head...)
	wr.add(`{"index":`)
	wr.int(c.index)
	wr.add(`,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]`)
	wr.usageSoFar(c)
	wr.add(`,"prompt_token_ids":null,"prompt_text":null`)
	wr.close()
}

// chunk is one event with the text of one or more tokens, already escaped.
func (wr *writer) chunk(c *choice, key string, text []byte, finish engine.Finish, withRole bool) {
	wr.buf = append(wr.buf, wr.head...)
	wr.add(`{"index":`)
	wr.int(c.index)
	if wr.answer.chat {
		wr.add(`,"delta":{`)
		if withRole {
			wr.add(`"role":"assistant",`)
		}
		wr.add(`"`, key, `":"`)
	} else {
		wr.add(`,"text":"`)
	}
	wr.buf = append(wr.buf, text...)
	wr.add(`"`)
	if wr.answer.chat {
		wr.add(`}`)
	}
	wr.add(`,"logprobs":null,"finish_reason":`)
	reason := "null"
	if finish == engine.Stop {
		reason = c.stop
	}
	switch {
	case finish == engine.Running && wr.answer.chat:
		wr.add(`null`)
	case finish == engine.Running:
		wr.add(`null,"stop_reason":null`)
	default:
		wr.add(`"`, finish.String(), `","stop_reason":`, reason)
	}
	if !wr.answer.chat {
		wr.add(`,"prompt_token_ids":null`)
	}
	wr.add(`,"token_ids":null}]`)
	wr.usageSoFar(c)
	if finish != engine.Running && !wr.asksUsage() {
		wr.add(`,"system_fingerprint":"`, fingerprint, `"`)
	}
	wr.close()
}

// end is the usage chunk, if asked for, and the end of the stream.
func (wr *writer) end() {
	if wr.asksUsage() {
		wr.buf = append(wr.buf, wr.head...)
		wr.add(`],"usage":`)
		wr.counts(wr.used.prompt, wr.used.completion)
		if wr.details {
			wr.add(`,"prompt_tokens_details":{"cached_tokens":`)
			wr.int(wr.used.cache.hit)
			if wr.answer.chat {
				wr.add(`,"created_cache_tokens":`)
				wr.int(wr.used.cache.created)
			}
			wr.add(`}`)
		}
		wr.add(`},"system_fingerprint":"`, fingerprint, `"`)
		wr.close()
	}
	wr.done()
}

func (wr *writer) done() { wr.add("data: [DONE]", wr.newline, wr.newline) }

// failure is an error in mid-stream, which vLLM writes with spaces.
func (wr *writer) failure(e *apiError) {
	wr.add(`data: {"error": {"message": `, string(quoted(e.Message)), `, "type": "`, e.Type, `", "param": null, "code": `)
	wr.int(e.Code)
	wr.add(`}}`, wr.newline, wr.newline)
	wr.done()
}
