package wire

import (
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// Endpoint is what is measured.
type Endpoint struct {
	URL         string // base, with or without /v1
	Model       string
	API         string // one of APIs
	Key         Key
	Headers     []Header
	Proxies     Proxies
	Signer      Signer         // nil: requests are not signed
	CAFile      string         // PEM; empty: the system's
	InsecureTLS bool           // do not verify the certificate
	CertFile    string         // PEM: the client's own certificate, with its chain
	KeyFile     string         // PEM: the key of that certificate
	ServerName  string         // that the certificate must hold; empty: the URL's host
	HTTPVersion string         // HTTP1 (also when empty) or HTTP2
	Extra       map[string]any // more fields for each request's body
}

// Options of a Client. Zero durations take the defaults.
type Options struct {
	Epoch          time.Time     // zero of all times; zero: the Client's making
	Timeout        time.Duration // of one request; default 5 min
	Stall          time.Duration // longest wait for a byte; default 2 min
	ConnectTimeout time.Duration // default 10 s
	KeepText       bool          // Outcome.Text
}

const (
	defaultTimeout = 5 * time.Minute
	defaultStall   = 2 * time.Minute
	defaultConnect = 10 * time.Second
)

func (o *Options) fill() {
	if o.Epoch.IsZero() {
		o.Epoch = time.Now()
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.Stall <= 0 {
		o.Stall = defaultStall
	}
	if o.ConnectTimeout <= 0 {
		o.ConnectTimeout = defaultConnect
	}
}

// parseBase reads a base URL. User info and a query are refused: they hold
// secrets, and the URL is recorded.
func parseBase(raw string) (*url.URL, error) {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil {
		// url.Error quotes the URL, which may hold a key.
		return nil, fmt.Errorf("the target is not a URL; give one such as http://localhost:8000")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("target scheme %q: it is http or https", u.Scheme)
	case u.Hostname() == "":
		return nil, fmt.Errorf("the target has no host; give one such as http://localhost:8000")
	case u.User != nil:
		return nil, fmt.Errorf("the target URL holds a user name or password: give the key by the environment or a file instead")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the target URL holds a query or fragment: give the base URL alone, and a key by the environment or a file")
	}
	u.Path = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1"), "/")
	u.RawPath = ""
	return u, nil
}

// ShownURL is a URL without user info, query and fragment, fit for a record.
// What is no URL is not shown at all.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "[not a URL]"
	}
	u.User, u.RawQuery, u.Fragment, u.ForceQuery = nil, "", "", false
	return u.String()
}

func address(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = "80"
		if u.Scheme == "https" {
			port = "443"
		}
	}
	return net.JoinHostPort(u.Hostname(), port)
}
