package wire

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// Proxies says through which forward proxy a URL is reached. The zero value is
// through none. Credentials in a proxy's URL are shown nowhere.
type Proxies struct {
	of func(*url.URL) (*url.URL, error)
}

// OneProxy reaches everything through one proxy, this machine's own addresses
// too. The URL may hold a user and a password.
func OneProxy(raw string) (Proxies, error) {
	u, err := parseProxy(raw)
	if err != nil {
		return Proxies{}, err
	}
	return Proxies{of: func(*url.URL) (*url.URL, error) { return u, nil }}, nil
}

// ProxiesOf follows HTTP_PROXY, HTTPS_PROXY and NO_PROXY, in capitals or not, as
// curl and Go programs do. Addresses of this machine are reached directly.
func ProxiesOf(getenv func(string) string) Proxies {
	either := func(name string) string { return cmp.Or(getenv(name), getenv(strings.ToLower(name))) }
	config := httpproxy.Config{HTTPProxy: either("HTTP_PROXY"), HTTPSProxy: either("HTTPS_PROXY"), NoProxy: either("NO_PROXY")}
	if config.HTTPProxy == "" && config.HTTPSProxy == "" {
		return Proxies{}
	}
	proxies := map[string]string{"http": config.HTTPProxy, "https": config.HTTPSProxy}
	// Which URLs go through one does not depend on where it is, and httpproxy
	// takes one that it cannot read for none.
	for _, p := range []*string{&config.HTTPProxy, &config.HTTPSProxy} {
		if *p != "" {
			*p = "http://stand-in"
		}
	}
	find := config.ProxyFunc()
	return Proxies{of: func(target *url.URL) (*url.URL, error) {
		if u, err := find(target); u == nil || err != nil {
			return nil, err
		}
		u, err := parseProxy(proxies[target.Scheme])
		if err != nil {
			return nil, fmt.Errorf("%s_PROXY: %w", strings.ToUpper(target.Scheme), err)
		}
		return u, nil
	}}
}

// parseProxy reads the URL of a proxy. Its errors quote nothing of the user info.
func parseProxy(raw string) (*url.URL, error) {
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Hostname() == "":
		return nil, errors.New("the proxy is not a URL; give one such as http://proxy:3128")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("proxy scheme %q: it is http or https", u.Scheme)
	}
	u.Path, u.RawPath, u.RawQuery, u.Fragment = "", "", "", ""
	return u, nil
}

// For is the proxy of a URL, nil for none.
func (p Proxies) For(u *url.URL) (*url.URL, error) {
	if p.of == nil {
		return nil, nil
	}
	return p.of(u)
}

// proxyTLS is how a proxy is spoken to, nil for in cleartext or no proxy. It is
// trusted by the endpoint's authorities, and by nothing else of the endpoint's.
func (e Endpoint) proxyTLS(proxy *url.URL) (*tls.Config, error) {
	if proxy == nil || proxy.Scheme != "https" {
		return nil, nil
	}
	return Endpoint{CAFile: e.CAFile}.tlsConfig(proxy.Hostname(), http1)
}

// proxySecrets are what no output may show of a proxy.
func proxySecrets(proxy *url.URL) []string {
	if proxy == nil || proxy.User == nil {
		return nil
	}
	secrets := []string{basic(proxy.User)}
	if password, ok := proxy.User.Password(); ok {
		return append(secrets, password)
	}
	return append(secrets, proxy.User.Username()) // a token without a password
}

func basic(u *url.Userinfo) string {
	password, _ := u.Password()
	return base64.StdEncoding.EncodeToString([]byte(u.Username() + ":" + password))
}

// Via is the host of the proxy on the way to the endpoint, empty without one.
func (c *Client) Via() string {
	if c.proxy == nil {
		return ""
	}
	return c.proxy.Host
}

// dial opens a connection on which the endpoint, or the proxy that forwards to
// it, reads requests in cleartext.
func (c *Client) dial(ctx context.Context) (net.Conn, *Error) {
	if c.proxy == nil {
		nc, err := c.dialer.DialContext(ctx, "tcp", c.address)
		if err != nil {
			return nil, dialError(err, c.address)
		}
		return nc, nil
	}
	nc, err := c.dialer.DialContext(ctx, "tcp", address(c.proxy))
	if err != nil {
		return nil, proxyError(ctx, "cannot be reached: "+dialError(err, c.proxy.Host).Detail, c.proxy)
	}
	if c.proxyTLS != nil {
		secure := tls.Client(nc, c.proxyTLS)
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, proxyError(ctx, tlsError(err).Detail, c.proxy)
		}
		nc = secure
	}
	if c.forwarded() {
		return nc, nil
	}
	if err := c.tunnel(ctx, nc); err != nil {
		nc.Close()
		return nil, err
	}
	return nc, nil
}

// forwarded reports a proxy that reads each request and sends it on, as it does
// for http; for https it only passes bytes.
func (c *Client) forwarded() bool { return c.proxy != nil && c.base.Scheme == "http" }

// tunnel asks the proxy to pass bytes to and from the endpoint.
func (c *Client) tunnel(ctx context.Context, nc net.Conn) *Error {
	if deadline, ok := ctx.Deadline(); ok {
		nc.SetDeadline(deadline)
	}
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(past) })
	defer stop()
	ask := "CONNECT " + c.address + " HTTP/1.1\r\nHost: " + c.address + "\r\nUser-Agent: assay\r\n"
	if c.proxy.User != nil {
		ask += "Proxy-Authorization: Basic " + basic(c.proxy.User) + "\r\n"
	}
	if _, err := io.WriteString(nc, ask+"\r\n"); err != nil {
		return proxyError(ctx, "broke off: "+err.Error(), c.proxy)
	}
	br := bufio.NewReader(io.LimitReader(nc, maxHead))
	resp, err := http.ReadResponse(br, &http.Request{Method: http.MethodConnect})
	switch {
	case err != nil:
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return cancelledOrLate(ctx, c.proxy)
		}
		return proxyError(ctx, "gave no answer to CONNECT: "+oneLine(err.Error(), maxName), c.proxy)
	case resp.StatusCode != http.StatusOK:
		return refusedTunnel(ctx, resp, c.address, c.proxy)
	case br.Buffered() > 0:
		return proxyError(ctx, "sent bytes before the endpoint could", c.proxy)
	}
	if !stop() {
		return cancelledOrLate(ctx, c.proxy)
	}
	nc.SetDeadline(time.Time{})
	return nil
}

// refusedTunnel names an answer to CONNECT that is not 200.
func refusedTunnel(ctx context.Context, resp *http.Response, address string, proxy *url.URL) *Error {
	if resp.StatusCode == http.StatusProxyAuthRequired {
		return proxyError(ctx, wantsCredentials, proxy)
	}
	return proxyError(ctx, fmt.Sprintf("refuses to connect to %s: HTTP %s", address, oneLine(resp.Status, maxKind)), proxy)
}

const wantsCredentials = "wants other credentials, or any (HTTP 407): give them as http://USER:PASSWORD@HOST:PORT in HTTPS_PROXY or HTTP_PROXY, or by --proxy file:PATH"

func proxyError(ctx context.Context, detail string, proxy *url.URL) *Error {
	if ctx.Err() != nil {
		return cancelledOrLate(ctx, proxy)
	}
	return &Error{Kind: KindProxy, Detail: "the proxy " + proxy.Host + " " + detail}
}

func cancelledOrLate(ctx context.Context, proxy *url.URL) *Error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return cancelledError()
	}
	return &Error{Kind: KindProxy, Detail: "connecting through the proxy " + proxy.Host + " took too long"}
}
