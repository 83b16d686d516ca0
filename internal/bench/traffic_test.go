package bench

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/record"
	"assay/internal/spec"
)

func hasNote(r *record.Run, words ...string) bool {
	return slices.ContainsFunc(r.Notes, func(n string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(n, w) })
	})
}

// Turns carry the answers before them, so that a prefix cache serves all but
// what is new; with unique prompts alone it serves nothing.
func TestSessionsAreServedFromTheCache(t *testing.T) {
	s := sim(t, nil)
	sc := short("fixed", spec.Scenario{Concurrency: []int{3}, NumRequests: 30, Exact: true, Traffic: spec.Traffic{
		Turns: spec.Fixed(3), TurnPrompt: spec.Fixed(40), ThinkTime: 5 * time.Millisecond,
	}})
	r, err := run(t, options(t, s.URL(), sc), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Levels[0]
	if l.Requests.Completed != 30 || l.Sessions == nil || l.Sessions.Failed != 0 {
		t.Fatalf("requests %+v, sessions %+v", l.Requests, l.Sessions)
	}
	// Two of three turns repeat 64 and 120 tokens, of which whole blocks of 16
	// are cached where the answer's words become the same tokens again.
	if l.Cached == nil || *l.Cached < 30/3*2*48 {
		t.Errorf("cached tokens %v", l.Cached)
	}
	if n := l.Sessions.InProgress; math.Abs(n-3) > 0.15 {
		t.Errorf("%.2f sessions in progress, want 3 with users who think", n)
	}
	if l.Reuse != record.ReuseSession || !l.Load.Sessions || !hasNote(r, "sessions played to their end") {
		t.Errorf("reuse %q, load %+v, notes %q", l.Reuse, l.Load, r.Notes)
	}
}

// --request-rate is of requests: sessions of four turns begin at a quarter of it.
func TestRateOfSessionsIsOfRequests(t *testing.T) {
	s := sim(t, nil)
	sc := short("fixed", spec.Scenario{RequestRate: []float64{40}, Arrival: "constant", NumRequests: 80, Exact: true, Traffic: spec.Traffic{
		Turns: spec.Fixed(4), TurnPrompt: spec.Fixed(20), History: spec.HistoryRecorded,
	}})
	o := options(t, s.URL(), sc)
	r, err := run(t, o, &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	var begun []int64
	folder, err := record.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.EachRequest(func(q record.Request) error {
		if q.Turn == 1 {
			begun = append(begun, q.IntendedUS)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(begun)
	for i := 1; i < len(begun); i++ {
		if gap := begun[i] - begun[i-1]; gap != 100_000 {
			t.Errorf("sessions %d us apart, want 100,000: 10 a second of 4 turns", gap)
		}
	}
	if l := r.Levels[0]; l.Load.Value != 40 || l.Requests.Completed != 80 {
		t.Errorf("load %+v, requests %+v", l.Load, l.Requests)
	}
}

func TestMixedModelsAreToldApart(t *testing.T) {
	s := sim(t, func(_ *engine.Config, o *httpd.Options) { o.ServedModel, o.Adapters = "base", []string{"a", "b"} })
	sc := short("fixed", spec.Scenario{Concurrency: []int{4}, NumRequests: 60, Exact: true, Traffic: spec.Traffic{
		Models: []spec.ModelShare{{Model: "base", Weight: 2}, {Model: "a", Weight: 1}, {Model: "b", Weight: 1}},
	}})
	r, err := run(t, options(t, s.URL(), sc), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Levels[0]
	sum := 0
	for _, m := range l.Models {
		sum += m.Requests.Completed
		if m.TTFT.N != m.Requests.Completed || m.Requests.Completed == 0 {
			t.Errorf("%+v", m)
		}
	}
	if len(l.Models) != 3 || sum != 60 || !hasNote(r, "mix of models", "a (", "b (") {
		t.Errorf("models %+v of 60 requests; notes %q", l.Models, r.Notes)
	}

	sc.Models = append(sc.Models, spec.ModelShare{Model: "absent", Weight: 1})
	if _, err := run(t, options(t, s.URL(), sc), &quiet{}); err == nil || !strings.Contains(err.Error(), `"absent"; it serves base, a, b`) {
		t.Errorf("a model that is not served: %v", err)
	}
}

// witness passes requests on to a server and keeps their bodies.
type witness struct {
	mu     sync.Mutex
	bodies []string
}

func (w *witness) before(t *testing.T, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(u)
	proxy.FlushInterval = -1
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.mu.Lock()
		w.bodies = append(w.bodies, string(body))
		w.mu.Unlock()
		// The simulated engine sees no images: they are taken out for it.
		body = withoutImages(body)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestImagesTravelWithPrompts(t *testing.T) {
	var w witness
	url := w.before(t, sim(t, nil).URL())
	sc := short("fixed", spec.Scenario{Concurrency: []int{2}, NumRequests: 10, Exact: true, Warmup: -1, Traffic: spec.Traffic{
		Images: 2, ImageSize: spec.Size{Width: 32, Height: 16}, ImageFormat: "jpeg",
	}})
	o := options(t, url, sc)
	if _, err := run(t, o, &quiet{}); err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, b := range w.bodies {
		if n := strings.Count(b, "data:image/jpeg;base64,"); n == 2 {
			with++
		}
	}
	if with != 10 {
		t.Errorf("%d requests had two images, want 10", with)
	}
	folder, err := record.Open(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if err := folder.EachRequest(func(q record.Request) error {
		if q.Images != 2 || q.Bytes < 500 {
			t.Errorf("request %s: %d images in %d bytes", q.ID, q.Images, q.Bytes)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	o = options(t, url, sc)
	o.API = "completions"
	if _, err := run(t, o, &quiet{}); err == nil || !strings.Contains(err.Error(), "image") {
		t.Errorf("images for completions: %v", err)
	}
}

func writeTrace(t *testing.T, rows int, every time.Duration) string {
	t.Helper()
	var b strings.Builder
	for i := range rows {
		fmt.Fprintf(&b, `{"timestamp":%d,"input_length":%d,"output_length":5,"hash_ids":[1,%d]}`+"\n", int64(i)*every.Milliseconds(), 600, 100+i)
	}
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReplayIsAnOpenLoopOfTheTrace(t *testing.T) {
	s := sim(t, nil)
	sc := short(spec.Dataset, spec.Scenario{DatasetPath: writeTrace(t, 40, 40*time.Millisecond), Traffic: spec.Traffic{
		Replay: spec.ReplayTimestamps, Speed: []float64{2, 4},
	}})
	r, err := run(t, options(t, s.URL(), sc), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Levels) != 2 || !r.Complete {
		t.Fatalf("%d levels, complete %t", len(r.Levels), r.Complete)
	}
	for i, want := range []float64{50, 100} {
		l := r.Levels[i]
		if l.Load.Kind != record.ByRate || l.Load.Arrival != record.ArrivalTrace || math.Abs(l.Load.Value-want) > want/100 || l.Load.Speed != want/25 {
			t.Errorf("load %+v, want %g requests/s", l.Load, want)
		}
		if n := l.Requests.Completed + l.Requests.Warmup; n != 40 {
			t.Errorf("%d of 40 rows were sent", n)
		}
		// All prompts share their first block of 512; the second level's is another.
		if n := int64(l.Requests.Completed); l.Cached == nil || *l.Cached < n*480 || *l.Cached > n*512 {
			t.Errorf("%v tokens cached of %d prompts that share 512", l.Cached, n)
		}
		if *l.Got.Prompt != 600 || *l.Got.Output != 5 || l.Reuse != record.ReuseTrace {
			t.Errorf("got %g in and %g out, reuse %q; want 600 and 5 of a trace", *l.Got.Prompt, *l.Got.Output, l.Reuse)
		}
		if !hasNote(r, l.ID, "replay of", "trace.jsonl", fmt.Sprintf("at %gx", want/25)) {
			t.Errorf("notes %q do not say what was replayed", r.Notes)
		}
	}
}

// At a second speed, and in a second scenario, the same texts are sent again: a
// cache that the first level filled may serve them, and the run says so.
func TestTextsReplayedAgainAreMarked(t *testing.T) {
	s := sim(t, nil)
	var b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&b, `{"text":"question %d","timestamp":%d,"output_length":4}`+"\n", i, i*20)
	}
	path := filepath.Join(t.TempDir(), "texts.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	replay := short(spec.Dataset, spec.Scenario{DatasetPath: path, Warmup: -1, Traffic: spec.Traffic{
		Replay: spec.ReplayTimestamps, Speed: []float64{1, 2},
	}})
	once := short("once", spec.Scenario{DatasetPath: path, Warmup: -1, Concurrency: []int{1}, NumRequests: 5, Exact: true})
	r, err := run(t, options(t, s.URL(), replay, once), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{0, 30, 5} {
		l := r.Levels[i]
		if l.Cache.Repeated != want || (l.Cache.Verdict == record.CacheRepeated) != (want > 0) {
			t.Errorf("%s: %+v, want %d prompts repeated", l.ID, l.Cache, want)
		}
		if hasNote(r, l.ID+":", "had been sent before in this run") != (want > 0) {
			t.Errorf("%s: notes %q", l.ID, r.Notes)
		}
	}
}

func TestReplayIsDescribedFromItsFile(t *testing.T) {
	sc := short(spec.Dataset, spec.Scenario{DatasetPath: writeTrace(t, 40, time.Second), Traffic: spec.Traffic{
		Replay: spec.ReplayTimestamps, Speed: []float64{2},
	}})
	o := options(t, "http://127.0.0.1:1", sc)
	plan, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	l := plan.Describe(o).Levels[0]
	if l.Requests != 40 || l.Prompt != 40*600 || l.Output != 40*5 || !l.Known || l.LongestS != 39./2+2*o.Timeout.Seconds() {
		t.Errorf("%+v", l)
	}
}

// withoutImages is a request's body without its images.
func withoutImages(body []byte) []byte {
	const begin, end = `{"type":"image_url"`, `"}},`
	for {
		i := bytes.Index(body, []byte(begin))
		if i < 0 {
			return body
		}
		j := bytes.Index(body[i:], []byte(end))
		if j < 0 {
			return body
		}
		body = slices.Concat(body[:i], body[i+j+len(end):])
	}
}
