package hostile

import "assay/internal/wire"

// proxies are the behaviours of forward proxies, on the way to targets that there
// are not: over TLS they are asked for a tunnel, else for the answer itself.
var proxies = append(via("https://target.invalid:8443", []behaviour{
	{name: "a tunnel: no answer", serve: (*peer).hang, want: wire.KindProxy},
	{name: "a tunnel: closed at once", serve: func(*peer) {}, want: wire.KindProxy},
	{name: "a tunnel: closed behind the question", serve: answering(), want: wire.KindProxy},
	{name: "a tunnel: reset", serve: then((*peer).reset), want: wire.KindProxy},
	{name: "a tunnel: half of an answer", serve: answering("HTTP/1.1 200 Conn"), want: wire.KindProxy},
	{name: "a tunnel: no HTTP", serve: answering("SSH-2.0-OpenSSH_9.6\r\n\r\n"), want: wire.KindProxy},
	{name: "a tunnel: headers without end", serve: then(func(p *peer) { p.forever("X-More: " + kilobyte + "\r\n") }, "HTTP/1.1 200 OK\r\n"), want: wire.KindProxy},
	{name: "a tunnel: other credentials wanted", serve: answering("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"), want: wire.KindProxy, says: "407"},
	{name: "a tunnel: refused, with the credentials in the status", serve: answering("HTTP/1.1 403 " + secret + "\r\nContent-Length: 0\r\n\r\n"), want: wire.KindProxy, says: "403"},
	{name: "a tunnel: not found", serve: answering("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n"), want: wire.KindProxy, says: "502"},
	{name: "a tunnel: 200 with bytes of its own", serve: answering("HTTP/1.1 200 OK\r\n\r\n<html>Sign in</html>"), want: wire.KindProxy, also: wire.KindTLS},
	{name: "a tunnel that closes", serve: answering("HTTP/1.1 200 OK\r\n\r\n"), want: wire.KindTLS},
	{name: "a tunnel to nobody", serve: then((*peer).hang, "HTTP/1.1 200 OK\r\n\r\n"), want: wire.KindTLS},
}), via("http://target.invalid:8000", []behaviour{
	{name: "forwards a good stream", serve: answering(whole), tokens: 2},
	{name: "forwards: other credentials wanted", serve: answering(plain("407 Proxy Authentication Required", "text/html", "<html>"+secret+"</html>")), want: wire.KindProxy, says: "407"},
	{name: "forwards: a page of its own", serve: answering(plain("200 OK", "text/html", "<html>Sign in</html>")), want: wire.KindNotAStream},
	{name: "forwards: a gateway's failure", serve: answering(plain("504 Gateway Timeout", "text/html", "<html></html>")), want: wire.KindHTTP},
	{name: "forwards: gathers the stream and cuts it", serve: answering(plain("200 OK", "text/event-stream", bare[:behindToken])), want: wire.KindTruncated},
	{name: "forwards: says nothing", serve: then((*peer).hang), want: wire.KindStall},
	{name: "forwards: a redirect to its login with the credentials", serve: answering("HTTP/1.1 302 Found\r\nLocation: http://login.invalid/?user=" + secret + "\r\nContent-Length: 0\r\n\r\n"), want: wire.KindHTTP},
})...)

func via(target string, list []behaviour) []behaviour {
	for i := range list {
		list[i].proxied = target
	}
	return list
}
