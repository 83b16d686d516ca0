package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
)

// services are servers that are watched in production: engines that others use.
var services = map[string]func(*testscript.TestScript, string){
	"busy":           func(ts *testscript.TestScript, v string) { ts.Setenv(v, inUse(ts, unhurried())) },
	"busy-capped":    func(ts *testscript.TestScript, v string) { ts.Setenv(v, inUse(ts, capped())) },
	"busy-kv":        func(ts *testscript.TestScript, v string) { ts.Setenv(v, inUse(ts, smallKV())) },
	"busy-slow":      func(ts *testscript.TestScript, v string) { ts.Setenv(v, inUse(ts, throttled())) },
	"counted-capped": func(ts *testscript.TestScript, v string) { ts.Setenv(v, counted(ts, inUse(ts, capped()))) },
	"capped":         func(ts *testscript.TestScript, v string) { ts.Setenv(v, idle(ts, capped())) },
	"alternating": func(ts *testscript.TestScript, v string) {
		ts.Setenv(v, alternating(ts, inUse(ts, unhurried()), inUse(ts, unhurried())))
	},
	"prometheus": func(ts *testscript.TestScript, v string) {
		s := httptest.NewServer(http.HandlerFunc(recordedAPI))
		ts.Defer(s.Close)
		ts.Setenv(v, s.URL)
	},
}

// unhurried steps every 15 ms or so, so that a loaded machine keeps up.
func unhurried() engine.Config {
	cfg := engine.Demo()
	cfg.BandwidthScale = 0.1
	return cfg
}

func capped() engine.Config {
	cfg := unhurried()
	cfg.MaxNumSeqs = 2
	return cfg
}

func smallKV() engine.Config {
	cfg := unhurried()
	cfg.KVBlocks, cfg.MaxModelLen = 24, 320
	return cfg
}

func throttled() engine.Config {
	cfg := unhurried()
	cfg.BandwidthScale /= 4
	return cfg
}

// inUse starts an engine that eight clients use until the script ends.
func inUse(ts *testscript.TestScript, cfg engine.Config) string {
	s, err := httpd.Start(cfg, httpd.Options{})
	ts.Check(err)
	ctx, cancel := context.WithCancel(context.Background())
	var clients sync.WaitGroup
	for range 8 {
		clients.Go(func() {
			for ctx.Err() == nil {
				complete(ctx, s)
			}
		})
	}
	ts.Defer(func() { cancel(); clients.Wait(); s.Terminate(0) })
	return s.URL()
}

// idle starts an engine that nobody uses.
func idle(ts *testscript.TestScript, cfg engine.Config) string {
	s, err := httpd.Start(cfg, httpd.Options{})
	ts.Check(err)
	ts.Defer(func() { s.Terminate(0) })
	return s.URL()
}

func complete(ctx context.Context, s *httpd.Server) {
	body := fmt.Sprintf(`{"model":%q,"prompt":%q,"max_tokens":48,"ignore_eos":true}`, s.Model(), strings.Repeat("word ", 100))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/completions", strings.NewReader(body))
	if err != nil {
		return
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

// alternating is a Service of two replicas: each connection meets the next one.
func alternating(ts *testscript.TestScript, replicas ...string) string {
	var n atomic.Uint64
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		u, _ := url.Parse(replicas[n.Add(1)%uint64(len(replicas))])
		r.SetURL(u)
	}}
	s := httptest.NewServer(proxy)
	ts.Defer(s.Close)
	return s.URL
}

// scrapes counts what was asked of each counted server, by its URL.
var scrapes sync.Map

// counted passes requests on and counts them.
func counted(ts *testscript.TestScript, replica string) string {
	u, err := url.Parse(replica)
	ts.Check(err)
	n := &atomic.Int64{}
	s := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { n.Add(1); r.SetURL(u) }})
	ts.Defer(s.Close)
	scrapes.Store(s.URL, n)
	return s.URL
}

// waitScrapes waits until a counted server was asked so many times more:
// waitscrapes URL N.
func waitScrapes(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: waitscrapes URL N")
	}
	more, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	counter, ok := scrapes.Load(args[0])
	if !ok {
		ts.Fatalf("%s is not counted", args[0])
	}
	n := counter.(*atomic.Int64)
	deadline, until := time.Now().Add(2*time.Minute), n.Load()+more
	for n.Load() < until {
		if time.Now().After(deadline) {
			ts.Fatalf("%s was asked %d times, want %d", args[0], n.Load(), until)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// recordedSeries are of two replicas of a Deployment, the second of which has its
// KV cache full: labels, the value at the start and its growth each second.
var recordedSeries = []struct {
	labels           map[string]string
	start, perSecond float64
}{
	{series("vllm:num_requests_running", "a"), 4, 0},
	{series("vllm:num_requests_waiting", "a"), 0, 0},
	{series("vllm:kv_cache_usage_perc", "a"), 0.2, 0},
	{series("vllm:generation_tokens_total", "a"), 1000, 200},
	{series("vllm:num_requests_running", "b"), 20, 0},
	{series("vllm:num_requests_waiting", "b"), 12, 0},
	{series("vllm:kv_cache_usage_perc", "b"), 0.99, 0},
	{series("vllm:num_preemptions_total", "b"), 5, 0.5},
	{series("vllm:generation_tokens_total", "b"), 1000, 900},
}

func series(name, pod string) map[string]string {
	return map[string]string{"__name__": name, "engine": "0", "model_name": "m", "namespace": "llm", "pod": pod, "instance": pod + ":8000", "job": "vllm"}
}

var matchers = regexp.MustCompile(`([A-Za-z_]+)(=~|=)("(?:[^"\\]|\\.)*")`)

// recordedAPI answers range queries from recordedSeries, for those who know the
// token.
func recordedAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Header.Get("Authorization") != "Bearer prom-token-77" {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"status":"error","errorType":"unauthorized","error":"no such token: %s"}`, r.Header.Get("Authorization"))
		return
	}
	query := r.PostFormValue("query")
	if strings.Contains(query, "nonsense") {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"status":"error","errorType":"bad_data","error":"1:40: parse error: unexpected identifier"}`)
		return
	}
	number := func(name string) float64 { v, _ := strconv.ParseFloat(r.PostFormValue(name), 64); return v }
	result := []any{}
	for _, s := range recordedSeries {
		if !selects(query, s.labels) {
			continue
		}
		var values [][]any
		for at := number("start"); at <= number("end"); at += number("step") {
			values = append(values, []any{at, fmt.Sprint(s.start + (at-number("start"))*s.perSecond)})
		}
		result = append(result, map[string]any{"metric": s.labels, "values": values})
	}
	json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "matrix", "result": result}})
}

func selects(query string, labels map[string]string) bool {
	for _, m := range matchers.FindAllStringSubmatch(query, -1) {
		value, err := strconv.Unquote(m[3])
		if err != nil || m[2] == "=" && labels[m[1]] != value ||
			m[2] == "=~" && !regexp.MustCompile("^(?:"+value+")$").MatchString(labels[m[1]]) {
			return false
		}
	}
	return true
}
