package hostile

import (
	"strings"

	"assay/internal/wire"
)

// What cannot be read, or only with care.
var malformed = []behaviour{
	{name: "speaks something else", serve: answering("SSH-2.0-OpenSSH_9.6\r\n"), want: wire.KindMalformed},
	{name: "HTTP of 1991", serve: answering("<html>hello</html>"), want: wire.KindMalformed, also: wire.KindReset},
	{name: "answers in HTTP/2", serve: answering("\x00\x00\x12\x04\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x64\x00\x04\x00\x10\x00\x00"), want: wire.KindMalformed, also: wire.KindReset},
	{name: "answers in TLS", serve: answering("\x15\x03\x01\x00\x02\x02\x16"), want: wire.KindTLS},
	{name: "switches protocols", serve: answering("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"), want: wire.KindHTTP},
	{name: "HTTP/1.0", serve: answering(strings.Replace(open, "HTTP/1.1", "HTTP/1.0", 1),
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}\n\n"), tokens: 1},
	{name: "says to go on first", serve: answering("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", whole), tokens: 2},
	{name: "a status of two digits", serve: answering("HTTP/1.1 20 OK\r\n\r\n"), want: wire.KindMalformed},
	{name: "a header without a colon", serve: answering("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n"), want: wire.KindMalformed},
	{name: "a chunk whose size is a word", serve: answering(head, "zz\r\n"), want: wire.KindMalformed},
	{name: "a chunk larger than numbers go", serve: answering(head, "ffffffffffffffffff\r\n"), want: wire.KindMalformed},
	{name: "no line end behind a chunk", serve: answering(head, "5\r\n: hi\nXX5\r\n"), want: wire.KindMalformed},
	{name: "chunks with extensions", serve: answering(head, "8;a=b\r\n: hello\n\r\n", role, token, finish, usage, done, end), tokens: 2},
	{name: "an event that is no JSON", serve: answering(head, role, event(`{"choices":[{]}`), end), want: wire.KindMalformed},
	{name: "an event that is a list", serve: answering(head, role, event(`[1,2,3]`), end), want: wire.KindMalformed},
	{name: "an event that is a number", serve: answering(head, role, event(`42`), end), want: wire.KindMalformed},
	{name: "JSON nested without end", serve: answering(head, role, event(strings.Repeat(`{"a":[`, 100_000)+strings.Repeat(`]}`, 100_000)), end), want: wire.KindMalformed},
	{name: "a number with a million digits", serve: answering(head, role, token, finish, event(`{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":`+strings.Repeat("9", 1_000_000)+`}}`), done, end), tokens: unknown},
	{name: "choices that are no list", serve: answering(head, event(`{"choices":{"0":{}}}`), done, end), want: wire.KindNoTokens},
	{name: "a delta that is a word", serve: answering(head, event(`{"choices":[{"index":0,"delta":"hello"}]}`), done, end), want: wire.KindNoTokens},
	{name: "content that is a number", serve: answering(head, event(`{"choices":[{"index":0,"delta":{"content":7}}]}`), done, end), want: wire.KindNoTokens},
	{name: "content that is null", serve: answering(head, event(`{"choices":[{"index":0,"delta":{"role":"assistant","content":null}}]}`), token, finish, usage, done, end), tokens: 2},
	{name: "invalid UTF-8 split over chunks", serve: answering(head, role,
		chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xe2"), chunk("\x28\xff"), chunk("\"}}]}\n\n"), finish, usage, done, end), tokens: 2},
	{name: "a character split over chunks", serve: answering(head, role,
		chunk("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xe2"), chunk("\x82"), chunk("\xac\"}}]}\n\n"), finish, usage, done, end), tokens: 2},
	{name: "zero bytes between events", serve: answering(head, role, token, chunk("\x00\x00\x00\n"), end), want: wire.KindMalformed, also: wire.KindTruncated},
	{name: "line ends of all kinds", serve: answering(head, strings.ReplaceAll(role, "\n\n", "\r\r"), token, finish, usage, done, end), tokens: 2},
	{name: "no space behind the colon", serve: answering(head, role, chunk("data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\" a\"}}]}\n\n"), finish, usage, done, end), tokens: 2},
	{name: "data over several lines", serve: answering(head, role, chunk("data: {\"choices\":[{\"index\":0,\ndata: \"delta\":{\"content\":\" a\"}}]}\n\n"), finish, usage, done, end), tokens: 2},
	{name: "escapes of a terminal in the words", serve: answering(asJSON("500 Internal Server Error", `{"error":"\u001b[2J\u001b]0;owned\u0007 \r\n[1/6] faked line"}`)), want: wire.KindHTTP},
	{name: "retry after a date that is long ago", serve: answering(asJSON("429 Too Many Requests", `{"error":"slow down"}`, "Retry-After: Thu, 01 Jan 1970 00:00:00 GMT")), want: wire.KindRateLimited},
	{name: "retry after for ever", serve: answering(asJSON("429 Too Many Requests", `{}`, "Retry-After: 99999999999999999999")), want: wire.KindRateLimited},
	{name: "a status that there is not", serve: answering(asJSON("799 Strange", `{}`)), want: wire.KindHTTP},
	{name: "the body is too large for it", serve: answering(asJSON("413 Payload Too Large", `{"error":"too long"}`)), want: wire.KindBadRequest},
}
