package survey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"assay/internal/record"
)

// publishing is a replica that counts on with each scrape; more adds to what it
// says.
func publishing(t *testing.T, more func(n int) string) Endpoint {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		k := int(n.Add(1))
		fmt.Fprintf(w, "vllm:num_requests_running{model_name=\"m\"} 8\nvllm:num_requests_waiting{model_name=\"m\"} 5\nvllm:generation_tokens_total{model_name=\"m\"} %d\n", 10*k)
		fmt.Fprint(w, more(k))
	}))
	t.Cleanup(s.Close)
	return Endpoint{Metrics: Place{URL: s.URL + "/metrics", Shown: s.URL + "/metrics", Client: http.DefaultClient}}
}

func nothingMore(int) string { return "" }

// endingAfter ends a context once so many scrapes were answered.
type endingAfter struct {
	left atomic.Int64
	end  context.CancelFunc
}

func (e *endingAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	if e.left.Add(-1) < 0 {
		e.end()
		return nil, r.Context().Err()
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A watch that ends within its first look tells what was seen.
func TestWatchInterruptedEarly(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ending := &endingAfter{end: cancel}
	ending.left.Store(6)
	e := publishing(t, nothingMore)
	e.Metrics.Client = &http.Client{Transport: ending}
	var events []Event
	last, err := Watch(ctx, Options{Replicas: []Endpoint{e}, For: time.Minute, Interval: 10 * time.Millisecond}, time.Minute, func(e Event) { events = append(events, e) })
	if err != nil || last == nil || len(events) != 1 || events[0].Result != last || !last.Interrupted {
		t.Errorf("%+v, %v, %d events; want what six scrapes saw", last, err, len(events))
	}
}

// A look that the user ends early judges what was seen until then.
func TestInterruptedLook(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ending := &endingAfter{end: cancel}
	ending.left.Store(6)
	e := publishing(t, nothingMore)
	e.Metrics.Client = &http.Client{Transport: ending}
	r, err := Look(ctx, Options{Replicas: []Endpoint{e}, For: time.Minute, Interval: 10 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Instances[0].Server == nil || r.Instances[0].Server.Samples != 6 || *r.Instances[0].Server.RunningMean != 8 {
		t.Errorf("interrupted %v, account %+v", r.Interrupted, r.Instances[0].Server)
	}
}

func TestOneReplicaOutOfReach(t *testing.T) {
	e := publishing(t, nothingMore)
	gone := httptest.NewServer(http.NotFoundHandler())
	defer gone.Close()
	lost := Endpoint{Metrics: Place{URL: gone.URL + "/metrics?key=hunter2", Shown: gone.URL + "/metrics", Client: http.DefaultClient}}
	opt := Options{Replicas: []Endpoint{e, lost}, For: 200 * time.Millisecond, Interval: 20 * time.Millisecond}
	r, err := Look(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	i := r.Instances[1]
	if !i.Odd || !strings.Contains(i.Failed, "HTTP 404") || strings.Contains(i.Failed, "hunter2") || i.Bound.Verdict != record.BoundUnknown {
		t.Errorf("%+v", i)
	}
	opt.Replicas = []Endpoint{lost}
	if _, err = Look(t.Context(), opt); !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("%v", err)
	}
}

// Bodies that are no metrics of an engine are said to be that.
func TestHostileReplicas(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"a page", "<!DOCTYPE html><html></html>", "not Prometheus text"},
		{"another exporter", "node_load1 0.5\n", "none of an engine's metrics"},
		{"nothing", "", "none of an engine's metrics"},
		{"a million series", strings.Repeat("x 1\n", 1_000_000), "more than 50000 lines"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.body) }))
			defer s.Close()
			e := Endpoint{Metrics: Place{URL: s.URL, Shown: s.URL, Client: http.DefaultClient}}
			_, err := Look(t.Context(), Options{Replicas: []Endpoint{e}, For: 50 * time.Millisecond})
			if !errors.Is(err, ErrUnreachable) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// slowly answers after a time that is longer than the look.
type slowly time.Duration

func (s slowly) RoundTrip(*http.Request) (*http.Response, error) {
	time.Sleep(time.Duration(s))
	return nil, errors.New("too late")
}

// A replica that holds back its answers does not hold the look for more than two
// of them: the one that the end falls into, and the last.
func TestSlowReplica(t *testing.T) {
	for range 20 { // either of two timers that are due may be seen first
		synctest.Test(t, func(t *testing.T) {
			e := Endpoint{Metrics: Place{URL: "http://slow/metrics", Shown: "slow", Client: &http.Client{Transport: slowly(4 * time.Second)}}}
			start := time.Now()
			_, err := Look(t.Context(), Options{Replicas: []Endpoint{e}, For: 2 * time.Second})
			if took := time.Since(start); !errors.Is(err, ErrUnreachable) || took > 8*time.Second {
				t.Errorf("%v after %v, want 8s", err, took)
			}
		})
	}
}

// An engine that has no metrics unless it is told to says so by what it is.
func TestWhatMakesAnEnginePublish(t *testing.T) {
	for _, c := range []struct {
		engine string
		status int
		want   string
	}{
		{"llama.cpp", http.StatusNotImplemented, "start it with that"},
		{"sglang", http.StatusNotFound, "--enable-metrics"},
		{"vllm", http.StatusOK, "--disable-log-stats"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) }))
		e := Endpoint{Metrics: Place{URL: s.URL, Shown: s.URL, Client: http.DefaultClient, Engine: func(context.Context) string { return c.engine }}}
		if _, err := Look(t.Context(), Options{Replicas: []Endpoint{e}, For: 50 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, HTTP %d: %v; want %q in it", c.engine, c.status, err, c.want)
		}
		s.Close()
	}
}

// Whatever finite numbers a replica gives, the result can be written as JSON.
func TestResultsAreFinite(t *testing.T) {
	odd := rapid.SampledFrom([]float64{0, 5e-324, 1e-300, 1, 3, 1e300, math.MaxFloat64, -1e300})
	rapid.Check(t, func(rt *rapid.T) {
		var all []seen
		for k := range 3 {
			s := seen{name: fmt.Sprint(k)}
			for i := range 20 {
				one := sample{running: odd.Draw(rt, "running"), waiting: odd.Draw(rt, "waiting"), kv: odd.Draw(rt, "kv"), tokens: odd.Draw(rt, "tokens"), requests: odd.Draw(rt, "requests")}
				s.snapshots = append(s.snapshots, one.at(t, i))
			}
			all = append(all, s)
		}
		r := &Result{}
		for _, s := range all {
			r.Instances = append(r.Instances, instanceOf(s, Options{}, nil))
		}
		r.extent(all)
		r.Differences = apart(r.Instances)
		r.Bound = together(r.Instances)
		if _, err := json.Marshal(r); err != nil {
			rt.Fatal(err)
		}
	})
}

// A watch tells the first verdict, a change, a replica that is lost, and that
// nothing changed.
func TestWatch(t *testing.T) {
	var lost atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if lost.Load() {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		fmt.Fprint(w, "vllm:num_requests_running{model_name=\"m\"} 0\n")
	}))
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	opt := Options{For: 40 * time.Millisecond, Interval: 10 * time.Millisecond,
		Replicas: []Endpoint{{Metrics: Place{URL: s.URL, Shown: s.URL, Client: http.DefaultClient}}}}
	var events []string
	last, err := Watch(ctx, opt, time.Millisecond, func(e Event) {
		if len(events) == 0 || events[len(events)-1] != e.Event {
			events = append(events, e.Event)
		}
		switch len(events) {
		case 2:
			lost.Store(true)
		case 3:
			lost.Store(false)
		case 4:
			cancel()
		}
	})
	if err != nil || last == nil || last.Bound.Verdict != record.BoundNotSaturated {
		t.Errorf("%+v, %v", last, err)
	}
	if got := strings.Join(events, " "); got != "change heartbeat failed change" {
		t.Errorf("events %q", got)
	}
}

func TestAlternatingProcessesAreRefused(t *testing.T) {
	e := publishing(t, func(n int) string { return fmt.Sprintf("process_start_time_seconds %d\n", 1_700_000_000+n%2) })
	_, err := Look(t.Context(), Options{Replicas: []Endpoint{e}, For: time.Minute, Interval: 10 * time.Millisecond})
	var usage *UsageError
	if !errors.As(err, &usage) || !strings.Contains(usage.Hint(), "one --metrics for each pod") {
		t.Errorf("%v", err)
	}
	once := publishing(t, func(n int) string {
		return fmt.Sprintf("process_start_time_seconds %d\n", time.Now().Unix()-100+int64(min(n/3, 1))*50)
	})
	r, err := Look(t.Context(), Options{Replicas: []Endpoint{once}, For: time.Second, Interval: 20 * time.Millisecond})
	if err != nil || len(r.Instances[0].Restarts) == 0 {
		t.Errorf("a restart: %v, %+v", err, r)
	}
}

func TestEndpointsPairExporters(t *testing.T) {
	place := func(s string) Place { return Place{URL: s, Shown: s} }
	two := []Place{place("a"), place("b")}
	all, err := Endpoints(two, []Place{place("ga"), place("gb")}, nil)
	if err != nil || all[0].DCGM[0].URL != "ga" || all[1].DCGM[0].URL != "gb" {
		t.Errorf("%+v, %v", all, err)
	}
	all, err = Endpoints(two[:1], []Place{place("g1"), place("g2")}, []Place{place("n")})
	if err != nil || len(all[0].DCGM) != 2 || len(all[0].Node) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err = Endpoints(two, []Place{place("g")}, nil); err == nil {
		t.Error("one --dcgm for two replicas: no error")
	}
}

// Exporters are read beside the engine, several as one.
func TestExportersBeside(t *testing.T) {
	e := publishing(t, nothingMore)
	var scrapes atomic.Int64 // the exporter itself moves all the time
	for _, gpu := range []string{"0", "1"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "DCGM_FI_DEV_SM_CLOCK{gpu=%q,UUID=\"GPU-%s\",modelName=\"NVIDIA H100 80GB HBM3\"} 1500\nprocess_cpu_seconds_total %d\n", gpu, gpu, scrapes.Add(1))
		}))
		defer s.Close()
		e.DCGM = append(e.DCGM, Place{URL: s.URL, Shown: s.URL, Client: http.DefaultClient})
	}
	e.Node = []Place{{URL: "http://127.0.0.1:1/metrics", Shown: "http://127.0.0.1:1/metrics", Client: http.DefaultClient}}
	r, err := Look(t.Context(), Options{Replicas: []Endpoint{e}, For: 200 * time.Millisecond, Interval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if g := r.Instances[0].GPU; g == nil || g.Count != 2 {
		t.Errorf("GPU account %+v, want one of 2", g)
	}
	said := strings.Join(r.Remarks, "\n")
	if r.Instances[0].Node != nil || !strings.Contains(said, "127.0.0.1:1/metrics") {
		t.Errorf("remarks %q", r.Remarks)
	}
	if g := r.Instances[0].GPU; g == nil || g.SMClockMHz != nil || !slices.Contains(r.Bound.Missing, g.Coarse) {
		t.Errorf("GPU account %+v, missing %q: these GPUs always say the same", g, r.Bound.Missing)
	}
}
