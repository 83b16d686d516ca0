package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Bounds on one request. A credential plugin, which may log in first, has longer.
const (
	requestTimeout = 10 * time.Second
	pluginTimeout  = 30 * time.Second
	pageSize       = 250
	maxBody        = 64 << 20
	maxMessage     = 400 // bytes of a text that came from the cluster
)

// api is a Kubernetes API that is read.
type api struct {
	base   *url.URL
	client *http.Client
	plugin string // the command that gives credentials; empty: none
}

// refusal is an answer of the API other than 200.
type refusal struct {
	what    string // such as "list pods"
	status  int
	message string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the Kubernetes API refused to %s: %d %s: %s", r.what, r.status, http.StatusText(r.status), r.message)
}

func (r *refusal) Hint() string {
	switch r.status {
	case http.StatusUnauthorized:
		return "the credentials of the kubeconfig are not accepted; kubectl auth whoami says whose they are"
	case http.StatusForbidden:
		return "docs/cluster.md has the least Role that is needed"
	}
	return ""
}

// forbidden reports whether the API knows who asks, and says no.
func forbidden(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == http.StatusForbidden
}

func missing(err error) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == http.StatusNotFound
}

// listAll reads a collection page by page, at most limit items. The second value
// says that there were more.
func listAll[T any](ctx context.Context, a *api, what, path string, query url.Values, limit int) (all []T, more bool, err error) {
	query = cloneQuery(query)
	for {
		query.Set("limit", strconv.Itoa(min(pageSize, limit-len(all))))
		var page struct {
			Metadata struct {
				Continue string `json:"continue"`
			} `json:"metadata"`
			Items []T `json:"items"`
		}
		if err := a.get(ctx, what, path, query, &page); err != nil {
			// A token that is too old is no reason to lose what was read.
			var r *refusal
			if len(all) > 0 && errors.As(err, &r) && r.status == http.StatusGone {
				return all, true, nil
			}
			return nil, false, err
		}
		all = append(all, page.Items...)
		if page.Metadata.Continue == "" {
			return all[:min(len(all), limit)], len(all) > limit, nil
		}
		if len(all) >= limit || len(page.Items) == 0 {
			return all[:min(len(all), limit)], true, nil
		}
		query.Set("continue", page.Metadata.Continue)
	}
}

func cloneQuery(q url.Values) url.Values {
	c := url.Values{}
	for k, v := range q {
		c[k] = v
	}
	return c
}

// get reads one answer into v.
func (a *api) get(ctx context.Context, what, path string, query url.Values, v any) error {
	ctx, cancel := context.WithTimeout(ctx, a.timeout())
	defer cancel()
	u := a.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	req.Header.Set("Accept", "application/json")
	resp, err := a.do(req)
	if err != nil {
		return a.unreachable(what, err)
	}
	defer resp.Body.Close()
	body := io.LimitReader(resp.Body, maxBody)
	if resp.StatusCode != http.StatusOK {
		return &refusal{what: what, status: resp.StatusCode, message: refusalMessage(body)}
	}
	if err := json.NewDecoder(body).Decode(v); err != nil {
		return fmt.Errorf("%s: the answer of %s is not what a Kubernetes API gives: %w", what, a.host(), err)
	}
	return nil
}

// do sends a request. A credential plugin runs inside of it and knows no context:
// one that hangs is left behind, with the goroutine that waits for it, rather
// than hang the program too.
func (a *api) do(req *http.Request) (*http.Response, error) {
	if a.plugin == "" {
		return a.client.Do(req)
	}
	type answer struct {
		resp *http.Response
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		resp, err := a.client.Do(req)
		got <- answer{resp, err}
	}()
	select {
	case one := <-got:
		return one.resp, one.err
	case <-req.Context().Done():
		return nil, fmt.Errorf("no answer in time, from it or from the credential plugin %s: %w", plain(a.plugin), req.Context().Err())
	}
}

func (a *api) timeout() time.Duration {
	if a.plugin != "" {
		return pluginTimeout
	}
	return requestTimeout
}

// host is the API's address as it may be shown.
func (a *api) host() string { return a.base.Scheme + "://" + a.base.Host }

// unreachable leaves out of an error the URL that it was of, which may hold more
// than its host.
func (a *api) unreachable(what string, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) && a.plugin == "" {
		return fmt.Errorf("%s: no answer from %s within %v", what, a.host(), requestTimeout)
	}
	return fmt.Errorf("%s: %s: %w", what, a.host(), err)
}

// refusalMessage is the message of a Status, or the start of any other text.
func refusalMessage(body io.Reader) string {
	text, _ := io.ReadAll(io.LimitReader(body, 16<<10))
	var status struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(text, &status) == nil && status.Message != "" {
		return plain(status.Message)
	}
	return plain(string(text))
}

// plain makes foreign text fit to stand in a sentence: one line without control
// characters and without the dot at its end, bounded.
func plain(s string) string {
	s = strings.TrimSuffix(oneLine(s), ".")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// oneLine leaves out of a text what steers a terminal or the direction of writing.
func oneLine(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool {
		return r == ' ' || unicode.In(r, unicode.C, unicode.Z)
	}), " ")
}

// named is what the API calls an object or a namespace: a subdomain of RFC 1123.
// Anything else, be it of a label that another server tells, would lead to another
// path of the API.
var named = regexp.MustCompile(`^[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?$`)
