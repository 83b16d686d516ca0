package hostile

import (
	"net"
	"strings"

	"assay/internal/wire"
)

// What breaks off.
var cut = []behaviour{
	{name: "closes at once", serve: func(*peer) {}, want: wire.KindReset},
	{name: "closes behind the request", serve: answering(), want: wire.KindReset},
	{name: "resets at once", serve: (*peer).reset, want: wire.KindReset, also: wire.KindConnect},
	{name: "resets behind the request", serve: then((*peer).reset), want: wire.KindReset},
	{name: "resets behind the headers", serve: then((*peer).reset, head), want: wire.KindReset, also: wire.KindTruncated},
	{name: "resets behind a token", serve: then((*peer).reset, head, role, token), want: wire.KindReset, also: wire.KindTruncated},
	{name: "closes within the status line", serve: answering("HTTP/1.1 2"), want: wire.KindReset, also: wire.KindTruncated},
	{name: "closes within the headers", serve: answering("HTTP/1.1 200 OK\r\nContent-Type: text/ev"), want: wire.KindReset, also: wire.KindTruncated},
	{name: "closes behind the headers", serve: answering(head), want: wire.KindTruncated},
	{name: "closes behind the role", serve: answering(head, role), want: wire.KindTruncated},
	{name: "closes behind a token", serve: answering(head, role, token), want: wire.KindTruncated},
	{name: "closes within an event", serve: answering(head, role, "ff\r\ndata: {\"choices\":[{\"ind"), want: wire.KindTruncated},
	{name: "ends the body behind a token", serve: answering(head, role, token, end), want: wire.KindTruncated},
	{name: "ends the body with nothing in it", serve: answering(head, end), want: wire.KindTruncated},
	{name: "closes behind the finish, without the mark", serve: answering(head, role, token, finish, usage), tokens: 2},
	{name: "half-closes behind the request", serve: then(func(p *peer) {
		_ = p.Conn.(*net.TCPConn).CloseWrite()
		p.hang()
	}), want: wire.KindReset},
	{name: "half-closes behind a token", serve: then(func(p *peer) {
		_ = p.Conn.(*net.TCPConn).CloseWrite()
		p.hang()
	}, head, role, token), want: wire.KindTruncated},
	{name: "closes a body of stated length early", serve: answering(strings.Replace(open, "Connection: close", "Content-Length: 9000", 1),
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n"), want: wire.KindTruncated},
	{name: "cuts a character in its middle", serve: answering(open,
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\xe2\x82"), want: wire.KindTruncated},
	{name: "a body until the close, whole", serve: answering(open,
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n"), tokens: 2},
}
