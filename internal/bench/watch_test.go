package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/wire"
)

func contains(s, part string) bool { return strings.Contains(s, part) }

// exporter answers in virtual time, and collects at intervals.
type exporter struct {
	collects time.Duration
	start    time.Time
	mu       sync.Mutex
	scrapes  int
}

func (e *exporter) RoundTrip(*http.Request) (*http.Response, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.scrapes++
	n := int(time.Since(e.start) / e.collects)
	body := fmt.Sprintf("DCGM_FI_DEV_POWER_USAGE{UUID=\"GPU-1\",gpu=\"0\"} %d\nprocess_cpu_seconds_total %d\n", 100+n, e.scrapes)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body)), Header: http.Header{"Content-Type": {"text/plain"}}}, nil
}

func TestAnExporterLeavesALineForEachCollection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &exporter{collects: 30 * time.Second, start: time.Now()}
		var emitted []record.MetricsSample
		w := &watcher{
			places: []place{{of: record.OfGPU, url: "http://node:9400/metrics", shown: "http://node:9400/metrics", client: &http.Client{Transport: e}}},
			start:  time.Now(), emit: func(s record.MetricsSample) { emitted = append(emitted, s) },
		}
		end := w.begin(context.Background(), "fixed-c4")
		time.Sleep(95 * time.Second)
		got := end()
		var at []string
		for _, s := range got {
			at = append(at, fmt.Sprintf("%d%s", s.AtUS/1e6, s.Edge))
		}
		if want := "0start 30 60 90 95end"; strings.Join(at, " ") != want {
			t.Errorf("lines at %v, want %s", at, want)
		}
		if len(emitted) != len(got) {
			t.Errorf("%d lines are recorded and %d folded", len(emitted), len(got))
		}
		if most := 95 + 2; e.scrapes > most {
			t.Errorf("%d scrapes in 95 s, more than %d", e.scrapes, most)
		}
	})
}

// turns serves the metrics of two processes, one after the other.
func turns(t *testing.T) string {
	var mu sync.Mutex
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		n++
		started := time.Now().Add(-time.Hour).Unix() + int64(600*(n%2))
		_, _ = io.WriteString(w, "process_start_time_seconds "+strconv.FormatInt(started, 10)+"\nvllm:num_requests_running{engine=\"0\"} 1\n")
	}))
	t.Cleanup(s.Close)
	return s.URL + "/metrics"
}

func TestMetricsOfSeveralReplicasBehindOneURLAreRefused(t *testing.T) {
	s := sim(t, nil)
	o := options(t, s.URL(), short("fixed", spec.Scenario{Concurrency: []int{2}, NumRequests: 4, Exact: true}))
	o.Metrics.Engine = []string{turns(t)}
	_, err := run(t, o, &quiet{})
	var usage *usageError
	if !errors.As(err, &usage) || !contains(err.Error(), "--metrics URL once for each pod") {
		t.Errorf("error %v; want one of usage that names the way out", err)
	}
}

func TestReplicasGPUsAndNodesAreRead(t *testing.T) {
	a := sim(t, nil)
	b := sim(t, func(c *engine.Config, _ *httpd.Options) { c.Seed = 2 })
	o := options(t, a.URL(), short("fixed", spec.Scenario{Concurrency: []int{4}, Duration: 5 * time.Second}))
	o.Metrics = Metrics{Engine: []string{a.URL() + "/metrics", b.URL() + "/metrics"}, GPU: []string{a.URL() + "/dcgm/metrics", b.URL() + "/dcgm/metrics"}, Node: []string{"http://127.0.0.1:1/none"}}
	v := &quiet{}
	r, err := run(t, o, v)
	if err != nil {
		t.Fatal(err)
	}
	l := r.Levels[0]
	if l.Server == nil || l.Server.Engines != 2 || l.GPU == nil || l.GPU.Count != 2 || l.GPU.SMActive == nil || l.Node != nil {
		t.Errorf("server %+v, GPU %+v, node %+v; want two engines, two GPUs and no node", l.Server, l.GPU, l.Node)
	}
	if l.Server != nil && (l.Server.OutputTokens == nil || *l.Server.OutputTokens < 16*float64(l.Requests.Completed)) {
		t.Errorf("output tokens %v of %d requests", l.Server.OutputTokens, l.Requests.Completed)
	}
	if notes := strings.Join(r.Notes, "\n"); !contains(notes, "no node metrics at http://127.0.0.1:1/none") {
		t.Errorf("notes %q do not say that the node is out of reach", notes)
	}
	again, err := Reopen(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := again.MetricsSamples()
	if err != nil {
		t.Fatal(err)
	}
	if folded := accountsOf(r.Start, lines); folded.gpu == nil || folded.gpu.SMActive == nil || *folded.gpu.SMActive != *l.GPU.SMActive {
		t.Errorf("from the lines SM activity is %+v, in the run %v", folded.gpu, *l.GPU.SMActive)
	}
}

// An engine that has metrics elsewhere than beside its API, or only when asked to.
func TestWhyThereAreNoEngineMetricsIsSaid(t *testing.T) {
	for _, c := range []struct {
		engine string
		status int
		want   string
	}{
		{"sglang", http.StatusNotFound, "--enable-metrics"},
		{"llama.cpp", http.StatusNotImplemented, "HTTP 501"},
		{"vllm", http.StatusOK, "--disable-log-stats"},
		{"", http.StatusForbidden, "need a key"},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(c.status) }))
		client, err := wire.New(wire.Endpoint{URL: s.URL, API: wire.Chat, Model: "m"}, wire.Options{})
		if err != nil {
			t.Fatal(err)
		}
		target := &target{client: client}
		target.info.Engine.Name = c.engine
		if err := target.findMetrics(t.Context(), Metrics{}); err != nil || len(target.places) > 0 || !contains(target.noneBeside, c.want) {
			t.Errorf("%s with HTTP %d: %v, %d places, %q; want %q said", c.engine, c.status, err, len(target.places), target.noneBeside, c.want)
		}
		client.Close()
		s.Close()
	}
}
