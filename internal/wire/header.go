package wire

import (
	"fmt"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// Header is a line that the user adds to each request. A secret value came from
// the environment or a file; no way of printing or encoding it shows it.
type Header struct {
	Name   string
	Value  string // as typed; empty for a secret one
	Secret Key
}

// Bounds of what a user adds: servers refuse longer heads.
const (
	maxHeaders     = 64
	maxHeaderValue = 8 << 10 // bytes
)

// NewHeader is a header with a value that was typed. Values that look like a
// credential are refused: a command line shows in process lists and histories.
func NewHeader(name, value string) (Header, error) {
	h := Header{Name: textproto.CanonicalMIMEHeaderKey(name), Value: value}
	if holdsCredential(name, value) {
		return Header{}, fmt.Errorf("header %s: a credential is not taken from the command line, where process lists show it: give --header %s=env:VARIABLE or --header %s=file:PATH", h.Name, h.Name, h.Name)
	}
	return h, h.check()
}

// NewSecretHeader is a header whose value is shown nowhere.
func NewSecretHeader(name, value string) (Header, error) {
	h := Header{Name: textproto.CanonicalMIMEHeaderKey(name), Secret: NewKey(value)}
	return h, h.check()
}

func (h Header) value() string {
	if h.Secret.IsZero() {
		return h.Value
	}
	return h.Secret.secret
}

// reserved are the headers that are not the user's to set, and why.
var reserved = map[string]string{
	"Content-Length":      "it frames the request, which Assay does",
	"Transfer-Encoding":   "it frames the request, which Assay does",
	"Content-Encoding":    "request bodies are sent as they are",
	"Trailer":             "it frames the request, which Assay does",
	"Te":                  "it is of one connection, which Assay holds",
	"Connection":          "it is of one connection, which Assay holds",
	"Keep-Alive":          "it is of one connection, which Assay holds",
	"Proxy-Connection":    "it is of one connection, which Assay holds",
	"Upgrade":             "it is of one connection, which Assay holds",
	"Http2-Settings":      "it is of one connection, which Assay holds",
	"Expect":              "a request is sent in one piece",
	"Proxy-Authorization": "the credentials of a proxy belong to its URL in HTTPS_PROXY or HTTP_PROXY",
	"Content-Type":        "the API (--api) says it",
	"Accept":              "the API (--api) says it",
	"Accept-Encoding":     "compression would hide when tokens arrive",
	"X-Request-Id":        "Assay numbers its requests with it",
}

func (h Header) check() error {
	why, taken := reserved[h.Name]
	switch {
	case !httpguts.ValidHeaderFieldName(h.Name):
		return fmt.Errorf("header name %q: it is not one; give NAME=VALUE", oneLine(h.Name, maxName))
	case taken:
		return fmt.Errorf("header %s cannot be set: %s", h.Name, why)
	case len(h.value()) > maxHeaderValue:
		return fmt.Errorf("header %s has %d bytes, and no more than %d are taken", h.Name, len(h.value()), maxHeaderValue)
	case !httpguts.ValidHeaderFieldValue(h.value()):
		return fmt.Errorf("header %s: its value holds a control character or line end", h.Name)
	}
	return nil
}

// holdsCredential judges by the name, and by what values of credentials begin with.
func holdsCredential(name, value string) bool {
	name = strings.ToLower(name)
	for _, part := range []string{"authorization", "cookie", "token", "secret", "password", "credential", "signature", "api-key", "apikey"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	value = strings.ToLower(strings.TrimSpace(value))
	for _, begin := range []string{"bearer ", "basic ", "digest ", "token ", "sk-", "hf_", "gsk_", "nvapi-", "eyj"} {
		if strings.HasPrefix(value, begin) {
			return true
		}
	}
	return strings.HasSuffix(name, "-key") || name == "key" || slices.Contains(strings.Split(name, "-"), "auth")
}

// checkHeaders names what is wrong with the list as a whole.
func checkHeaders(headers []Header) error {
	if len(headers) > maxHeaders {
		return fmt.Errorf("%d headers, and no more than %d are taken", len(headers), maxHeaders)
	}
	for i, h := range headers {
		if err := h.check(); err != nil {
			return err
		}
		if slices.ContainsFunc(headers[:i], func(o Header) bool { return o.Name == h.Name }) {
			return fmt.Errorf("header %s is given twice", h.Name)
		}
	}
	return nil
}

// HasAuthorization reports a header of the user's that says who asks.
func (e Endpoint) HasAuthorization() bool {
	return slices.ContainsFunc(e.Headers, func(h Header) bool { return h.Name == "Authorization" })
}

// header is what each request says beside its path, host, number and length.
// The user's lines replace Assay's own.
func (e Endpoint) header(p *protocol) http.Header {
	h := http.Header{
		"User-Agent": {"assay"}, "Content-Type": {"application/json"}, "Accept": {p.accept}, "Accept-Encoding": {"identity"},
	}
	for name, value := range p.headers {
		h.Set(name, value)
	}
	switch {
	case e.Key.IsZero():
	case takesAPIKey(e.API, e.URL):
		h.Set("X-Api-Key", e.Key.secret)
	default:
		h.Set("Authorization", "Bearer "+e.Key.secret)
	}
	for _, own := range e.Headers {
		if own.Name != hostHeader {
			h[own.Name] = []string{own.value()}
		}
	}
	return h
}

const hostHeader = "Host"

// host is what the Host header says: the URL's own, or the user's, for an
// ingress that is reached by another address.
func (e Endpoint) host(ofURL string) string {
	for _, own := range e.Headers {
		if own.Name == hostHeader {
			return own.value()
		}
	}
	return ofURL
}

// secrets are all that no output may show.
func (e Endpoint) secrets() []string {
	var all []string
	if !e.Key.IsZero() {
		all = append(all, e.Key.secret)
	}
	for _, h := range e.Headers {
		if !h.Secret.IsZero() {
			all = append(all, h.Secret.secret)
			all = append(all, partsOf(h)...)
		}
	}
	return all
}

// partsOf are what a server may echo of a secret header by itself: the
// credential without its scheme, each value of a cookie without its name.
func partsOf(h Header) (parts []string) {
	keep := func(s string) {
		if len(s) >= shortKey {
			parts = append(parts, s)
		}
	}
	if h.Name == "Cookie" {
		for pair := range strings.SplitSeq(h.Secret.secret, ";") {
			_, value, _ := strings.Cut(pair, "=")
			keep(strings.TrimSpace(value))
		}
		return parts
	}
	_, bare, _ := strings.Cut(h.Secret.secret, " ")
	keep(bare)
	return parts
}

// SentHeaders are headers as they are sent, secret values among them: for
// requests to others than an endpoint that is measured.
func SentHeaders(headers []Header) http.Header {
	out := http.Header{}
	for _, h := range headers {
		out.Set(h.Name, h.value())
	}
	return out
}
