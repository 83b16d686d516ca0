package wire

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// newTransport is net/http's way over the same proxies, with the same trust, for
// what is not measured.
func (c *Client) newTransport() *http.Transport {
	t := &http.Transport{
		DialContext: c.dialer.DialContext, TLSHandshakeTimeout: c.options.ConnectTimeout,
		MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second,
		Proxy: func(r *http.Request) (*url.URL, error) { return c.endpoint.Proxies.For(r.URL) },
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
	return t
}

// withoutRedirects is a client that follows none: a key must not follow one.
func withoutRedirects(t *http.Transport) *http.Client {
	return &http.Client{Transport: t, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
}

// Scraper is a client for the metrics at a URL, over the same proxies and with
// the same trust as the endpoint's requests. It shares no connection with them
// and sends neither key nor headers of theirs.
func (c *Client) Scraper(target string) (*http.Client, error) {
	t := c.newTransport()
	t.MaxIdleConnsPerHost = 1
	u, err := url.Parse(target)
	if err == nil && u.Host != c.base.Host {
		t.Protocols = nil
	}
	if err == nil && u.Scheme == "https" && u.Host != c.base.Host {
		other := c.endpoint
		other.ServerName, other.CertFile, other.KeyFile = "", "", ""
		if t.TLSClientConfig, err = other.tlsConfig(u.Hostname(), http1); err != nil {
			return nil, err
		}
	}
	return withoutRedirects(t), nil
}
