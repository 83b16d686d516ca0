package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func dialError(err error, address string) *Error {
	var dns *net.DNSError
	switch {
	case errors.As(err, &dns):
		return &Error{Kind: KindResolve, Detail: fmt.Sprintf("look up %s: %s", dns.Name, dns.Err)}
	case errors.Is(err, context.Canceled):
		return cancelledError()
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		return &Error{Kind: KindConnect, Detail: "connecting to " + address + " took too long"}
	}
	return &Error{Kind: KindConnect, Detail: err.Error()}
}

func tlsError(err error) *Error {
	var (
		unknown x509.UnknownAuthorityError
		record  tls.RecordHeaderError
	)
	detail := oneLine(err.Error(), maxName)
	switch {
	case errors.Is(err, context.Canceled):
		return cancelledError()
	case errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded):
		detail = "the TLS handshake took too long"
	case errors.As(err, &unknown):
		detail += " (give its authority with --ca-file)"
	case refusedCertificate(err) != "":
		detail += " (" + refusedCertificate(err) + ")"
	case strings.Contains(detail, "no application protocol"):
		detail = noHTTP2
	case errors.As(err, &record):
		detail += " (the server does not speak TLS: use http://)"
	}
	return &Error{Kind: KindTLS, Detail: detail}
}

func cancelledError() *Error {
	return &Error{Kind: KindCancelled, Detail: "given up before its end"}
}

// ioError names an error in reading or writing on an open connection.
func ioError(ctx context.Context, err error, before time.Duration, o Options) *Error {
	switch {
	case ctx.Err() != nil:
		return cancelledError()
	case errors.Is(err, os.ErrDeadlineExceeded) && before >= o.Timeout:
		return &Error{Kind: KindTimeout, Detail: fmt.Sprintf("no end of the answer within %s", o.Timeout)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Error{Kind: KindStall, Detail: fmt.Sprintf("no byte for %s", o.Stall)}
	case errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE):
		return &Error{Kind: KindReset, Detail: "the server reset the connection"}
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return &Error{Kind: KindReset, Detail: "the server closed the connection before the end of its answer"}
	}
	if errors.Is(err, errTLS) {
		return &Error{Kind: KindTLS, Detail: err.Error()}
	}
	if hint := refusedCertificate(err); hint != "" {
		return &Error{Kind: KindTLS, Detail: oneLine(err.Error(), maxName) + " (" + hint + ")"}
	}
	if named := http2Error(err); named != nil {
		return named
	}
	var broken *net.OpError // such as a host that has become unreachable
	if errors.As(err, &broken) {
		return &Error{Kind: KindReset, Detail: err.Error()}
	}
	return &Error{Kind: KindMalformed, Detail: err.Error()}
}

// statusError names an answer that is not 200, with the server's words.
func (c *Client) statusError(resp *http.Response, body []byte) *Error {
	e := &Error{Kind: statusKind(resp.StatusCode), RetryAfter: retryAfter(resp.Header.Get("Retry-After"))}
	if resp.StatusCode == http.StatusProxyAuthRequired && c.forwarded() {
		e.Detail = "the proxy " + c.proxy.Host + " " + wantsCredentials
		return e
	}
	words := failureIn(body, true)
	if words == "" {
		words = textOf(body)
	}
	if location := resp.Header.Get("Location"); location != "" {
		words = "redirects to " + c.shown(ShownURL(location), maxName) + " " + words
	}
	e.Detail = strings.TrimSpace(fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode)))
	if words != "" {
		e.Detail += ": " + words
	}
	return e
}

func statusKind(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return KindUnauthorized
	case http.StatusProxyAuthRequired:
		return KindProxy
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return KindNotFound
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return KindBadRequest
	case http.StatusTooManyRequests:
		return KindRateLimited
	case http.StatusServiceUnavailable:
		return KindOverloaded
	}
	return KindHTTP
}

// maxRetryAfter bounds a wait that a server asks for.
const maxRetryAfter = 1e6 * time.Second

// retryAfter reads seconds or a date; 0 for neither.
func retryAfter(s string) time.Duration {
	if s == "" {
		return 0
	}
	if seconds, err := strconv.ParseFloat(s, 64); err == nil && seconds >= 0 && seconds <= maxRetryAfter.Seconds() {
		return time.Duration(seconds * float64(time.Second))
	}
	if at, err := http.ParseTime(s); err == nil {
		return min(max(0, time.Until(at)), maxRetryAfter)
	}
	return 0
}
