package main

import (
	"bytes"
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
)

// gate stands before the simulated engine and lets nobody through without the
// headers that it wants. Each third answer that it streams is a refusal that
// quotes every header of the request, as careless servers do.
type gate struct {
	behind *httputil.ReverseProxy
	asked  atomic.Int32
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// An answer that begins before the body has been read to its end may end the
	// reverse proxy's connection to the server behind it.
	b, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(b))
	switch {
	case r.Header.Get("X-Route") != "canary" || r.Header.Get("Authorization") == "":
		w.WriteHeader(http.StatusForbidden)
	case r.URL.Path == "/v1/chat/completions" && g.asked.Add(1)%3 == 0:
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":%q}}`, fmt.Sprint(r.Header))
	default:
		g.behind.ServeHTTP(w, r)
	}
}

// serveGate starts a gate; over TLS it puts the file of its authority into
// VARIABLE_CA.
func serveGate(ts *testscript.TestScript, variable string, secure bool) {
	s, err := httpd.Start(engine.Demo(), httpd.Options{})
	ts.Check(err)
	ts.Defer(func() { s.Terminate(0) })
	target, err := url.Parse(s.URL())
	ts.Check(err)
	behind := httputil.NewSingleHostReverseProxy(target)
	behind.FlushInterval = -1
	h := httptest.NewUnstartedServer(&gate{behind: behind})
	if secure {
		h.TLS = &tls.Config{}
		h.StartTLS()
		ca := ts.MkAbs(strings.ToLower(variable) + "-ca.pem")
		ts.Check(os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: h.Certificate().Raw}), 0o600))
		ts.Setenv(variable+"_CA", ca)
	} else {
		h.Start()
	}
	ts.Defer(func() { h.CloseClientConnections(); h.Close() })
	ts.Setenv(variable, h.URL)
}
