package nullserver

import (
	"encoding/json"
	"fmt"
	"strconv"
)

// script is what one kind of answer looks like on the wire, chunk framing
// included, made once: the server must cost less than the client it measures.
type script struct {
	open  []byte // what stands before the first token
	token []byte
	last  []byte // the last token, with its finish_reason
}

const (
	streamHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nCache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
	streamTail = "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n"
)

// chatScript opens as vLLM does: the role's chunk comes together with the first
// token and is none.
func chatScript(model, text string) script {
	event := func(delta, finish string) []byte {
		return frame(fmt.Sprintf(`{"id":"chatcmpl-null","object":"chat.completion.chunk","created":0,"model":%s,"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`,
			quote(model), delta, finish))
	}
	return script{
		open:  append([]byte(streamHead), event(`{"role":"assistant","content":""}`, "null")...),
		token: event(`{"content":`+quote(text)+`}`, "null"),
		last:  event(`{"content":`+quote(text)+`}`, `"length"`),
	}
}

func completionsScript(model, text string) script {
	event := func(finish string) []byte {
		return frame(fmt.Sprintf(`{"id":"cmpl-null","object":"text_completion","created":0,"model":%s,"choices":[{"index":0,"text":%s,"logprobs":null,"finish_reason":%s}]}`,
			quote(model), quote(text), finish))
	}
	return script{open: []byte(streamHead), token: event("null"), last: event(`"length"`)}
}

// died is how the stream of an engine that died half-way ends, as vLLM 0.32 was
// seen to end it: an error object, and [DONE] all the same.
var died = append(frame(`{"error":{"message":"EngineCore encountered an issue.","type":"InternalServerError","param":null,"code":500}}`), streamTail...)

// usage is the chunk that counts the answer.
func usage(model string, prompt, completion int) []byte {
	return frame(fmt.Sprintf(`{"id":"null","object":"chat.completion.chunk","created":0,"model":%s,"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}`,
		quote(model), prompt, completion, prompt+completion))
}

// frame makes an event one HTTP chunk.
func frame(data string) []byte {
	event := "data: " + data + "\n\n"
	return []byte(strconv.FormatInt(int64(len(event)), 16) + "\r\n" + event + "\r\n")
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string always encodes
	return string(b)
}
