package wire

import (
	"context"
	"net/http"
	"net/url"
)

// Signer adds to a request what proves who sends it. It is called for each
// request, before its measured moment.
type Signer interface {
	// Sign adds headers to r, whose whole body is given. No output may show the
	// secrets.
	Sign(ctx context.Context, r *http.Request, body []byte) (secrets []string, err error)
}

// ServiceOf is AWS's name of the service that has an API, empty for all others.
func ServiceOf(api string) string {
	p, err := protocolOf(api)
	if err != nil {
		return ""
	}
	return p.service
}

// sign adds the signature to a request's headers.
func (c *Client) sign(ctx context.Context, r *http.Request, body []byte) *Error {
	secrets, err := c.endpoint.Signer.Sign(ctx, r, body)
	c.learn(secrets)
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return cancelledError()
	}
	return &Error{Kind: KindUnauthorized, Detail: c.shown(err.Error(), maxDetail)}
}

// signed is the head of a measured request with its signature, up to its number.
func (c *Client) signed(ctx context.Context, body []byte) (http.Header, *Error) {
	r := &http.Request{
		Method: http.MethodPost, Host: c.endpoint.host(c.base.Host), Header: c.header.Clone(),
		URL: &url.URL{Scheme: c.base.Scheme, Host: c.base.Host, Opaque: "//" + c.base.Host + c.target},
	}
	if err := c.sign(ctx, r, body); err != nil {
		return nil, err
	}
	return r.Header, nil
}

// learn puts secrets that change, such as the token of a session, under the veil.
// There are few: they change about once in an hour.
func (c *Client) learn(secrets []string) {
	for _, s := range secrets {
		if _, known := c.learned.LoadOrStore(s, struct{}{}); known || s == "" {
			continue
		}
		for {
			old := c.veil.Load()
			wider := newVeil(s).over(*old)
			if c.veil.CompareAndSwap(old, &wider) {
				break
			}
		}
	}
}
