package telemetry

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// fakeServer answers range queries of plain selectors from series that grow by
// perStep each step.
type fakeServer struct {
	t       *testing.T
	series  []fakeSeries
	queries []string
}

type fakeSeries struct {
	labels         map[string]string
	start, perStep float64
}

// recorded reads name{label="value"} lines with a start and a growth.
func recorded(t *testing.T, lines string) []fakeSeries {
	t.Helper()
	var out []fakeSeries
	for line := range strings.Lines(lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		i := strings.LastIndex(line, "} ")
		one, err := parseKey(line[:i+1], 0)
		if err != nil {
			t.Fatal(err)
		}
		s := fakeSeries{labels: map[string]string{"__name__": one.name}}
		for _, l := range one.labels {
			s.labels[l.name] = l.value
		}
		if _, err := fmt.Sscanf(line[i+2:], "%g+%g", &s.start, &s.perStep); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, s)
	}
	return out
}

var matcher = regexp.MustCompile(`([A-Za-z_]+)(=~|=)("(?:[^"\\]|\\.)*")`)

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.PostFormValue("query")
	f.queries = append(f.queries, query)
	start, _ := strconv.ParseFloat(r.PostFormValue("start"), 64)
	end, _ := strconv.ParseFloat(r.PostFormValue("end"), 64)
	step, _ := strconv.ParseFloat(r.PostFormValue("step"), 64)
	if r.Method != http.MethodPost || r.URL.Path != "/prefix/api/v1/query_range" || step <= 0 {
		f.t.Errorf("%s %s step %v", r.Method, r.URL.Path, step)
	}
	var result []any
	for _, s := range f.series {
		if !f.matches(query, s.labels) {
			continue
		}
		values := [][]any{}
		for i, at := 0, start; at <= end; i, at = i+1, at+step {
			values = append(values, []any{at, strconv.FormatFloat(s.start+float64(i)*s.perStep, 'g', -1, 64)})
		}
		result = append(result, map[string]any{"metric": s.labels, "values": values})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": result}})
}

func (f *fakeServer) matches(query string, labels map[string]string) bool {
	for _, m := range matcher.FindAllStringSubmatch(query, -1) {
		value, err := strconv.Unquote(m[3])
		if err != nil {
			f.t.Fatal(err)
		}
		if m[2] == "=" && labels[m[1]] != value {
			return false
		}
		if m[2] == "=~" && !regexp.MustCompile("^(?:"+value+")$").MatchString(labels[m[1]]) {
			return false
		}
	}
	return true
}

func fake(t *testing.T, lines string) (*Prometheus, *fakeServer, *[]string) {
	t.Helper()
	f := &fakeServer{t: t, series: recorded(t, lines)}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	remarks := &[]string{}
	return &Prometheus{URL: s.URL + "/prefix/", Remark: func(r string) { *remarks = append(*remarks, r) }}, f, remarks
}

var halfHour = Query{From: time.Unix(1_800_000_000, 0), To: time.Unix(1_800_001_800, 0)}

// Two replicas of a Deployment in the namespace asked for, one of them scraped
// twice, and a third elsewhere.
const cluster = `
vllm:num_requests_running{engine="0",model_name="m",namespace="llm",pod="a",container="vllm",instance="10.0.0.1:8000",job="vllm"} 4+0
vllm:generation_tokens_total{engine="0",model_name="m",namespace="llm",pod="a",container="vllm",instance="10.0.0.1:8000",job="vllm"} 100+50
vllm:num_requests_running{engine="0",model_name="m",namespace="llm",pod="a",instance="10.0.0.1:8000",job="pods"} 4+0
vllm:num_requests_running{engine="0",model_name="m",namespace="llm",pod="b",instance="10.0.0.2:8000",job="vllm"} 8+0
vllm:num_requests_running{engine="0",model_name="m",namespace="other",pod="c",instance="10.0.0.3:8000",job="vllm"} 9+0
process_start_time_seconds{namespace="llm",pod="a",instance="10.0.0.1:8000",job="vllm"} 1700000000+0
process_start_time_seconds{namespace="llm",pod="sidecar",instance="10.0.0.9:80",job="vllm"} 1600000000+0
`

func TestRangeTellsReplicasApart(t *testing.T) {
	p, f, remarks := fake(t, cluster)
	q := halfHour
	q.Namespace = "llm"
	got, err := p.Range(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range got {
		names = append(names, r.Name)
	}
	if d := cmp.Diff([]string{"a", "b"}, names); d != "" {
		t.Fatalf("-want +got\n%s", d)
	}
	want := map[string]string{"namespace": "llm", "pod": "a", "instance": "10.0.0.1:8000", "model": "m"}
	if d := cmp.Diff(want, got[0].Labels); d != "" {
		t.Errorf("labels: -want +got\n%s", d)
	}
	account := Fold(got[0].Snapshots)
	if account.Changed != "" || account.RunningMean == nil || *account.RunningMean != 4 {
		t.Errorf("a, which two jobs scrape: %+v, want 4 running, not 8", account)
	}
	if n := len(got[0].Snapshots); account.OutputTokens == nil || *account.OutputTokens != 50*float64(n-1) || n < 100 || n > 200 {
		t.Errorf("%d snapshots, %v tokens", n, account.OutputTokens)
	}
	if v, ok := got[0].Snapshots[0].Value(ProcessStart); !ok || v != 1700000000 {
		t.Errorf("process start %v, %v", v, ok)
	}
	if len(*remarks) != 1 || !strings.Contains((*remarks)[0], "1 of 2 replicas are scraped by more than one job") {
		t.Errorf("remarks %q", *remarks)
	}
	for _, query := range f.queries {
		if !strings.Contains(query, `__name__=~"`) {
			t.Errorf("a query of any metric: %s", query)
		}
	}
}

func TestRangeByExportedNamespaceAndSelector(t *testing.T) {
	p, _, _ := fake(t, `
vllm:num_requests_running{model_name="m",app="x",exported_namespace="llm",exported_pod="a",namespace="monitoring",pod="gateway",instance="gw:9091",job="federate"} 4+0
vllm:num_requests_running{model_name="m",app="y",exported_namespace="llm",exported_pod="b",namespace="monitoring",pod="gateway",instance="gw:9091",job="federate"} 5+0
`)
	q := halfHour
	q.Namespace, q.Selector = "llm", `app="y"`
	got, err := p.Range(t.Context(), q)
	if err != nil || len(got) != 1 || got[0].Name != "b" {
		t.Fatalf("%v, %v; want the pod b alone", got, err)
	}
}

func TestRangeOfNothing(t *testing.T) {
	p, _, _ := fake(t, "node_load1{instance=\"x\"} 1+0\n")
	if got, err := p.Range(t.Context(), halfHour); err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}

func TestRangeNamesReplicasApart(t *testing.T) {
	p, _, _ := fake(t, `
vllm:num_requests_running{namespace="one",pod="a",instance="10.0.0.1:8000"} 4+0
vllm:num_requests_running{namespace="two",pod="a",instance="10.0.0.2:8000"} 4+0
vllm:num_requests_running{namespace="two",pod="a",instance="10.0.0.2:8001"} 4+0
`)
	got, err := p.Range(t.Context(), halfHour)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range got {
		names = append(names, r.Name)
	}
	if d := cmp.Diff([]string{"one/a (10.0.0.1:8000)", "two/a (10.0.0.2:8000)", "two/a (10.0.0.2:8001)"}, names); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}

func TestSteps(t *testing.T) {
	for _, c := range []struct {
		span, step, want time.Duration
		fails            bool
	}{
		{span: 30 * time.Minute, want: 15 * time.Second},
		{span: 20 * time.Second, want: time.Second},
		{span: 30 * 24 * time.Hour, want: 6 * time.Hour},
		{span: 12 * time.Hour, step: time.Second, fails: true},
		{span: -time.Second, fails: true},
	} {
		got, err := Query{From: time.Unix(0, 0), To: time.Unix(0, 0).Add(c.span), Step: c.step}.step()
		if (err != nil) != c.fails || got != c.want {
			t.Errorf("%v in %v: %v, %v; want %v", c.span, c.step, got, err, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	series := func(n int) string {
		var b strings.Builder
		b.WriteString(`{"status":"success","data":{"resultType":"matrix","result":[`)
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"metric":{"__name__":"vllm:num_requests_running","pod":"p%d"},"values":[[1800000000,"1"]]}`, i)
		}
		return b.String() + "]}}"
	}
	samples := func(n int, apart float64) string {
		var values []string
		for i := range n {
			values = append(values, fmt.Sprintf(`[%f,"1"]`, 1_800_000_000+float64(i)*apart))
		}
		return `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"vllm:num_requests_running"},"values":[` + strings.Join(values, ",") + `]}]}}`
	}
	for _, c := range []struct {
		name, kind, body, want string
		status                 int
	}{
		{"an error of the API", "application/json", `{"status":"error","errorType":"bad_data","error":"parse error near s3cret-token-1"}`, "(bad_data): parse error near [hidden]", 400},
		{"a login page", "text/html; charset=utf-8", "<html>s3cret-token-1</html>", `HTTP 200 with "text/html": no Prometheus API is at that URL`, 200},
		{"no content type but JSON elsewhere", "text/plain", "{}", "no Prometheus API", 200},
		{"a redirect", "", "", "HTTP 302, a redirect", 302},
		{"cut short", "application/json", `{"status":"success","data":{"result":[{"metric":{`, "ends in the middle", 200},
		{"a vector of strings", "application/json", `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{},"values":[["now",1]]}]}}`, "not what Prometheus's API gives", 200},
		{"an array", "application/json", `[1]`, "not what Prometheus's API gives", 200},
		{"too many series", "application/json", series(mostAPISeries + 1), "more than 20000 series", 200},
		{"a status that is none", "application/json", `{"status":7}`, "not what Prometheus's API gives", 200},
		{"no status", "application/json", `{"data":null}`, "no Prometheus API is at that URL", 200},
		{"null", "application/json", "null", "no Prometheus API is at that URL", 200},
		{"more samples than steps", "application/json", samples(4000, 0.001), "samples of other moments", 200},
		{"samples of another year", "application/json", samples(100, 1e7), "samples of other moments", 200},
		{"samples of one moment", "application/json", samples(100, 0), "samples of other moments", 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if got := r.Header.Get("Authorization"); got != "Bearer s3cret-token-1" {
					t.Errorf("Authorization %q", got)
				}
				w.Header()["Content-Type"] = nil
				if c.kind != "" {
					w.Header().Set("Content-Type", c.kind)
				}
				if c.status == 302 {
					w.Header().Set("Location", "https://elsewhere.example/")
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			defer s.Close()
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			p := &Prometheus{URL: s.URL, Client: client, Header: http.Header{"Authorization": {"Bearer s3cret-token-1"}}}
			_, err := p.Range(t.Context(), halfHour)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") || len(err.Error()) > 1000 {
				t.Errorf("%v, want %q in it", err, c.want)
			}
			var api *APIError
			if errors.As(err, &api) != (c.status == 400) {
				t.Errorf("%T", err)
			}
		})
	}
}

func TestErrorsHideTheURL(t *testing.T) {
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	p := &Prometheus{URL: strings.Replace(s.URL, "http://", "http://me:hunter22@", 1) + "/?token=hunter23"}
	_, err := p.Range(t.Context(), halfHour)
	if err == nil || strings.Contains(err.Error(), "hunter") {
		t.Errorf("%v", err)
	}
}

// A body without end is given up, not read.
func TestEndlessAnswer(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"status":"success","junk":[`)
		line := strings.Repeat(`"`+strings.Repeat("x", 1<<16)+`",`, 16)
		for {
			if _, err := fmt.Fprint(w, line); err != nil {
				return
			}
		}
	}))
	defer s.Close()
	p := &Prometheus{URL: s.URL}
	if _, err := p.Range(t.Context(), halfHour); err == nil || !strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("%v", err)
	}
}

func TestWarningsAreRemarks(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"status":"success","warnings":["store gateway 2 is\u001b[31m away"],"infos":["x"],"data":{"resultType":"matrix","result":null}}`)
	}))
	defer s.Close()
	var remarks []string
	p := &Prometheus{URL: s.URL, Remark: func(r string) { remarks = append(remarks, r) }}
	if _, err := p.Range(t.Context(), halfHour); err != nil {
		t.Fatal(err)
	}
	if len(remarks) == 0 || !strings.Contains(remarks[0], "store gateway 2 is [31m away") {
		t.Errorf("%q", remarks)
	}
}

func FuzzDecodeAnswer(f *testing.F) {
	f.Add(`{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"__name__":"vllm:num_requests_running","pod":"p"},"values":[[1435781430.781,"1"],[1435781445.781,"NaN"]]}]}}`)
	f.Add(`{"status":"error","errorType":"bad_data","error":"x","data":null}`)
	f.Add(`{"data":{"result":[{"metric":null,"values":null,"histograms":[[1,{"count":"1"}]]}]},"warnings":["w"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		// Some hundred years, so that any sample near now is one that was asked for.
		a, err := decodeAnswer(strings.NewReader(text), asked{time.Unix(0, 0), time.Unix(4e9, 0), time.Second})
		if err != nil {
			if len(err.Error()) > 1000 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			return
		}
		if _, err := snapshotsOf(a.Series, own); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if _, err := snapshotsOf(a.Series, attributed); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
