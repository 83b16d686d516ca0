package hostile

import (
	"strings"

	"assay/internal/wire"
)

// What has no end, at the full speed of the connection.
var endless = []behaviour{
	{name: "headers without end", serve: then(func(p *peer) { p.forever("X-More: " + kilobyte + "\r\n") }, "HTTP/1.1 200 OK\r\n"), want: wire.KindMalformed, also: wire.KindReset},
	{name: "one header without end", serve: then(func(p *peer) { p.forever(kilobyte) }, "HTTP/1.1 200 OK\r\nX-More: "), want: wire.KindMalformed, also: wire.KindReset},
	{name: "a status line without end", serve: then(func(p *peer) { p.forever(kilobyte) }, "HTTP/1.1 200 "), want: wire.KindMalformed, also: wire.KindReset},
	{name: "informs without end", serve: then(func(p *peer) { p.forever("HTTP/1.1 103 Early Hints\r\n\r\n") }), want: wire.KindMalformed, also: wire.KindTimeout},
	{name: "a line without end", serve: then(func(p *peer) { p.forever(chunk(kilobyte)) }, head, chunk("data: ")), want: wire.KindMalformed},
	{name: "an event of lines without end", serve: then(func(p *peer) { p.forever(chunk("data: " + kilobyte + "\n")) }, head), want: wire.KindMalformed},
	{name: "a comment without end", serve: then(func(p *peer) { p.forever(chunk(kilobyte)) }, head, chunk(": ")), want: wire.KindMalformed},
	{name: "comments without end", serve: then(func(p *peer) { p.forever(chunk(": ping\n\n")) }, head), want: wire.KindTimeout},
	{name: "empty lines without end", serve: then(func(p *peer) { p.forever(chunk("\n\n\n\n")) }, head), want: wire.KindTimeout, also: wire.KindNotAStream},
	{name: "fields that nobody knows, without end", serve: then(func(p *peer) { p.forever(chunk("x-noise: 1\n")) }, head), want: wire.KindTimeout, also: wire.KindNotAStream},
	{name: "words without end", serve: then(func(p *peer) { p.forever(kilobyte) }, "HTTP/1.1 500 Internal Server Error\r\nContent-Type: text/plain\r\n\r\n"), want: wire.KindHTTP},
	{name: "a web page without end", serve: then(func(p *peer) { p.forever("<p>" + kilobyte) }, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>"), want: wire.KindNotAStream},
	{name: "JSON without end", serve: then(func(p *peer) { p.forever(`"a",`) }, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"a\":["), want: wire.KindNotAStream, also: wire.KindMalformed},
	{name: "the size of a chunk without end", serve: then(func(p *peer) { p.forever("0") }, head), want: wire.KindMalformed},
	{name: "trailers without end", serve: then(func(p *peer) { p.forever("X-Trailer: a\r\n") }, head, role, token, finish, usage, done, "0\r\n"), tokens: 2},
	{name: "bytes behind the mark without end", serve: then(func(p *peer) { p.forever(token) }, head, role, token, finish, usage, done), tokens: 2},
	{name: "a name of a megabyte", serve: answering(head, role, token, event(`{"choices":[{"index":0,"delta":{},"finish_reason":"`+strings.Repeat("x", 1<<20)+`"}]}`), usage, done, end), tokens: 2},
	{name: "words of a megabyte in an error", serve: answering(head, event(`{"error":{"message":"`+strings.Repeat("x", 1<<20)+`"}}`), end), want: wire.KindStreamError},
	{name: "a thousand choices in an event", serve: answering(head, role, event(`{"choices":[`+strings.Repeat(`{"index":0,"delta":{"content":"a"}},`, 999)+`{"index":0,"delta":{"content":"a"}}]}`), finish, usage, done, end), tokens: 2},
}

var kilobyte = strings.Repeat("k", 1024)
