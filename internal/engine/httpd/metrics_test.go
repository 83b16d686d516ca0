package httpd

import (
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"assay/internal/engine"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

func scrape(t testing.TB, s *Server) map[string]*dto.MetricFamily {
	t.Helper()
	answer, text := ask(t, s, http.MethodGet, "/metrics", "")
	if got := answer.Header.Get("Content-Type"); got != metricsType {
		t.Errorf("content type %q", got)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return families
}

// value sums a family's series that have the given labels, name=value.
func value(families map[string]*dto.MetricFamily, name string, labels ...string) float64 {
	sum := 0.0
	for _, m := range families[name].GetMetric() {
		has := map[string]bool{}
		for _, l := range m.GetLabel() {
			has[l.GetName()+"="+l.GetValue()] = true
		}
		if slices.ContainsFunc(labels, func(l string) bool { return !has[l] }) {
			continue
		}
		sum += m.GetGauge().GetValue() + m.GetCounter().GetValue() + float64(m.GetHistogram().GetSampleCount())
	}
	return sum
}

// TestFamiliesAreThoseOfVLLM holds names, types, labels and buckets against
// the list made from a vLLM 0.32.
func TestFamiliesAreThoseOfVLLM(t *testing.T) {
	s := serve(t, quick(), Options{})
	got := scrape(t, s)
	list, err := os.ReadFile("testdata/vllm-0.32/metrics-list.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, line := range strings.Split(string(list), "\n") {
		cells := strings.Split(strings.Trim(line, "| "), "|")
		if len(cells) < 5 || !strings.HasPrefix(cells[0], "vllm:") {
			continue
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		name, kind, labels, buckets := cells[0], cells[1], cells[2], cells[3]
		f, ok := got[name]
		if !ok {
			t.Errorf("%s is missing", name)
			continue
		}
		checked++
		if g := strings.ToLower(f.GetType().String()); g != kind {
			t.Errorf("%s is a %s, want %s", name, g, kind)
		}
		if f.GetHelp() != strings.Join(cells[4:], "|") {
			t.Errorf("%s: help %q", name, f.GetHelp())
		}
		m := f.GetMetric()[0]
		names := map[string]bool{}
		for _, l := range m.GetLabel() {
			names[l.GetName()] = true
		}
		if g := strings.Join(slices.Sorted(maps.Keys(names)), ", "); !strings.Contains(labels, "(") && g != labels {
			t.Errorf("%s has labels %s, want %s", name, g, labels)
		}
		if kind == "histogram" {
			var bounds []string
			for _, b := range m.GetHistogram().GetBucket() {
				bounds = append(bounds, number(b.GetUpperBound()))
			}
			if g := strings.Join(bounds, " "); g != buckets {
				t.Errorf("%s has buckets\n%s, want\n%s", name, g, buckets)
			}
		}
		if kind != "gauge" && got[strings.TrimSuffix(name, "_total")+"_created"] == nil && got[name+"_created"] == nil {
			t.Errorf("%s has no _created", name)
		}
	}
	if checked < 35 {
		t.Errorf("only %d families compared", checked)
	}
}

func TestMetricsCountWhatWasServed(t *testing.T) {
	s := serve(t, quick(), Options{ServedModel: "tiny"})
	ask(t, s, http.MethodPost, textPath, `{"prompt":"one two three four","max_tokens":5}`)
	ask(t, s, http.MethodPost, textPath, `{"prompt":"one two three four","max_tokens":3,"n":2,"stop":[" "]}`)
	got := scrape(t, s)
	for _, tc := range []struct {
		name   string
		labels []string
		want   float64
	}{
		{"vllm:prompt_tokens_total", nil, 12},
		{"vllm:generation_tokens_total", []string{"engine=0", "model_name=tiny"}, 7},
		{"vllm:request_success_total", []string{"finished_reason=length"}, 1},
		{"vllm:request_success_total", []string{"finished_reason=stop"}, 2},
		{"vllm:request_params_n", nil, 2},
		{"vllm:request_max_num_generation_tokens", nil, 2},
		{"vllm:request_params_max_tokens", nil, 3},
		{"vllm:time_to_first_token_seconds", nil, 3},
		{"vllm:inter_token_latency_seconds", nil, 4},
		{"vllm:request_time_per_output_token_seconds", nil, 3},
		{"vllm:e2e_request_latency_seconds", nil, 3},
		{"vllm:request_queue_time_seconds", nil, 3},
		{"vllm:num_requests_running", nil, 0},
		{"vllm:kv_cache_usage_perc", nil, 0},
		{"vllm:prefix_cache_queries_total", nil, 12},
		{"assay_sim_max_num_seqs", nil, 32},
		{"assay_sim_max_num_batched_tokens", nil, 8192},
		{"http_requests_total", []string{"handler=" + textPath, "method=POST", "status=2xx"}, 2},
	} {
		if g := value(got, tc.name, tc.labels...); g != tc.want {
			t.Errorf("%s%v = %g, want %g", tc.name, tc.labels, g, tc.want)
		}
	}
	// Prompts in full, and one for each output token.
	if g := got["vllm:iteration_tokens_total"].GetMetric()[0].GetHistogram().GetSampleSum(); g != 12+7 {
		t.Errorf("iteration tokens sum to %g, want 19", g)
	}
	if s := got["process_start_time_seconds"]; s == nil {
		t.Error("no process_start_time_seconds")
	}
}

func TestPreemptionIsCountedWithTheNextOutput(t *testing.T) {
	m := newMetrics(1024)
	cfg := quick()
	cfg.MaxModelLen, cfg.KVBlocks = 128, 10
	e, err := engine.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	a := &answer{choices: make([]*choice, 3), ready: make(chan struct{}, 1)}
	for i := range a.choices {
		a.choices[i] = &choice{answer: a, index: i}
		if _, err := e.Submit(0, engine.Request{PromptLen: 48, MaxTokens: 40, IgnoreEOS: true, Owner: a.choices[i]}); err != nil {
			t.Fatal(err)
		}
	}
	lagged := false
	for e.Open() > 0 {
		step := e.Step(0)
		m.step(e, step.Outputs)
		lagged = lagged || e.Counters().Preemptions > int64(m.preemptions)
	}
	if !lagged || m.preemptions == 0 || int64(m.preemptions) != e.Counters().Preemptions {
		t.Errorf("lagged %v; counted %g at the end, the engine %d", lagged, m.preemptions, e.Counters().Preemptions)
	}
	if m.running != 0 || m.waiting != 0 {
		t.Errorf("running %d, waiting %d at the end", m.running, m.waiting)
	}
}

func TestCacheConfigInfo(t *testing.T) {
	s := serve(t, quick(), Options{})
	labels := map[string]string{}
	for _, l := range scrape(t, s)["vllm:cache_config_info"].GetMetric()[0].GetLabel() {
		labels[l.GetName()] = l.GetValue()
	}
	if labels["block_size"] != "16" || labels["num_gpu_blocks"] != strconv.Itoa(s.Config().KVBlocks) || labels["engine"] != "0" {
		t.Errorf("labels %v", labels)
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0.0", 3: "3.0", 0.25: "0.25", 1e15: "1000000000000000.0", 0.001: "0.001"} {
		if got := number(v); got != want {
			t.Errorf("number(%g) = %s, want %s", v, got, want)
		}
	}
}
