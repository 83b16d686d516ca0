package telemetry

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"assay/internal/record"
)

func load(t testing.TB, file string, at float64) Snapshot {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := Parse(f)
	if err != nil {
		t.Fatal(err)
	}
	s.At = time.Unix(0, 0).Add(time.Duration(at * float64(time.Second)))
	return s
}

func parse(t testing.TB, text string, at float64) Snapshot {
	t.Helper()
	s, err := Parse(strings.NewReader(text))
	if err != nil {
		t.Fatalf("Parse: %v\n%s", err, text)
	}
	s.At = time.Unix(0, 0).Add(time.Duration(at * float64(time.Second)))
	return s
}

func p(v float64) *float64 { return &v }

var near = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*max(1, math.Abs(a)) })

// The scrapes are of a vLLM 0.32 before and after 44 requests; the figures were
// read from the files by hand.
func TestFoldRealScrapes(t *testing.T) {
	got := Fold([]Snapshot{load(t, "vllm-0.32-before.prom", 0), load(t, "vllm-0.32-after.prom", 33)})
	want := record.Server{
		Samples:     2,
		RunningMean: p(0), RunningMax: p(0), WaitingMean: p(0), WaitingMax: p(0), WaitingShare: p(0),
		KVUsageMean: p(0), KVUsageMax: p(0),
		Preemptions: p(0), PromptTokens: p(16966), OutputTokens: p(547), Finished: p(44),
		PrefixHits: p(8064), PrefixQueries: p(16966),
		IterationTokens: p(9449.0 / 538),
		TTFTMean:        p(1000 * 20.71654772758484 / 44),
		QueueMean:       p(1000 * 0.0010688119996302703 / 44),
		PrefillMean:     p(1000 * 20.3699781190021 / 44),
		DecodeMean:      p(1000 * 1.0043511769995348 / 44),
		E2EMean:         p(1000 * 21.860854864120483 / 44),
		ITLMean:         p(1000 * 1.0043511769995348 / 503),
		KVTokens:        p(4194304),
		Engines:         1,
		WaitingCapacity: p(0), WaitingDeferred: p(0), ProcessCPU: p((16.74 - 16.25) / 33),
	}
	if d := cmp.Diff(want, got, near); d != "" {
		t.Errorf("Fold: -want +got\n%s", d)
	}
}

func TestRealRestart(t *testing.T) {
	d := Delta(load(t, "vllm-0.32-after.prom", 0), load(t, "vllm-0.32-preempt.prom", 1))
	if !strings.Contains(d.Changed, "restarted") {
		t.Errorf("Changed = %q, want a restart", d.Changed)
	}
	if v, ok := d.Counter(OutputTokens); ok {
		t.Errorf("Counter after a restart = %v, want none", v)
	}
}

func TestValuesGoRound(t *testing.T) {
	s := load(t, "vllm-0.32-after.prom", 7)
	again, err := FromValues(s.At, s.Values())
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(s, again, cmp.AllowUnexported(Snapshot{}, series{}, label{}), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("FromValues(Values()): -want +got\n%s", d)
	}
	for key := range s.Values() {
		bucket := strings.Contains(key, "_bucket") && !strings.HasPrefix(key, "vllm:time_to_first_token") && !strings.HasPrefix(key, "vllm:inter_token")
		if bucket || strings.Contains(key, "_created") {
			t.Errorf("%s is kept, though nothing reads it", key)
		}
	}
}

func TestNames(t *testing.T) {
	type reading map[Quantity]float64
	for _, c := range []struct {
		name, text, engine string
		want               reading
		absent             []Quantity
	}{
		{"vLLM before 0.10", `
vllm:gpu_cache_usage_perc{model_name="m"} 0.5
vllm:num_preemptions{model_name="m"} 3
vllm:generation_tokens{model_name="m"} 12
`, "vllm", reading{KVUsage: 0.5, Preemptions: 3, OutputTokens: 12}, []Quantity{Running, Waiting, PromptTokens, MaxNumSeqs}},
		{"the new name wins", `
vllm:gpu_cache_usage_perc 0.1
vllm:kv_cache_usage_perc 0.7
`, "vllm", reading{KVUsage: 0.7}, nil},
		{"blocks where the size in tokens is not given", `
vllm:cache_config_info{block_size="16",num_gpu_blocks="1000",engine="0",kv_cache_size_tokens="None"} 1
`, "vllm", reading{KVTokens: 16000}, nil},
		{"neither", `
vllm:cache_config_info{block_size="16",num_gpu_blocks="None"} 1
`, "vllm", nil, []Quantity{KVTokens}},
		{"the simulator's limits", `
vllm:num_requests_running{engine="0"} 4
assay_sim_max_num_seqs 256
assay_sim_max_num_batched_tokens 2048
`, "vllm", reading{Running: 4, MaxNumSeqs: 256, MaxBatchedTokens: 2048}, nil},
		{"two engines", `
vllm:num_requests_running{engine="0"} 4
vllm:num_requests_running{engine="1"} 6
vllm:kv_cache_usage_perc{engine="0"} 0.2
vllm:kv_cache_usage_perc{engine="1"} 0.4
assay_sim_max_num_batched_tokens{engine="0"} 2048
assay_sim_max_num_batched_tokens{engine="1"} 2048
`, "vllm", reading{Running: 10, KVUsage: 0.3, MaxBatchedTokens: 2048}, nil},
		{"SGLang, whose retracted gauge is no counter", `
sglang:num_running_reqs{model_name="m"} 5
sglang:num_queue_reqs{model_name="m"} 2
sglang:token_usage{model_name="m"} 0.93
sglang:max_total_num_tokens{model_name="m"} 100000
sglang:num_retracted_reqs{model_name="m"} 1
`, "sglang", reading{Running: 5, Waiting: 2, KVUsage: 0.93, KVTokens: 100000}, []Quantity{Preemptions}},
		{"TGI", `
# TYPE tgi_request_generated_tokens histogram
tgi_request_generated_tokens_bucket{le="+Inf"} 2
tgi_request_generated_tokens_sum 40
tgi_request_generated_tokens_count 2
tgi_queue_size 1
tgi_batch_current_size 3
`, "tgi", reading{OutputTokens: 40, Waiting: 1, Running: 3}, nil},
		{"TensorRT-LLM", `
trtllm_kv_cache_utilization{model_name="m",engine_type="trtllm"} 0.62
trtllm_num_requests_waiting 4
`, "tensorrt-llm", reading{KVUsage: 0.62, Waiting: 4}, nil},
		{"LMDeploy", `
lmdeploy:num_requests_running{model_name="m",engine="0"} 2
lmdeploy:gpu_cache_usage_perc{model_name="m",engine="0"} 0.25
`, "lmdeploy", reading{Running: 2, KVUsage: 0.25}, nil},
		{"llama.cpp, with what it writes for a rate without requests", `
llamacpp:requests_processing 4
llamacpp:requests_deferred 46
llamacpp:tokens_predicted_total 17029
llamacpp:kv_cache_usage_ratio nan
`, "llama.cpp", reading{Running: 4, Waiting: 46, OutputTokens: 17029}, []Quantity{KVUsage}},
		{"nothing known", "node_load1 0.5\n", "", nil, []Quantity{Running, KVUsage}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, c.text, 0)
			if s.Engine != c.engine || s.Empty() != (c.engine == "") {
				t.Errorf("Engine = %q, Empty = %v, want %q", s.Engine, s.Empty(), c.engine)
			}
			for q, want := range c.want {
				if got, ok := s.Value(q); !ok || math.Abs(got-want) > 1e-12 {
					t.Errorf("%s = %v, %v; want %v", q, got, ok, want)
				}
			}
			for _, q := range c.absent {
				if got, ok := s.Value(q); ok {
					t.Errorf("%s = %v, want it to be absent", q, got)
				}
			}
		})
	}
}

func TestChanged(t *testing.T) {
	const base = `process_start_time_seconds 100
vllm:generation_tokens_total{engine="0"} 50
vllm:generation_tokens_total{engine="1"} 10
vllm:num_requests_running{engine="0"} 9
`
	edit := func(old, new string) string { return strings.Replace(base, old, new, 1) }
	for _, c := range []struct{ name, after, want string }{
		{"nothing", base, ""},
		{"growth and a falling gauge", edit(`running{engine="0"} 9`, `running{engine="0"} 0`), ""},
		{"another start time", edit("seconds 100", "seconds 200"), "start time went from 100 to 200"},
		{"one engine's reset behind the other's growth", `process_start_time_seconds 100
vllm:generation_tokens_total{engine="0"} 500
vllm:generation_tokens_total{engine="1"} 1
`, `vllm:generation_tokens_total{engine="1"} fell from 10 to 1`},
		{"an engine more", base + "vllm:num_requests_running{engine=\"2\"} 1\n", `from "0", "1" to "0", "1", "2"`},
		{"an engine less", `process_start_time_seconds 100
vllm:generation_tokens_total{engine="0"} 50
`, `from "0", "1" to "0"`},
		{"a series less", edit("vllm:generation_tokens_total{engine=\"1\"} 10\n", "vllm:num_requests_running{engine=\"1\"} 1\n"), "is gone"},
		{"out of reach", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Delta(parse(t, base, 0), parse(t, c.after, 1)).Changed
			if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("Changed = %q, want %q in it", got, c.want)
			}
		})
	}
}

func TestMissingIsNotZero(t *testing.T) {
	before := parse(t, "vllm:num_requests_running 1\n", 0)
	after := parse(t, "vllm:num_requests_running 1\nvllm:num_preemptions_total 4\n", 1)
	if v, ok := Delta(before, after).Counter(Preemptions); !ok || v != 4 {
		t.Errorf("a series first used within the window: %v, %v; want 4", v, ok)
	}
	if v, ok := Delta(Snapshot{}, after).Counter(Preemptions); ok {
		t.Errorf("with the earlier scrape out of reach: %v, want none, as 4 counts from the server's start", v)
	}
	if v, ok := Delta(before, before).Counter(Preemptions); ok {
		t.Errorf("an engine without the counter: %v, want none", v)
	}
	a := Fold([]Snapshot{before, before})
	if a.KVUsageMax != nil || a.WaitingMean != nil || a.Preemptions != nil || a.TTFTMean != nil || a.StepMS != nil {
		t.Errorf("Fold made up values: %+v", a)
	}
	if a := Fold(nil); !cmp.Equal(a, record.Server{}) {
		t.Errorf("Fold(nil) = %+v, want nothing", a)
	}
}

func TestFoldGauges(t *testing.T) {
	snap := func(at float64, running, waiting int, kv0, kv1 float64, steps int) Snapshot {
		return parse(t, fmt.Sprintf(`
vllm:num_requests_running{engine="0"} %d
vllm:num_requests_waiting{engine="0"} %d
vllm:kv_cache_usage_perc{engine="0"} %g
vllm:kv_cache_usage_perc{engine="1"} %g
vllm:iteration_tokens_total_sum{engine="0"} %d
vllm:iteration_tokens_total_count{engine="0"} %d
`, running, waiting, kv0, kv1, 32*steps, steps), at)
	}
	a := Fold([]Snapshot{
		snap(0, 8, 0, 0.5, 0.1, 0),
		{}, // a scrape that failed
		snap(1, 16, 4, 0.9, 0.1, 50),
		snap(2, 0, 0, 0.1, 0.1, 50),
		snap(4, 8, 4, 0.5, 0.1, 100),
	})
	want := record.Server{
		Samples: 4, RunningMean: p(8), RunningMax: p(16), WaitingMean: p(2), WaitingMax: p(4), WaitingShare: p(0.5),
		KVUsageMean: p(0.3), KVUsageMax: p(0.9), IterationTokens: p(32),
		StepMS:  p(1000 * 4 * 0.75 * 2 / 100), // two engines step side by side, busy in three samples of four
		Engines: 2,
	}
	if d := cmp.Diff(want, a, near); d != "" {
		t.Errorf("Fold: -want +got\n%s", d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("# HELP vllm:kv_cache_usage_perc KV-cache usage.\n# TYPE vllm:kv_cache_usage_perc gauge\nvllm:kv_cache_usage_perc{engine=\"0\",model_name=\"tiny\"} 0.5\n")
	f.Add("vllm:cache_config_info{block_size=\"128\",engine=\"0\",num_gpu_blocks=\"None\"} 1.0\n")
	f.Add("vllm:num_requests_running{engine=\"a\\\"},{\\n\"} 1\n")
	f.Add("# TYPE vllm:iteration_tokens_total histogram\nvllm:iteration_tokens_total_count NaN\n")
	f.Add("llamacpp:requests_processing +Inf 3\n")
	f.Add("# TYPE vllm:time_to_first_token_seconds histogram\nvllm:time_to_first_token_seconds_bucket{le=\"1.0\"} 2\nvllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 3\nvllm:time_to_first_token_seconds_count 3\nvllm:time_to_first_token_seconds_sum 4\n")
	f.Add("vllm:inter_token_latency_seconds_bucket{le=\"x\"} 2\nvllm:inter_token_latency_seconds_count 3\n")
	f.Add("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-0\",exported_pod=\"a\",pod=\"b\"} 9223372036854775794\nDCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu=\"0\",UUID=\"GPU-0\"} 1e18\n")
	f.Add("DCGM_EXP_XID_ERRORS_COUNT{gpu=\"0\",window_size_in_ms=\"nan\",xid=\"79\"} 1\nDCGM_FI_DEV_XID_ERRORS{gpu=\"0\",GPU_I_ID=\"1\"} 1e300\n")
	f.Add("node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 1\ncontainer_cpu_usage_seconds_total{container=\"a\",cpu=\"total\"} 1e308\n")
	f.Add("vllm:num_preemptions 3\nvllm:num_preemptions_total 4\n")
	f.Add("[{\"a\":1}]")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(strings.NewReader(text))
		if err != nil {
			return
		}
		for key, v := range s.Values() {
			if !finite(v) {
				t.Errorf("%s = %v", key, v)
			}
		}
		again, err := FromValues(s.At, s.Values())
		if err != nil {
			t.Fatalf("FromValues of own Values: %v", err)
		}
		if d := cmp.Diff(s.Values(), again.Values()); d != "" {
			t.Errorf("Values differ after a round: %s", d)
		}
		later := again
		later.At = s.At.Add(time.Second)
		for _, account := range []any{Fold([]Snapshot{s, later}), FoldGPU([]Snapshot{s, later, later}), FoldNode([]Snapshot{s, later})} {
			if _, err := json.Marshal(account); err != nil {
				t.Errorf("%v: %+v", err, account)
			}
		}
		if why, ok := Alternates([]Snapshot{s, later, s}); ok {
			t.Errorf("one process answers in turn with itself: %s", why)
		}
		if share, ok := Delta(s, later).Share(TTFT, 1); ok && !finite(share) {
			t.Errorf("a share of %v", share)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text, err := os.ReadFile("testdata/vllm-0.32-after.prom")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := Parse(strings.NewReader(string(text))); err != nil {
			b.Fatal(err)
		}
	}
}
