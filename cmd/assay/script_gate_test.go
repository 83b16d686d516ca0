package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"time"

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

// serveGate starts a gate: gate, secure-gate over TLS, or mutual-gate, which
// speaks HTTP/2 and wants a certificate. It puts the file of its authority into
// VARIABLE_CA; the mutual one also knows its own certificate as a client's, in
// VARIABLE_CERT and VARIABLE_KEY.
func serveGate(ts *testscript.TestScript, kind, variable string) {
	s, err := httpd.Start(engine.Demo(), httpd.Options{})
	ts.Check(err)
	ts.Defer(func() { s.Terminate(0) })
	target, err := url.Parse(s.URL())
	ts.Check(err)
	behind := httputil.NewSingleHostReverseProxy(target)
	behind.FlushInterval = -1
	h := httptest.NewUnstartedServer(&gate{behind: behind})
	if kind != "gate" {
		h.TLS = &tls.Config{}
		if kind == "mutual-gate" {
			wantCertificate(ts, h, variable)
		}
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

// wantCertificate lets in only who shows a certificate that is made here.
func wantCertificate(ts *testscript.TestScript, h *httptest.Server, variable string) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	ts.Check(err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	ts.Check(err)
	private, err := x509.MarshalPKCS8PrivateKey(key)
	ts.Check(err)
	for name, block := range map[string]*pem.Block{"CERT": {Type: "CERTIFICATE", Bytes: der}, "KEY": {Type: "PRIVATE KEY", Bytes: private}} {
		file := ts.MkAbs(strings.ToLower(variable + "-" + name + ".pem"))
		ts.Check(os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
		ts.Setenv(variable+"_"+name, file)
	}
	own, err := x509.ParseCertificate(der)
	ts.Check(err)
	h.TLS.ClientCAs = x509.NewCertPool()
	h.TLS.ClientCAs.AddCert(own)
	h.TLS.ClientAuth = tls.RequireAndVerifyClientCert
	h.EnableHTTP2 = true
	h.Config.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: 2}
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
}
