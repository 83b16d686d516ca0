package main

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// serveProxy starts a proxy that passes bytes for those who know its password,
// and puts its host and port into a variable.
func serveProxy(ts *testscript.TestScript, variable string) {
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := (&http.Request{Header: http.Header{"Authorization": r.Header["Proxy-Authorization"]}}).BasicAuth(); password != "proxy-password-1b2c" {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		passBytes(w, r.Host)
	}))
	ts.Defer(h.Close)
	ts.Setenv(variable, strings.TrimPrefix(h.URL, "http://"))
}

func passBytes(w http.ResponseWriter, address string) {
	out, err := net.Dial("tcp", address)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	in, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		out.Close()
		return
	}
	io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n")
	var both sync.WaitGroup
	both.Go(func() { io.Copy(out, in); out.Close() })
	both.Go(func() { io.Copy(in, out); in.Close() })
	both.Wait()
}
