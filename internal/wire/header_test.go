package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustHeader(t *testing.T, name, value string) Header {
	t.Helper()
	h, err := NewHeader(name, value)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func mustSecret(t *testing.T, name, value string) Header {
	t.Helper()
	h, err := NewSecretHeader(name, value)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHeadersAsSent(t *testing.T) {
	got := make(chan http.Header, 2)
	hosts := make(chan string, 2)
	h := listen(t, func(c net.Conn, _ int) {
		for r := bufio.NewReader(c); ; {
			req, _, err := heard(r)
			if err != nil {
				return
			}
			hosts <- req.Host
			got <- req.Header
			if req.Method == http.MethodGet {
				io.WriteString(c, plain("200 OK", "application/json", `{"data":[]}`))
				return
			}
			io.WriteString(c, aStream)
		}
	})
	c := client(t, h.url, withKey("the-key"), func(e *Endpoint, _ *Options) {
		e.Headers = []Header{
			mustHeader(t, "x-route", "canary"), mustHeader(t, "User-Agent", "mine"), mustHeader(t, "Host", "llm.example.com"),
			mustSecret(t, "authorization", "Basic dXNlcjpwYXNz"), mustSecret(t, "x-api-key", "second-secret"),
		}
	})
	failed(t, ask(c), "", "")
	if _, err := c.Models(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"measured", "unmeasured"} {
		header := <-got
		want := map[string]string{
			"X-Route": "canary", "User-Agent": "mine", "Authorization": "Basic dXNlcjpwYXNz", "X-Api-Key": "second-secret",
		}
		for name, value := range want {
			if diff := cmp.Diff([]string{value}, header[name]); diff != "" {
				t.Errorf("%s request, %s: %s", kind, name, diff)
			}
		}
		if host := <-hosts; host != "llm.example.com" {
			t.Errorf("%s request: host %s", kind, host)
		}
	}
}

func TestHeadersThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, value, why string }{
		{"Authorization", "Bearer x", "--header Authorization=env:VARIABLE"},
		{"x-api-key", "x", "env:VARIABLE"},
		{"api-key", "x", "env:VARIABLE"},
		{"Cookie", "a=b", "env:VARIABLE"},
		{"X-Auth-Token", "x", "env:VARIABLE"},
		{"X-Client-Secret", "x", "env:VARIABLE"},
		{"Ocp-Apim-Subscription-Key", "x", "env:VARIABLE"},
		{"X-Custom", "Bearer abc", "env:VARIABLE"},
		{"X-Auth", "x", "env:VARIABLE"},
		{"X-Custom", "eyJhbGciOiJIUzI1NiJ9.e30.x", "env:VARIABLE"},
		{"Content-Length", "3", "frames the request"},
		{"transfer-encoding", "chunked", "frames the request"},
		{"connection", "close", "one connection"},
		{"accept-encoding", "gzip", "hide when tokens arrive"},
		{"X-Request-Id", "1", "numbers its requests"},
		{"X-A", "a\r\nX-B: b", "line end"},
		{"X-A", "a\x00", "control character"},
		{"X A", "a", "not one"},
		{"X-A\r\nX-B", "a", "not one"},
		{"", "a", "not one"},
		{"X-A", strings.Repeat("a", maxHeaderValue+1), "no more than"},
	} {
		_, err := NewHeader(tt.name, tt.value)
		if err == nil || !strings.Contains(err.Error(), tt.why) {
			t.Errorf("%q: %q: got error %v, want one about %q", tt.name, tt.value, err, tt.why)
		}
	}
	if _, err := NewSecretHeader("Authorization", "a\r\nHost: b"); err == nil || strings.Contains(err.Error(), "Host: b") {
		t.Errorf("a secret with a line end: got error %v", err)
	}
	twice := []Header{mustHeader(t, "X-A", "1"), mustHeader(t, "x-a", "2")}
	if _, err := New(Endpoint{URL: "http://host", Headers: twice}, Options{}); err == nil {
		t.Error("a header given twice is taken")
	}
}

func TestNoPrintingShowsASecretHeader(t *testing.T) {
	e := Endpoint{URL: "http://host", Headers: []Header{mustSecret(t, "Authorization", "Bearer hush-hush")}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if got := fmt.Sprintf(verb, e); strings.Contains(got, "hush") || strings.Contains(got, fmt.Sprintf("%x", "hush")) {
			t.Errorf("%s shows it: %s", verb, got)
		}
	}
	if b, err := json.Marshal(e); err != nil || strings.Contains(string(b), "hush") {
		t.Errorf("JSON: %s, %v", b, err)
	}
}

// A server may echo what it refuses: each secret, a credential without its
// scheme, and the value of a cookie without its name.
func TestSecretHeadersThatAServerEchoes(t *testing.T) {
	h := listen(t, replying(plain("401 Unauthorized", "application/json",
		`{"error":{"message":"bad hush-hush-token, cookies very-private-value and another-value, key main-secret-key"}}`)))
	c := client(t, h.url, withKey("main-secret-key"), func(e *Endpoint, _ *Options) {
		e.Headers = []Header{mustSecret(t, "Authorization", "Bearer hush-hush-token"), mustSecret(t, "Cookie", "s=very-private-value; t=another-value")}
	})
	o := ask(c)
	failed(t, o, KindUnauthorized, "bad [key], cookies [key] and [key], key [key]")
}
