package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Client sends requests to one endpoint. Over HTTP/1.1 it writes a request and
// reads its answer in the caller's goroutine, so that no time that it takes
// waits for another goroutine to be scheduled; HTTP/2 is x/net's. It may be used
// by many goroutines at once.
type Client struct {
	endpoint Endpoint
	protocol *protocol
	options  Options
	base     *url.URL
	address  string
	tls      *tls.Config // nil: plain
	proxy    *url.URL    // nil: none
	proxyTLS *tls.Config // nil: the proxy is spoken to in cleartext
	dialer   net.Dialer
	idle     idleConns
	streams  *streamPool // nil: HTTP/1.1
	veil     atomic.Pointer[veil]
	learned  sync.Map      // the secrets that a Signer has used: string → struct{}
	longVeil veil          // without the secrets that a model may be called by
	header   http.Header   // of each request, but for the values that change
	target   string        // the path of each request, escaped
	head     string        // the request's first line and host, and header where it does not change
	api      *http.Client  // for the questions that are not measured
	request  *http.Request // what ReadResponse asks for
}

// New makes a client. It sends nothing.
func New(e Endpoint, o Options) (*Client, error) {
	o.fill()
	base, err := parseBase(e.URL)
	if err != nil {
		return nil, err
	}
	if e.API == "" || e.API == Auto {
		e.API = Chat
	}
	protocol, err := protocolOf(e.API)
	if err != nil {
		return nil, err
	}
	c := &Client{
		endpoint: e, protocol: protocol, options: o, base: base, address: address(base),
		dialer:  net.Dialer{Timeout: o.ConnectTimeout, KeepAlive: 30 * time.Second},
		request: &http.Request{Method: http.MethodPost},
	}
	if err := c.secure(); err != nil {
		return nil, err
	}
	questions, err := c.newTransport(base)
	if err != nil {
		return nil, err
	}
	c.api = withoutRedirects(questions)
	if err := headerValue(e.Key.secret); err != nil {
		return nil, err
	}
	if err := checkHeaders(e.Headers); err != nil {
		return nil, err
	}
	if e.Signer != nil && e.HasAuthorization() {
		return nil, errors.New("--header Authorization and --aws-sigv4 are two ways to say who asks: give one")
	}
	if err := checkExtra(e.Extra); err != nil {
		return nil, err
	}
	secrets := append(e.secrets(), proxySecrets(c.proxy)...)
	whole := newVeil(secrets...)
	c.veil.Store(&whole)
	c.longVeil = newVeil(slices.DeleteFunc(secrets, func(s string) bool { return len(s) < shortKey })...)
	c.header = e.header(c.protocol)
	c.target = c.base.EscapedPath() + c.path()
	c.head = c.requestHead()
	return c, nil
}

// secure finds the proxy and readies TLS.
func (c *Client) secure() (err error) {
	e := c.endpoint
	if c.proxy, err = e.Proxies.For(c.base); err != nil {
		return err
	}
	if c.proxyTLS, err = e.proxyTLS(c.proxy); err != nil {
		return err
	}
	if err := c.checkVersion(); err != nil {
		return err
	}
	name := http1
	if e.HTTPVersion == HTTP2 {
		name, c.streams = http2Name, newStreamPool(c)
	}
	switch {
	case c.base.Scheme == "https":
		c.tls, err = e.tlsConfig(c.base.Hostname(), name)
	case e.CertFile != "" || e.KeyFile != "" || e.ServerName != "":
		err = fmt.Errorf("--cert, --key and --server-name are of TLS, and the target is %s: give an https:// URL", c.URL())
	}
	return err
}

// http1 is HTTP/1.1 as TLS negotiates it.
const http1 = "http/1.1"

// maxKey bounds a key, bytes: servers refuse longer headers, and a key is looked
// for in all that they say.
const maxKey = 8 << 10

// headerValue refuses a key that would break out of its header.
func headerValue(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("the API key has %d bytes, and no more than %d are taken: is it the right file or variable?", len(key), maxKey)
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return fmt.Errorf("the API key holds a control character or line end: check the file or variable that it comes from")
	}
	return nil
}

// path is that of the measured requests.
func (c *Client) path() string { return c.protocol.path(c.endpoint.Model) }

// requestHead is what each request begins with on the wire.
func (c *Client) requestHead() string {
	var b strings.Builder
	target := c.target
	if c.forwarded() {
		target = c.base.Scheme + "://" + c.base.Host + target
	}
	fmt.Fprintf(&b, "POST %s HTTP/1.1\r\nHost: %s\r\n", target, c.endpoint.host(c.base.Host))
	if c.forwarded() && c.proxy.User != nil {
		b.WriteString("Proxy-Authorization: Basic " + basic(c.proxy.User) + "\r\n")
	}
	if c.endpoint.Signer == nil {
		_ = c.header.Write(&b) // a Builder takes all
	}
	return b.String()
}

// frame is a whole request, ready for one write.
func (c *Client) frame(ctx context.Context, id string, body []byte) ([]byte, *Error) {
	b := make([]byte, 0, len(c.head)+len(id)+64+len(body))
	b = append(b, c.head...)
	if c.endpoint.Signer != nil {
		header, err := c.signed(ctx, body)
		if err != nil {
			return nil, err
		}
		lines := bytes.NewBuffer(b)
		_ = header.Write(lines) // a Buffer takes all
		b = lines.Bytes()
	}
	b = append(b, "X-Request-Id: "...)
	b = append(b, id...)
	b = append(b, "\r\nContent-Length: "...)
	b = strconv.AppendInt(b, int64(len(body)), 10)
	b = append(b, "\r\n\r\n"...)
	return append(b, body...), nil
}

// Now is the time since the epoch, on the monotonic clock.
func (c *Client) Now() time.Duration { return time.Since(c.options.Epoch) }

// URL is the base URL as it is recorded.
func (c *Client) URL() string { return ShownURL(c.base.String()) }

// API is the protocol of the measured requests.
func (c *Client) API() string { return c.endpoint.API }

// KeepingText is a client of the same endpoint whose Outcomes hold the text that
// came. It shares no connections with c.
func (c *Client) KeepingText() (*Client, error) {
	o := c.options
	o.KeepText = true
	return New(c.endpoint, o)
}

// Close ends the idle connections.
func (c *Client) Close() {
	c.idle.close()
	if c.streams != nil {
		c.streams.close()
	}
	c.api.CloseIdleConnections()
}

// shown makes foreign words fit to leave the package, within limit bytes.
func (c *Client) shown(s string, limit int) string { return c.veil.Load().shown(s, limit) }

// connect dials, through the proxy where there is one, and shakes hands for https.
func (c *Client) connect(ctx context.Context) (*conn, *Error) {
	ctx, cancel := context.WithTimeout(ctx, c.options.ConnectTimeout)
	defer cancel()
	nc, failed := c.dial(ctx)
	if failed != nil {
		return nil, failed
	}
	if c.tls != nil {
		secure := tls.Client(nc, c.tls)
		if err := secure.HandshakeContext(ctx); err != nil {
			nc.Close()
			return nil, tlsError(err)
		}
		nc = secure
	}
	return newConn(nc), nil
}
