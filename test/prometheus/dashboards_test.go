package prometheus

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/manifest/dashboard"
)

// empty are panels that rightly show nothing of this service, and why.
var empty = map[string]string{
	"Prompt from caches elsewhere": "no KV connector",
}

// TestEveryPanelShowsSomething asks a Prometheus that scrapes the simulated engine
// under load, with its exporters, for all that the dashboards ask.
func TestEveryPanelShowsSomething(t *testing.T) {
	t.Parallel()
	sim := busyEngine(t)
	prom := start(t, simTargets(sim))
	waiting := map[string]ask{}
	for _, a := range asks(t) {
		waiting[a.String()] = a
	}
	within(t, "something in each panel", func() bool {
		for key, a := range waiting {
			if shows(prom.query(t, a.now())) {
				delete(waiting, key)
			}
		}
		done := true
		for _, a := range waiting {
			_, rightly := empty[a.panel]
			done = done && rightly
		}
		return done
	})
	left := map[string]bool{}
	for _, a := range waiting {
		left[a.panel] = true
	}
	for panel, why := range empty {
		if !left[panel] {
			t.Errorf("%s shows something, though %s: take it off the list", panel, why)
		}
	}
}

func shows(answer []sample) bool {
	for _, s := range answer {
		if !math.IsNaN(s.value) {
			return true
		}
	}
	return false
}

// TestTilesJudge switches faults on and off and looks at the tiles.
func TestTilesJudge(t *testing.T) {
	t.Parallel()
	sim := busyEngine(t)
	prom := start(t, simTargets(sim))
	tile := map[string]string{}
	for _, a := range asks(t) {
		tile[a.board+": "+a.panel] = a.now()
	}
	becomes := func(name string, ok func(v float64) bool) {
		t.Helper()
		expr, there := tile[name]
		if !there {
			t.Fatalf("no panel %s", name)
		}
		within(t, name+" as it should be", func() bool {
			answer := prom.query(t, expr)
			return len(answer) == 1 && ok(answer[0].value)
		})
	}
	becomes("assay-kv: Engines short of KV", func(v float64) bool { return v == 1 })
	none := func(v float64) bool { return v == 0 }
	some := func(v float64) bool { return v > 0 }
	counts := []string{
		"assay-overview: GPUs slowed", "assay-gpu: GPUs slowed", "assay-gpu: GPUs with a grave XID",
		"assay-gpu: GPUs with double-bit errors", "assay-gpu: GPUs that cannot remap", "assay-overview: Failed requests",
	}
	for _, name := range append(counts, "assay-overview: Stalled servers", "assay-overview: Servers down", "assay-gpu: Exporters down") {
		becomes(name, none)
	}
	faulty := httpd.Faults{ThermalClock: 0.5, XID: 79, DoubleBitErrors: 2, RowRemapFailure: true, ErrorRate: 0.5}
	if err := sim.SetFaults(faulty); err != nil {
		t.Fatal(err)
	}
	for _, name := range counts {
		becomes(name, some)
	}
	if err := sim.SetFaults(httpd.Faults{EngineStall: true}); err != nil {
		t.Fatal(err)
	}
	becomes("assay-overview: Stalled servers", some)
	becomes("assay-gpu: GPUs slowed", none)
	becomes("assay-gpu: GPUs that cannot remap", none)
	if err := sim.SetFaults(httpd.Faults{NoMetrics: true, NoDCGM: true}); err != nil {
		t.Fatal(err)
	}
	becomes("assay-overview: Servers down", some)
	becomes("assay-gpu: Exporters down", some)
	if err := sim.SetFaults(httpd.Faults{}); err != nil {
		t.Fatal(err)
	}
	becomes("assay-overview: Servers down", none)
	becomes("assay-overview: Stalled servers", none)
}

// TestNoTrafficIsNoError looks at an engine that serves nobody, and at none.
func TestNoTrafficIsNoError(t *testing.T) {
	t.Parallel()
	sim := serve(t)
	prom := start(t, simTargets(sim))
	within(t, "two scrapes", func() bool {
		return shows(prom.query(t, `rate(vllm:generation_tokens_total[10s])`)) && shows(prom.query(t, `rate(DCGM_FI_DEV_THERMAL_VIOLATION[10s])`))
	})
	for _, a := range asks(t) {
		answer := prom.query(t, a.now())
		switch a.panel {
		case "First token within 500 ms", "Next token within 50 ms", "Failed requests", "Budget left: first tokens", "Mean prompt":
			if shows(answer) {
				t.Errorf("%s: %s shows %v without a request", a.board, a.panel, answer)
			}
		case "Stalled servers", "Servers down", "Engines short of KV", "Running", "Preemptions":
			if !shows(answer) {
				t.Errorf("%s: %s shows nothing", a.board, a.panel)
			}
		}
		if a.panel == "Servers down" {
			gone := prom.query(t, strings.ReplaceAll(a.now(), `job=~"vllm"`, `job=~"gone"`))
			if len(gone) != 1 || gone[0].value != -1 {
				t.Errorf("%s: %v servers down of none, want -1, which is shown as no target", a.board, gone)
			}
		}
	}
}

// TestGPUsFindTheirPodsEitherWay: the scrape renames the exporter's label pod, or
// honours it.
func TestGPUsFindTheirPodsEitherWay(t *testing.T) {
	t.Parallel()
	sim := serve(t)
	targets := simTargets(sim)
	honoured := targets[1]
	honoured.job, honoured.honor = "dcgm-honoured", true
	prom := start(t, append(targets, honoured))
	checked := 0
	for _, a := range asks(t) {
		if a.panel != "GPUs of its pods" {
			continue
		}
		checked++
		each := strings.Replace(a.now(), "avg(", "count by (job) (", 1)
		within(t, "GPUs of both jobs", func() bool { return len(prom.query(t, each)) == 2 })
		other := strings.ReplaceAll(each, `model_name=~".*"`, `model_name=~"another"`)
		if got := prom.query(t, other); len(got) != 0 {
			t.Errorf("another model has the GPUs too: %v", got)
		}
	}
	if checked == 0 {
		t.Error("no panel shows the GPUs of a service's pods")
	}
}

// TestOldNamesAreReadBesideNewOnes is a roll-out: one server publishes what vLLM
// 0.9 did, the other what 0.32 does, of one model.
func TestOldNamesAreReadBesideNewOnes(t *testing.T) {
	t.Parallel()
	exporter := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, rollOut(time.Now().Unix()%1e6))
	}))
	t.Cleanup(exporter.Close)
	prom := start(t, []target{{job: "vllm", url: exporter.URL + "/metrics"}})
	for panel, want := range map[string]float64{
		"Next token within 50 ms": 0.375, // of 80 tokens of the one 20, of 80 of the other 40
		"Fullest KV cache":        0.7,
		"Prompt from the cache":   0.375,
	} {
		found := 0
		for _, a := range asks(t) {
			if a.panel != panel || a.board == "assay-slo" || strings.Contains(a.expr, "by (pod, instance)") {
				continue
			}
			found++
			within(t, panel+" of both", func() bool {
				answer := prom.query(t, a.now())
				return len(answer) == 1 && math.Abs(answer[0].value-want) < 1e-6
			})
		}
		if found == 0 {
			t.Errorf("no panel %s", panel)
		}
	}
}

// rollOut is two servers' metrics after so many seconds.
func rollOut(n int64) string {
	return fmt.Sprintf(`vllm:num_requests_running{model_name="m",engine="0",server="new"} 1
vllm:kv_cache_usage_perc{model_name="m",engine="0",server="new"} 0.3
vllm:inter_token_latency_seconds_bucket{model_name="m",server="new",le="0.05"} %[2]d
vllm:inter_token_latency_seconds_bucket{model_name="m",server="new",le="+Inf"} %[3]d
vllm:inter_token_latency_seconds_count{model_name="m",server="new"} %[3]d
vllm:prefix_cache_hits_total{model_name="m",server="new"} %[2]d
vllm:prefix_cache_queries_total{model_name="m",server="new"} %[3]d
vllm:num_requests_running{model_name="m",server="old"} 1
vllm:gpu_cache_usage_perc{model_name="m",server="old"} 0.7
vllm:time_per_output_token_seconds_bucket{model_name="m",server="old",le="0.05"} %[1]d
vllm:time_per_output_token_seconds_bucket{model_name="m",server="old",le="+Inf"} %[3]d
vllm:time_per_output_token_seconds_count{model_name="m",server="old"} %[3]d
vllm:gpu_prefix_cache_hits_total{model_name="m",server="old"} %[1]d
vllm:gpu_prefix_cache_queries_total{model_name="m",server="old"} %[3]d
`, 20*n, 40*n, 80*n)
}

// ask is one expression of a panel.
type ask struct{ board, panel, expr string }

func (a ask) String() string { return a.board + ", " + a.panel + ": " + a.expr }

// now is the expression with the variables as Grafana would fill them in, and the
// time shown a minute.
func (a ask) now() string {
	return strings.NewReplacer(
		"$__rate_interval", "10s", "$__range", "1m", "$job", "vllm", "$gpujob", "dcgm",
		"$namespace", ".*", "$model", ".*", "$pod", ".*", "$host", ".*",
	).Replace(a.expr)
}

func asks(t *testing.T) []ask {
	t.Helper()
	boards, err := dashboard.All(dashboard.Options{OperatingPoint: &dashboard.OperatingPoint{Running: 24, Source: "a run"}})
	if err != nil {
		t.Fatal(err)
	}
	var all []ask
	for _, b := range boards {
		var d struct {
			Panels []struct {
				Title   string
				Targets []struct{ Expr string }
			}
		}
		if err := json.Unmarshal(b.JSON, &d); err != nil {
			t.Fatal(err)
		}
		for _, p := range d.Panels {
			for _, q := range p.Targets {
				all = append(all, ask{b.Name, p.Title, q.Expr})
			}
		}
	}
	if len(all) < 100 {
		t.Fatalf("%d queries in %d dashboards", len(all), len(boards))
	}
	return all
}

// serve is a simulated engine of two GPUs, with a KV cache that is soon full.
func serve(t *testing.T) *httpd.Server { return serveWith(t, httpd.Options{}) }

func serveWith(t *testing.T, opt httpd.Options) *httpd.Server {
	t.Helper()
	cfg, err := engine.Preset("2xH100", "llama-3.2-1b")
	if err != nil {
		t.Fatal(err)
	}
	cfg.MaxNumSeqs, cfg.MaxModelLen, cfg.KVBlocks = 16, 1024, 130
	cfg.BandwidthScale = 0.1 // slow steps, so that the test costs little
	s, err := httpd.Start(cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		_ = s.Shutdown(ctx) // at once, which it calls an error
	})
	return s
}

// busyEngine is one under a closed loop of more requests than it takes at once.
func busyEngine(t *testing.T) *httpd.Server { return busyWith(t, httpd.Options{}) }

func busyWith(t *testing.T, opt httpd.Options) *httpd.Server {
	s := serveWith(t, opt)
	var clients sync.WaitGroup
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(func() { stop(); clients.Wait() })
	for i := range 24 {
		clients.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				prompt := strings.Repeat("the same words for all of them ", 10) + fmt.Sprint(i, n)
				_ = complete(ctx, s, prompt, 200) // faults are meant to fail some
			}
		})
	}
	return s
}

func complete(ctx context.Context, s *httpd.Server, prompt string, tokens int) error {
	body, err := json.Marshal(map[string]any{"model": s.Model(), "prompt": prompt, "max_tokens": tokens, "ignore_eos": true})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL()+"/v1/completions", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// simTargets are the engine and its exporters, labelled as a cluster's service
// discovery would.
func simTargets(s *httpd.Server) []target {
	return []target{
		{job: "vllm", url: s.URL() + "/metrics", labels: map[string]string{"namespace": "default", "pod": "assay-sim-0"}},
		{job: "dcgm", url: s.URL() + "/dcgm/metrics", labels: map[string]string{"namespace": "gpu-operator", "pod": "dcgm-exporter-x"}},
		{job: "kubelet", url: s.URL() + "/node/metrics", honor: true},
	}
}
