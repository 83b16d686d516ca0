package telemetry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Bounds on one answer of a Prometheus server.
const (
	mostAPIBody    = 64 << 20 // bytes
	mostAPISeries  = 20_000
	mostAPISamples = 2_000_000
	mostWarnings   = 8
	// QueryTimeout bounds one query, on the server's side as well.
	QueryTimeout = 30 * time.Second
)

// Prometheus is a server that speaks Prometheus's HTTP API: Prometheus itself,
// Thanos, Mimir, VictoriaMetrics. Its zero Client is http.DefaultClient.
type Prometheus struct {
	URL    string // base, with its path prefix if it has one, without /api/v1
	Client *http.Client
	Header http.Header // sent with each query, such as Authorization; never shown
	// Remark is told what the caller should know of the answers: warnings, partial
	// data, series that belong to nobody. nil drops it.
	Remark func(string)
}

// APIError is what the server said in refusing a query. Type is one of
// Prometheus's: bad_data, execution, timeout, canceled, internal, unavailable.
type APIError struct {
	Status  int // HTTP
	Type    string
	Message string
}

func (e *APIError) Error() string {
	return fmt.Sprintf("the Prometheus server refused the query (%s): %s", e.Type, e.Message)
}

// apiSeries is one series of a matrix: labels and samples in order of time.
type apiSeries struct {
	Metric     map[string]string `json:"metric"`
	Values     []apiSample       `json:"values"`
	Histograms []json.RawMessage `json:"histograms"` // native ones, which are not read
}

// apiSample is [seconds since 1970, "value"].
type apiSample struct {
	MS    int64
	Value float64
}

func (s *apiSample) UnmarshalJSON(b []byte) error {
	var at float64
	var text string
	pair := []any{&at, &text}
	if err := json.Unmarshal(b, &pair); err != nil {
		return err
	}
	if len(pair) != 2 {
		return errors.New("a sample that is no pair of time and value")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return errors.New("a sample whose value is no number")
	}
	if !(at > -1e11 && at < 1e11) {
		return errors.New("a sample of no time that a clock shows")
	}
	s.MS, s.Value = int64(at*1000+0.5), v
	return nil
}

// apiAnswer is what a query gave.
type apiAnswer struct {
	Status, ErrorType, Error string
	Series                   []apiSeries
	Warnings                 []string
}

// queryRange evaluates a query at each step of a span.
func (p *Prometheus) queryRange(ctx context.Context, query string, from, to time.Time, step time.Duration) (apiAnswer, error) {
	form := url.Values{
		"query":   {query},
		"start":   {unixSeconds(from)},
		"end":     {unixSeconds(to)},
		"step":    {strconv.FormatFloat(step.Seconds(), 'f', -1, 64)},
		"timeout": {QueryTimeout.String()},
		"limit":   {strconv.Itoa(mostAPISeries + 1)}, // servers before 3 ignore it
	}
	ctx, cancel := context.WithTimeout(ctx, QueryTimeout+5*time.Second)
	defer cancel()
	resp, err := p.post(ctx, "query_range", form)
	if err != nil {
		return apiAnswer{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return apiAnswer{}, fmt.Errorf("ask Prometheus: HTTP %d, a redirect, which is not followed: give the URL that it leads to", resp.StatusCode)
	}
	if kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type")); kind != "application/json" {
		return apiAnswer{}, fmt.Errorf("ask Prometheus: HTTP %d with %s: no Prometheus API is at that URL; give the server's base URL, such as http://prometheus:9090", resp.StatusCode, contentWords(kind))
	}
	body := &io.LimitedReader{R: resp.Body, N: mostAPIBody + 1}
	answer, err := decodeAnswer(body, asked{from, to, step})
	switch {
	case body.N <= 0:
		return apiAnswer{}, fmt.Errorf("ask Prometheus: the answer is larger than %d MiB: narrow it with a namespace or a selector, or take a shorter window", mostAPIBody>>20)
	case err != nil:
		return apiAnswer{}, fmt.Errorf("ask Prometheus: HTTP %d: %w", resp.StatusCode, err)
	case answer.Status != "success" && answer.Error == "":
		return apiAnswer{}, fmt.Errorf("ask Prometheus: HTTP %d with JSON that Prometheus's API does not give: no Prometheus API is at that URL; give the server's base URL, such as http://prometheus:9090", resp.StatusCode)
	case answer.Status != "success":
		return apiAnswer{}, &APIError{Status: resp.StatusCode, Type: p.shown(answer.ErrorType, 40), Message: p.shown(answer.Error, 300)}
	case resp.StatusCode != http.StatusOK:
		return apiAnswer{}, fmt.Errorf("ask Prometheus: HTTP %d", resp.StatusCode)
	}
	for _, w := range answer.Warnings {
		p.remark("the Prometheus server warns: " + p.shown(w, 300))
	}
	return answer, nil
}

// post sends a query. The error never holds the URL, which may hold a key.
func (p *Prometheus) post(ctx context.Context, endpoint string, form url.Values) (*http.Response, error) {
	base, err := url.Parse(p.URL)
	if err != nil {
		return nil, errors.New("ask Prometheus: its URL is none")
	}
	base.Path = strings.TrimSuffix(strings.TrimRight(base.Path, "/"), "/api/v1") + "/api/v1/" + endpoint
	base.RawPath = ""
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base.String(), strings.NewReader(form.Encode()))
	if err != nil {
		return nil, fmt.Errorf("ask Prometheus: %w", withoutURL(err))
	}
	for name, values := range p.Header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := p.Client
	if client == nil {
		client = http.DefaultClient
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("ask Prometheus: %w", withoutURL(err))
	}
	return resp, nil
}

// decodeAnswer reads an answer series by series, so that its bounds hold before
// it is in memory.
func decodeAnswer(r io.Reader, of asked) (apiAnswer, error) {
	var a apiAnswer
	d := json.NewDecoder(r)
	err := eachKey(d, func(key string) error {
		switch key {
		case "status":
			return d.Decode(&a.Status)
		case "errorType":
			return d.Decode(&a.ErrorType)
		case "error":
			return d.Decode(&a.Error)
		case "warnings":
			var all []string
			err := d.Decode(&all)
			a.Warnings = all[:min(len(all), mostWarnings)]
			return err
		case "data":
			return decodeData(d, &a, of)
		}
		return skip(d)
	})
	if err != nil {
		return a, notAnAnswer(err)
	}
	return a, nil
}

// asked are the moments of which a server is asked.
type asked struct {
	from, to time.Time
	step     time.Duration
}

// holds reports whether samples may be an answer: one for each step, of that time.
// Servers may move the steps to whole ones, which adds one at either end.
func (q asked) holds(samples []apiSample) bool {
	if int64(len(samples)) > int64(q.to.Sub(q.from)/q.step)+3 {
		return false
	}
	slack := q.step.Milliseconds() + 1000
	for i, s := range samples {
		if s.MS < q.from.UnixMilli()-slack || s.MS > q.to.UnixMilli()+slack || i > 0 && s.MS <= samples[i-1].MS {
			return false
		}
	}
	return true
}

func decodeData(d *json.Decoder, a *apiAnswer, of asked) error {
	samples := 0
	return eachKey(d, func(key string) error {
		if key != "result" {
			return skip(d)
		}
		return eachElement(d, func() error {
			var s apiSeries
			if err := d.Decode(&s); err != nil {
				return err
			}
			if !of.holds(s.Values) {
				return errors.New("it holds samples of other moments than were asked for")
			}
			samples += len(s.Values)
			if len(a.Series) == mostAPISeries || samples > mostAPISamples {
				return errTooMuch
			}
			a.Series = append(a.Series, s)
			return nil
		})
	})
}

var errTooMuch = fmt.Errorf("the answer holds more than %d series or %d samples: narrow it with a namespace or a selector, or take a shorter window", mostAPISeries, mostAPISamples)

// notAnAnswer says of an error of the decoder what a user can use. The decoder's
// own words may quote the server's.
func notAnAnswer(err error) error {
	if errors.Is(err, errTooMuch) {
		return err
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the answer ends in the middle")
	}
	return errors.New("the answer is not what Prometheus's API gives: " + brief(err.Error()))
}

// eachKey walks an object; visit reads the value of its key. null is an empty one.
func eachKey(d *json.Decoder, visit func(key string) error) error {
	return walk(d, '{', func() error {
		t, err := d.Token()
		if err != nil {
			return err
		}
		key, _ := t.(string)
		return visit(key)
	})
}

// eachElement walks an array; visit reads one element. null is an empty one.
func eachElement(d *json.Decoder, visit func() error) error { return walk(d, '[', visit) }

func walk(d *json.Decoder, open json.Delim, visit func() error) error {
	t, err := d.Token()
	switch {
	case err != nil:
		return err
	case t == nil:
		return nil
	case t != open:
		return fmt.Errorf("%.40v where %v should begin", t, open)
	}
	for d.More() {
		if err := visit(); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// skip passes over a value without keeping it.
func skip(d *json.Decoder) error {
	depth := 0
	for {
		t, err := d.Token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

func (p *Prometheus) remark(s string) {
	if p.Remark != nil {
		p.Remark(s)
	}
}

// shown is foreign text on one line without the secrets that were sent.
func (p *Prometheus) shown(s string, most int) string {
	for _, secret := range p.secrets() {
		s = strings.ReplaceAll(s, secret, "[hidden]")
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, ""), func(r rune) bool { return r == ' ' || unicode.In(r, unicode.C, unicode.Z) }), " ")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// secrets are the values of the headers and what the URL holds of credentials.
func (p *Prometheus) secrets() []string {
	var all []string
	add := func(s string) {
		if len(s) > 3 {
			all = append(all, s)
		}
	}
	for _, values := range p.Header {
		for _, v := range values {
			add(v)
			if _, token, ok := strings.Cut(v, " "); ok {
				add(token)
			}
		}
	}
	if u, err := url.Parse(p.URL); err == nil {
		if password, ok := u.User.Password(); ok {
			add(password)
		}
		for _, values := range u.Query() {
			for _, v := range values {
				add(v)
			}
		}
	}
	return all
}

func contentWords(kind string) string {
	if kind == "" {
		return "no content type"
	}
	return fmt.Sprintf("%.60q", kind)
}

func unixSeconds(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64)
}
