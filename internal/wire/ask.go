package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// maxAnswer bounds the answer to a question, bytes.
const maxAnswer = 32 << 20

// askTimeout bounds a question that is not measured.
const askTimeout = 30 * time.Second

// Tokenize asks how many tokens a prompt has, chat template included. It is
// vLLM's /tokenize, which others have too; where it is missing the error says so.
func (c *Client) Tokenize(ctx context.Context, p Prompt) (int, error) {
	body := map[string]any{"model": c.endpoint.Model}
	if c.protocol.chats && p.Text != "" {
		p.Messages = []Message{{Role: "user", Content: p.Text}}
	}
	if len(p.Messages) > 0 {
		body["messages"] = p.Messages
	} else {
		body["prompt"] = p.Text
	}
	return c.tokenize(ctx, body)
}

// TokenizeText asks how many tokens a text has by itself, without a template
// and without special tokens: what a model wrote.
func (c *Client) TokenizeText(ctx context.Context, text string) (int, error) {
	return c.tokenize(ctx, map[string]any{"model": c.endpoint.Model, "prompt": text, "add_special_tokens": false})
}

func (c *Client) tokenize(ctx context.Context, body map[string]any) (int, error) {
	var answer struct {
		Count *int `json:"count"`
	}
	if _, err := c.ask(ctx, http.MethodPost, "/tokenize", body, &answer); err != nil {
		return 0, err
	}
	if answer.Count == nil || *answer.Count < 0 || *answer.Count > maxCount {
		return 0, errors.New("/tokenize gave no count that can be")
	}
	return *answer.Count, nil
}

// ask sends a question that is not measured. Its error is a *TargetError. A nil
// answer takes what comes, empty too.
func (c *Client) ask(ctx context.Context, method, path string, body, answer any) (http.Header, error) {
	if c.protocol.service != "" {
		return nil, c.targetError(path, &Error{Kind: KindNotFound, Detail: c.protocol.service + " tells of no models here: name one with --model"})
	}
	limit := min(c.options.Timeout, askTimeout)
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var (
		content io.Reader
		sent    []byte
	)
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return nil, err
		}
		content = bytes.NewReader(sent)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base.JoinPath(path).String(), content)
	if err != nil {
		return nil, err
	}
	req.Header = c.header.Clone()
	req.Header.Del("Accept")
	req.Host = c.endpoint.host(req.URL.Host)
	if c.endpoint.Signer != nil {
		if failed := c.sign(ctx, req, sent); failed != nil {
			return nil, c.targetError(path, failed)
		}
	}
	resp, err := c.api.Do(req)
	if err != nil {
		return nil, c.targetError(path, askError(ctx, err, limit))
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case err != nil:
		return resp.Header, c.targetError(path, askError(ctx, err, limit))
	case resp.StatusCode != http.StatusOK:
		return resp.Header, c.targetError(path, c.statusError(resp, b))
	case isHTML(b):
		return resp.Header, c.targetError(path, &Error{Kind: KindNotAStream, Detail: "HTTP 200 with an HTML page"})
	}
	if answer == nil {
		return resp.Header, nil
	}
	if err := json.Unmarshal(b, answer); err != nil {
		return resp.Header, c.targetError(path, &Error{Kind: KindMalformed, Detail: "HTTP 200 with something that is not the JSON of this API: " + textOf(b)})
	}
	return resp.Header, nil
}

func askError(ctx context.Context, err error, limit time.Duration) *Error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &Error{Kind: KindTimeout, Detail: fmt.Sprintf("no answer within %s", limit)}
	}
	var (
		dial  *net.OpError
		named *Error
	)
	switch {
	case errors.As(err, &named):
		return named
	case errors.As(err, &dial) && dial.Op == "proxyconnect":
		return &Error{Kind: KindProxy, Detail: "the proxy cannot be reached: " + dialError(dial.Err, "it").Detail}
	case strings.Contains(err.Error(), "looked like an HTTP/1.1 header"), neverHTTP2(err):
		return &Error{Kind: KindMalformed, Detail: noHTTP2}
	case speaksTLSIn(err):
		return ioError(ctx, errTLS, 0, Options{})
	case isTLS(err):
		return tlsError(err)
	case errors.As(err, &dial) && dial.Op == "dial":
		return dialError(err, "the server")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return ioError(ctx, err, 0, Options{})
	}
	return dialError(err, "the server")
}

// speaksTLSIn reports net/http's complaint about an answer that begins as an
// alert or a handshake does.
func speaksTLSIn(err error) bool {
	s := err.Error()
	return strings.Contains(s, `malformed HTTP response "\x15\x03`) || strings.Contains(s, `malformed HTTP response "\x16\x03`)
}

func isTLS(err error) bool {
	s := err.Error()
	return strings.Contains(s, "tls: ") || strings.Contains(s, "x509: ")
}

// TargetError is why an endpoint cannot be measured, with the way out.
type TargetError struct {
	URL, Path string
	Cause     *Error
	hint      string
}

func (e *TargetError) Error() string {
	return fmt.Sprintf("%s%s: %s", e.URL, e.Path, e.Cause.Detail)
}

func (e *TargetError) Unwrap() error { return e.Cause }

// Hint is what to do about it.
func (e *TargetError) Hint() string { return e.hint }

// WithHint is the same with another way out.
func (e *TargetError) WithHint(hint string) *TargetError {
	other := *e
	other.hint = hint
	return &other
}

// Cannot is why the endpoint cannot be measured, from what became of a request.
func (c *Client) Cannot(cause *Error) error { return c.targetError(c.path(), cause) }

func (c *Client) targetError(path string, cause *Error) *TargetError {
	cause.Detail = c.shown(cause.Detail, maxDetail)
	hint := hintFor(cause.Kind, c.endpoint.Key.IsZero())
	if cause.Kind == KindUnauthorized && c.endpoint.Signer != nil {
		hint = "requests are signed for AWS: see the credentials (AWS_ACCESS_KEY_ID, AWS_PROFILE, or the role of the pod or instance) and what they may invoke, --aws-sigv4 and --aws-region"
	}
	if cause.Kind == KindReset && c.tls == nil {
		hint += ". A port that speaks TLS wants https://"
	}
	return &TargetError{URL: c.URL(), Path: path, Cause: cause, hint: hint}
}

func hintFor(kind string, noKey bool) string {
	switch kind {
	case KindResolve, KindConnect:
		return "is the server running and the address right? Inside a cluster: kubectl port-forward svc/NAME 8000"
	case KindProxy:
		return "the way goes through a proxy: see --proxy, HTTPS_PROXY, HTTP_PROXY and NO_PROXY; --proxy none goes without"
	case KindTLS:
		return "check the scheme and the certificate; --ca-file names an authority, --insecure-skip-verify trusts any"
	case KindUnauthorized:
		if noKey {
			return "set the key in the environment variable ASSAY_API_KEY, or give --api-key-file"
		}
		return "the endpoint refuses the key that was sent; check ASSAY_API_KEY, --api-key-file or --header"
	case KindNotFound:
		return "is --target the base URL, without /v1/chat/completions? Does the server know the model? See --model and --api"
	case KindNotAStream, KindMalformed:
		return "is --target the base URL of an OpenAI-compatible API, such as http://host:8000?"
	case KindTruncated, KindReset, KindStreamError, KindAborted:
		return "the endpoint broke off even this one request; see its log"
	case KindOverrun:
		return "a run would not end: what bounds an answer is ignored, as Ollama does with max_completion_tokens. See --api (ollama-chat) and --extra-body"
	case KindTimeout, KindStall:
		return "the server took the connection but did not finish its answer; it may still be loading the model. See --timeout and --stall-timeout"
	case KindRateLimited, KindOverloaded:
		return "the endpoint sheds load before the run has begun; wait, or raise its limits"
	}
	return ""
}
