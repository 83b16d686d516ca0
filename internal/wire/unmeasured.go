package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"
)

// newTransport is net/http's way to one target over the same proxies, with the
// same trust, for what is not measured.
func (c *Client) newTransport(target *url.URL) (*http.Transport, error) {
	proxy, err := c.endpoint.Proxies.For(target)
	if err != nil {
		return nil, err
	}
	t := &http.Transport{
		DialContext: c.dialer.DialContext, TLSHandshakeTimeout: c.options.ConnectTimeout,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		Proxy: http.ProxyURL(proxy),
		OnProxyConnectResponse: func(ctx context.Context, proxy *url.URL, asked *http.Request, resp *http.Response) error {
			if resp.StatusCode == http.StatusOK {
				return nil
			}
			return refusedTunnel(ctx, resp, asked.Host, proxy)
		},
	}
	if c.tls != nil {
		t.TLSClientConfig = c.tls.Clone()
	}
	if c.streams != nil {
		t.Protocols = &http.Protocols{}
		t.Protocols.SetHTTP2(true)
		t.Protocols.SetUnencryptedHTTP2(true)
	}
	return t, c.secureProxy(t, proxy)
}

// secureProxy shakes hands with a proxy that is spoken to in TLS. net/http would
// take the endpoint's configuration for it: its name, its trust, its certificate.
func (c *Client) secureProxy(t *http.Transport, proxy *url.URL) error {
	trust, err := c.endpoint.proxyTLS(proxy)
	if trust == nil || err != nil {
		return err
	}
	t.DialTLSContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := c.dialer.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		ctx, cancel := context.WithTimeout(ctx, c.options.ConnectTimeout)
		defer cancel()
		secure := tls.Client(nc, trust)
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, err
		}
		return secure, nil
	}
	return nil
}

// withoutRedirects is a client that follows none: a key must not follow one.
func withoutRedirects(t *http.Transport) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// Scraper is a client for the metrics at a URL, over the same proxies and with
// the same trust as the endpoint's requests. It shares no connection with them
// and sends neither key nor headers of theirs. Each request opens a connection of
// its own: over a kept one a Service of several replicas would answer from one of
// them, and nobody could tell.
func (c *Client) Scraper(target string) (*http.Client, error) {
	u, err := url.Parse(target)
	if err != nil {
		return nil, errors.New("the URL of the metrics is none") // url.Error quotes it
	}
	t, err := c.newTransport(u)
	if err != nil {
		return nil, err
	}
	t.DisableKeepAlives = true
	if u.Host != c.base.Host {
		t.Protocols = nil
	}
	if u.Scheme == "https" && (u.Host != c.base.Host || c.tls == nil) {
		other := c.endpoint
		other.ServerName, other.CertFile, other.KeyFile = "", "", ""
		if t.TLSClientConfig, err = other.tlsConfig(u.Hostname(), http1); err != nil {
			return nil, err
		}
	}
	return withoutRedirects(t), nil
}
