package httpd

import (
	"net/http"
	"testing"
	"time"
)

func TestExportersAnswerBesideTheEngine(t *testing.T) {
	s := serve(t, quick(), Options{CountWindow: 5 * time.Second})
	for path, name := range map[string]string{"/dcgm/metrics": "DCGM_FI_PROF_SM_ACTIVE", "/node/metrics": "node_cpu_seconds_total", "/metrics": "vllm:num_requests_running"} {
		answer, text := ask(t, s, http.MethodGet, path, "")
		if answer.StatusCode != http.StatusOK || families(t, []byte(text))[name] == nil {
			t.Errorf("%s: %s, without %s", path, answer.Status, name)
		}
	}
	if err := s.SetFaults(Faults{NoMetrics: true, NoDCGM: true, NoNode: true}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dcgm/metrics", "/node/metrics", "/metrics"} {
		if answer, _ := ask(t, s, http.MethodGet, path, ""); answer.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("%s is down and answers %s", path, answer.Status)
		}
	}
	if err := s.SetFaults(Faults{ScrapeMS: 100}); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if answer, _ := ask(t, s, http.MethodGet, "/metrics", ""); answer.StatusCode != http.StatusOK || time.Since(began) < 100*time.Millisecond {
		t.Errorf("%s after %v, want 200 after 100 ms", answer.Status, time.Since(began))
	}
}

// The exporters look at the engine by themselves, and see what it does.
func TestExportersSeeTheEngine(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{Speed: 20})
	body := open(t, s, `{`+hello+`,"stream":true,"max_tokens":8000,"ignore_eos":true}`)
	defer body.Body.Close()
	eventually(t, "a busy GPU", func() bool {
		_, text := ask(t, s, http.MethodGet, "/dcgm/metrics", "")
		return value(families(t, []byte(text)), "DCGM_FI_DEV_GPU_UTIL") == 100
	})
	eventually(t, "CPU time of the container", func() bool {
		_, text := ask(t, s, http.MethodGet, "/node/metrics", "")
		return value(families(t, []byte(text)), "container_cpu_usage_seconds_total") > 0
	})
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("never seen: " + what)
}

func TestEngineStallStopsTokensWhileRequestsRun(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{})
	body := open(t, s, `{`+hello+`,"stream":true,"max_tokens":4000,"ignore_eos":true}`)
	defer body.Body.Close()
	generated := func() float64 { return value(scrape(t, s), "vllm:generation_tokens_total") }
	eventually(t, "a token", func() bool { return generated() > 0 })
	if err := s.SetFaults(Faults{EngineStall: true}); err != nil {
		t.Fatal(err)
	}
	before := -1.0
	eventually(t, "no token more", func() bool { // the step under way still ends
		now := generated()
		still := now == before
		before = now
		return still
	})
	if running := value(scrape(t, s), "vllm:num_requests_running"); running != 1 {
		t.Errorf("%g running in a stalled engine, want 1", running)
	}
	if err := s.SetFaults(Faults{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "tokens again", func() bool { return generated() > before })
}

func TestThrottledClockSlowsTheEngine(t *testing.T) {
	s := serve(t, quick(), Options{Faults: Faults{ThermalClock: 0.5}})
	if _, c := s.loop.engine.Config(), s.loop.engine.Config().Throttle.Clock; c != 0.5 {
		t.Errorf("the engine's clock is %g, want 0.5", c)
	}
	if err := s.SetFaults(Faults{}); err != nil {
		t.Fatal(err)
	}
	if s.loop.engine.Config().Throttle.On() {
		t.Error("the clock stays down when the fault is gone")
	}
}

func TestShedCountsAsARejection(t *testing.T) {
	s := serve(t, quick(), Options{Faults: Faults{Shed: 1}})
	if answer, _ := ask(t, s, http.MethodPost, chatPath, `{`+hello+`}`); answer.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("answered %s, want 503", answer.Status)
	}
	got := scrape(t, s)
	if n := value(got, "vllm:admission_rejections_total"); n != 1 {
		t.Errorf("%g rejections counted, want 1", n)
	}
	if n := value(got, "http_requests_total", "status=5xx"); n != 1 {
		t.Errorf("%g answers of 5xx counted, want 1", n)
	}
}

func TestFewFrontendWorkersDelayTokens(t *testing.T) {
	cfg := quick()
	cfg.Frontend.Workers, cfg.Frontend.Request, cfg.Frontend.PromptToken = 1, 0, 0
	cfg.Frontend.OutputToken = 5 * time.Millisecond
	s := serve(t, cfg, Options{})
	began := time.Now()
	got := read(t, s, `{`+hello+`,"stream":true,"max_tokens":40,"ignore_eos":true,"stream_options":{"include_usage":true}}`)
	if took := time.Since(began); got.completion != 40 || took < 200*time.Millisecond {
		t.Errorf("%d tokens in %v, want 40 in 200 ms: 5 ms each in one process", got.completion, took)
	}
	if cpu := value(scrape(t, s), "process_cpu_seconds_total"); cpu < 0.199 || cpu > 0.201 {
		t.Errorf("the API server used %g s of CPU, want 0.2", cpu)
	}
}

func TestMFUMetricsCountOnlyWhenAsked(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := serve(t, quick(), Options{MFUMetrics: on})
		ask(t, s, http.MethodPost, textPath, `{"prompt":"one two three four","max_tokens":5}`)
		got := scrape(t, s)
		for _, name := range []string{"vllm:estimated_flops_per_gpu_total", "vllm:estimated_read_bytes_per_gpu_total", "vllm:estimated_write_bytes_per_gpu_total"} {
			if g := value(got, name); (g > 1e3) != on {
				t.Errorf("with --enable-mfu-metrics %v: %s = %g", on, name, g)
			}
		}
	}
}

func TestChunkDelayHoldsTheStream(t *testing.T) {
	s := serve(t, slow(time.Millisecond), Options{Faults: Faults{ChunkMS: 60}})
	began := time.Now()
	if got := read(t, s, ten); got.completion != 10 || time.Since(began) < 60*time.Millisecond {
		t.Errorf("%+v after %v", got, time.Since(began))
	}
}

func TestFaultsOfTheMachineAreChecked(t *testing.T) {
	for _, f := range []Faults{{ThermalClock: 1.5}, {BrakeClock: -1}, {Shed: 2}, {CFSThrottled: -0.1}, {NVLinkErrors: -1}, {EFADrops: 1e12}, {GPU: -1}, {XID: -79}, {ScrapeMS: -1}} {
		if f.check() == nil {
			t.Errorf("%+v is accepted", f)
		}
	}
}
