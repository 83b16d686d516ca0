package wire

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// forwarder is a forward proxy: it passes bytes after CONNECT and sends other
// requests on.
type forwarder struct {
	user      string // user:password that it wants; empty: none
	refuse    bool   // to connect
	tunnels   atomic.Int32
	forwarded atomic.Int32
}

func (f *forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte(f.user))
	if f.user != "" && r.Header.Get("Proxy-Authorization") != want {
		w.WriteHeader(http.StatusProxyAuthRequired)
		return
	}
	if r.Method == http.MethodConnect {
		if f.refuse {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		f.tunnels.Add(1)
		f.pass(w, r.Host)
		return
	}
	f.forwarded.Add(1)
	if !r.URL.IsAbs() || r.Header.Get("Proxy-Authorization") == "" && f.user != "" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.Header.Del("Proxy-Authorization")
	r.RequestURI = ""
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	w.WriteHeader(resp.StatusCode)
	io.Copy(w, resp.Body)
}

func (f *forwarder) pass(w http.ResponseWriter, address string) {
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

func (f *forwarder) start(t *testing.T) string {
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	return s.URL
}

func startStreamer(t *testing.T, start func(*httptest.Server)) *httptest.Server {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			w.WriteHeader(http.StatusTeapot) // it must not come so far
			return
		}
		if r.Method == http.MethodGet {
			io.WriteString(w, `{"data":[{"id":"m"}]}`)
			return
		}
		io.WriteString(w, role+content("a")+last+done)
	}))
	start(s)
	t.Cleanup(s.Close)
	return s
}

func through(t *testing.T, proxy string) func(*Endpoint, *Options) {
	t.Helper()
	p, err := OneProxy(proxy)
	if err != nil {
		t.Fatal(err)
	}
	return func(e *Endpoint, _ *Options) { e.Proxies, e.InsecureTLS = p, true }
}

func withUser(proxy, user string) string { return strings.Replace(proxy, "://", "://"+user+"@", 1) }

func TestThroughAProxy(t *testing.T) {
	plainTarget := startStreamer(t, (*httptest.Server).Start)
	secureTarget := startStreamer(t, (*httptest.Server).StartTLS)
	for _, tt := range []struct {
		name, target       string
		tunnels, forwarded int32
	}{
		{"http is forwarded", plainTarget.URL, 0, 3},
		{"https is tunnelled", secureTarget.URL, 2, 0}, // one for the measured requests, one for the questions
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &forwarder{user: "u:pass word"}
			proxy := f.start(t)
			c := client(t, tt.target, through(t, withUser(proxy, "u:pass%20word")))
			failed(t, ask(c), "", "")
			if o := ask(c); o.Err != nil || o.Connect != 0 {
				t.Errorf("the connection through the proxy is not kept: %v, %s", o.Err, o.Connect)
			}
			if _, err := c.Models(t.Context()); err != nil {
				t.Error(err)
			}
			if got := f.tunnels.Load(); got != tt.tunnels {
				t.Errorf("%d tunnels, want %d", got, tt.tunnels)
			}
			if got := f.forwarded.Load(); got != tt.forwarded {
				t.Errorf("%d requests forwarded, want %d", got, tt.forwarded)
			}
			if via := "http://" + c.Via(); via != proxy {
				t.Errorf("via %s, want %s", via, proxy)
			}
		})
	}
}

func TestThroughASecureProxy(t *testing.T) {
	f := &forwarder{}
	s := httptest.NewUnstartedServer(f)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	authority := newIdentity(t, "unused", nil) // a file of authorities that does not hold the proxy's
	target := startStreamer(t, (*httptest.Server).StartTLS)
	c := client(t, target.URL, through(t, s.URL), func(e *Endpoint, _ *Options) { e.CAFile = authority.certFile })
	failed(t, ask(c), KindProxy, "certificate")
	// That any certificate of the endpoint is taken says nothing of the proxy's.
	var refused *TargetError
	if _, err := c.Models(t.Context()); !errors.As(err, &refused) || refused.Cause.Kind != KindProxy || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a question through a proxy that is not trusted: %v", err)
	}
	file := writePEM(t, "CERTIFICATE", s.Certificate().Raw)
	for _, change := range []func(*Endpoint, *Options){
		func(e *Endpoint, _ *Options) { e.CAFile = file },
		func(e *Endpoint, _ *Options) { e.CAFile, e.InsecureTLS, e.ServerName = file, false, "example.com" },
		func(e *Endpoint, _ *Options) {
			e.CAFile, e.URL, e.InsecureTLS = file, startStreamer(t, (*httptest.Server).Start).URL, false
		},
	} {
		c = client(t, target.URL, through(t, s.URL), change)
		failed(t, ask(c), "", "")
		if _, err := c.Models(t.Context()); err != nil {
			t.Errorf("a question: %v", err)
		}
	}
}

func TestProxiesThatFail(t *testing.T) {
	target := startStreamer(t, (*httptest.Server).Start)
	secure := startStreamer(t, (*httptest.Server).StartTLS)
	locked, refusing := (&forwarder{user: "u:secret-of-the-proxy"}).start(t), (&forwarder{refuse: true}).start(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln.Close()
	mute := listen(t, func(c net.Conn, _ int) { io.Copy(io.Discard, c) })
	early := listen(t, once("HTTP/1.1 200 OK\r\n\r\nSSH-2.0"))
	garbage := listen(t, once("SSH-2.0 here\r\n\r\n"))
	for _, tt := range []struct{ name, target, proxy, detail string }{
		{"credentials missing, forwarded", target.URL, locked, "HTTP 407"},
		{"credentials missing, tunnelled", secure.URL, locked, "HTTP 407"},
		{"wrong credentials", secure.URL, withUser(locked, "u:a-wrong-password"), "HTTP 407"},
		{"no tunnel allowed", secure.URL, refusing, "refuses to connect to 127.0.0.1"},
		{"nobody there, forwarded", target.URL, "http://" + ln.Addr().String(), "cannot be reached"},
		{"nobody there, tunnelled", secure.URL, "http://" + ln.Addr().String(), "cannot be reached"},
		{"no answer", secure.URL, mute.url, "took too long"},
		{"no HTTP", secure.URL, garbage.url, "no answer to CONNECT"},
		{"bytes too early", secure.URL, early.url, "before the endpoint"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := client(t, tt.target, through(t, tt.proxy), func(_ *Endpoint, o *Options) {
				if tt.proxy == mute.url {
					o.ConnectTimeout = 100 * time.Millisecond
				}
			})
			o := ask(c)
			failed(t, o, KindProxy, tt.detail)
			if strings.Contains(o.Err.Detail, "password") {
				t.Errorf("shows a secret: %s", o.Err.Detail)
			}
			if tt.proxy == mute.url || tt.proxy == early.url || tt.proxy == garbage.url {
				return // net/http has its own words for those
			}
			_, err := c.Models(t.Context())
			if err == nil || !strings.Contains(err.Error(), tt.detail) {
				t.Errorf("a question: got error %v, want one with %q", err, tt.detail)
			}
		})
	}
}

func TestProxiesOfTheEnvironment(t *testing.T) {
	env := map[string]string{
		"HTTP_PROXY": "http://plain:3128", "https_proxy": "user:pw@secure:3129", "NO_PROXY": ".internal,10.0.0.0/8",
	}
	p := ProxiesOf(func(name string) string { return env[name] })
	for target, want := range map[string]string{
		"http://example.com": "plain:3128", "https://example.com": "secure:3129", "https://llm.internal": "",
		"http://10.1.2.3:8000": "", "http://localhost:8000": "", "http://127.0.0.1": "", "http://[::1]:80": "",
	} {
		u, err := url.Parse(target)
		if err != nil {
			t.Fatal(err)
		}
		got, err := p.For(u)
		host := ""
		if got != nil {
			host = got.Host
		}
		if err != nil || host != want {
			t.Errorf("%s: got %q, %v; want %q", target, host, err, want)
		}
	}
	for _, bad := range []string{"http://user:hush-hush@[::1", "socks5://user:hush-hush@proxy:1", "ftp://proxy"} {
		p := ProxiesOf(func(name string) string { return map[string]string{"HTTP_PROXY": bad}[name] })
		_, err := New(Endpoint{URL: "http://example.com", Proxies: p}, Options{})
		if err == nil || strings.Contains(err.Error(), "hush") || !strings.Contains(err.Error(), "HTTP_PROXY") {
			t.Errorf("%s: got error %v", bad, err)
		}
	}
}

func TestNoPrintingShowsAProxysPassword(t *testing.T) {
	p, err := OneProxy("http://user:hush-hush@proxy:3128")
	if err != nil {
		t.Fatal(err)
	}
	c, err := New(Endpoint{URL: "http://host", Proxies: p}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v"} {
		if got := fmt.Sprintf(verb, Endpoint{Proxies: p}); strings.Contains(got, "hush") {
			t.Errorf("%s shows it: %s", verb, got)
		}
	}
	if got := c.shown("no user:hush-hush or dXNlcjpodXNoLWh1c2g= here", maxDetail); strings.Contains(got, "hush") || strings.Contains(got, "dXNl") {
		t.Errorf("foreign words show it: %s", got)
	}
	if c.Via() != "proxy:3128" {
		t.Errorf("via %s", c.Via())
	}
}
