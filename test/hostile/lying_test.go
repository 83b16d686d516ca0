package hostile

import (
	"compress/gzip"
	"strings"

	"assay/internal/wire"
)

// What says one thing and does another.
var lying = []behaviour{
	{name: "an early 200 with the error behind it", serve: answering(head, event(`{"error":{"message":"no","code":500}}`), done, end), want: wire.KindStreamError, says: "no"},
	{name: "an error behind a token, then the mark", serve: answering(head, role, token, event(`{"error":{"message":"engine died"}}`), done, end), want: wire.KindStreamError, says: "engine died"},
	{name: "an error as a word", serve: answering(head, role, token, event(`{"error":"boom"}`), end), want: wire.KindStreamError, says: "boom"},
	{name: "an error named by its event", serve: answering(head, role, chunk("event: error\ndata: {\"message\":\"gone\"}\n\n"), end), want: wire.KindStreamError, says: "gone"},
	{name: "an error beside choices", serve: answering(head, event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"error":{"message":"half"}}`), done, end), want: wire.KindStreamError, says: "half"},
	{name: "an error in words between events", serve: answering(head, role, token, chunk("Internal Server Error\n"), end), want: wire.KindMalformed, also: wire.KindStreamError},
	{name: "an error that ends in a finish of error", serve: answering(head, role, event(`{"choices":[{"index":0,"delta":{},"finish_reason":"error"}]}`), done, end), want: wire.KindStreamError},
	{name: "abort as the finish", serve: answering(head, role, token, event(`{"choices":[{"index":0,"delta":{},"finish_reason":"abort"}]}`), usage, done, end), want: wire.KindAborted},
	{name: "200 with an error in JSON", serve: answering(asJSON("200 OK", `{"error":{"message":"no such model"}}`)), want: wire.KindStreamError, says: "no such model"},
	{name: "200 with a status in JSON", serve: answering(asJSON("200 OK", `{"detail":"not ready","status":503}`)), want: wire.KindNotAStream, says: "not ready"},
	{name: "200 with a web page", serve: answering(plain("200 OK", "text/html", "<!doctype html><title>Log in</title>")), want: wire.KindNotAStream},
	{name: "a web page that calls itself a stream", serve: answering(plain("200 OK", "text/event-stream", "<html><body>504 Gateway Time-out</body></html>")), want: wire.KindNotAStream},
	{name: "200 with nothing", serve: answering(asJSON("200 OK", "")), want: wire.KindTruncated, also: wire.KindNotAStream},
	{name: "204", serve: answering("HTTP/1.1 204 No Content\r\n\r\n"), want: wire.KindHTTP},
	{name: "a stream that calls itself JSON", serve: answering(strings.Replace(whole, "text/event-stream", "application/json", 1)), tokens: 2},
	{name: "a stream without a content type", serve: answering(strings.Replace(whole, "Content-Type: text/event-stream\r\n", "", 1)), tokens: 2},
	{name: "the mark alone", serve: answering(head, done, end), want: wire.KindNoTokens},
	{name: "role, finish, mark, no token", serve: answering(head, role, finished, done, end), want: wire.KindNoTokens},
	{name: "empty choices, then the mark", serve: answering(head, event(`{"choices":[]}`), done, end), want: wire.KindNoTokens},
	{name: "usage without a token", serve: answering(head, role, finished, event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":64}}`), done, end), want: wire.KindNoTokens},
	{name: "tokens behind the mark", serve: answering(head, role, token, finish, usage, done, token, token, end), tokens: 2},
	{name: "compressed though not asked to", serve: answering("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x8b\x08"), want: wire.KindMalformed},
	{name: "a bomb of gzip", serve: then(bomb, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: gzip\r\n\r\n"), want: wire.KindMalformed},
	{name: "a bomb of gzip as an error", serve: then(bomb, "HTTP/1.1 500 Internal Server Error\r\nContent-Encoding: gzip\r\n\r\n"), want: wire.KindHTTP},
	{name: "a transfer encoding that nobody knows", serve: answering("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", end), want: wire.KindMalformed},
	{name: "two lengths", serve: answering("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!"), want: wire.KindMalformed},
	{name: "a length below zero", serve: answering("HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"), want: wire.KindMalformed},
	{name: "a length too short for the stream", serve: answering("" +
		"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 20\r\n\r\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"), want: wire.KindTruncated},
	{name: "the answer of another request behind this one", serve: answering(whole + whole), tokens: 2},
	{name: "an answer before the request is read", serve: func(p *peer) { p.say(whole); p.hear() }, tokens: 2},
	{name: "a redirect to elsewhere", serve: answering("HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/elsewhere\r\nContent-Length: 0\r\n\r\n"), want: wire.KindHTTP, says: "127.0.0.1:1"},
	{name: "a redirect to itself", serve: answering("HTTP/1.1 302 Found\r\nLocation: /v1/chat/completions\r\nContent-Length: 0\r\n\r\n"), want: wire.KindHTTP},
	{name: "asks for a key and repeats the one it got", serve: answering(asJSON("401 Unauthorized", `{"error":"bad key `+secret+`"}`)), want: wire.KindUnauthorized},
	{name: "repeats the key within a stream", serve: answering(head, event(`{"error":{"message":"Authorization: Bearer `+secret+`"}}`), end), want: wire.KindStreamError},
	{name: "repeats the key in a header's place", serve: answering(plain("200 OK", "text/"+secret, "hello")), want: wire.KindNotAStream},
	{name: "counts that cannot be", serve: answering(head, role, token, finish, event(`{"choices":[],"usage":{"prompt_tokens":-5,"completion_tokens":1e300}}`), done, end), tokens: unknown},
	{name: "counts that fall", serve: answering(head, role,
		event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`),
		event(`{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":1}}`), done, end), tokens: 2},
	{name: "counts as words", serve: answering(head, role, token, finish, event(`{"choices":[],"usage":{"prompt_tokens":"five","completion_tokens":"two"}}`), done, end), tokens: unknown},
	{name: "zeros on each chunk", serve: answering(head, role,
		event(`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":0,"completion_tokens":0}}`),
		event(`{"choices":[{"index":0,"delta":{"content":"b"},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`), done, end), tokens: 2},
}

// unknown, as tokens, is a success whose count the server does not say.
const unknown = -1

// bomb is gigabytes of zeros, compressed.
func bomb(p *peer) {
	w := gzip.NewWriter(p)
	zeros := make([]byte, 1<<20)
	for range 4096 {
		if _, err := w.Write(zeros); err != nil || ended(p) {
			return
		}
	}
}
