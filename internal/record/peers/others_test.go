package peers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"assay/internal/record"
)

// open writes text as a file of that name and opens it.
func open(t *testing.T, name, text string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSGLang reads lines with the keys that sglang.bench_serving writes (0.5.x,
// read in its source on 2026-11-30); the figures are made up.
func TestSGLang(t *testing.T) {
	line := `{"backend": "sglang-oai", "dataset_name": "random", "request_rate": RATE, "max_concurrency": MAX, "duration": 10.0, "completed": 200, ` +
		`"total_input_tokens": 20000, "total_output_tokens": 10000, "request_throughput": 20.0, "output_throughput": 1000.0, "total_throughput": 3000.0, ` +
		`"mean_e2e_latency_ms": 900.0, "median_e2e_latency_ms": 880.0, "p99_e2e_latency_ms": 1500.0, "mean_ttft_ms": 80.0, "median_ttft_ms": 70.0, "std_ttft_ms": 9.0, "p99_ttft_ms": 200.0, ` +
		`"mean_tpot_ms": 16.5, "median_tpot_ms": 16.0, "mean_itl_ms": 15.0, "median_itl_ms": 14.0, "p95_itl_ms": 20.0, "p99_itl_ms": 30.0, "max_itl_ms": NaN}`
	text := strings.NewReplacer("RATE", "Infinity", "MAX", "16").Replace(line) + "\n" + strings.NewReplacer("RATE", "4.0", "MAX", "null").Replace(line) + "\n" +
		strings.NewReplacer("RATE", `"trace"`, "MAX", "null").Replace(line) + "\n"
	f := open(t, "sglang.jsonl", text)
	var ids []string
	for _, l := range f.Run.Levels {
		ids = append(ids, l.ID)
	}
	if d := cmp.Diff([]string{"fixed-c16", "fixed-r4", "fixed-c200"}, ids); d != "" {
		t.Errorf("levels (-want +got):\n%s", d)
	}
	l := f.Run.Levels[0]
	if l.TTFT.N != 200 || value(l.TTFT.Mean) != 80 || value(l.TTFT.P50) != 70 || l.TTFT.P99 != nil || l.Quoted["ttft.p99"] != 200 {
		t.Errorf("TTFT is %+v, quoted %v: want p99 quoted alone, 200 samples cannot support it", l.TTFT, l.Quoted)
	}
	if l.ICL.N != 9800 || value(l.ICL.P99) != 30 || l.ICL.Max != nil {
		t.Errorf("ICL is %+v, want 9,800 gaps, p99 30 ms and no maximum", l.ICL)
	}
	if l.Validity.Verdict != record.NotJudged {
		t.Errorf("verdict %s, want %s: aggregates alone", l.Validity.Verdict, record.NotJudged)
	}
	for metric, want := range map[string]bool{ttft: true, itl: false, icl: true, throughput: false} {
		if got, why := f.Run.Comparable(metric); got != want {
			t.Errorf("%s comparable: %v (%s), want %v", metric, got, why, want)
		}
	}
}

// llmdYAML has the structure of a benchmark report 0.2; the figures are made up.
const llmdYAML = `
version: '0.2'
run:
  uid: a
  time: {start: '2026-11-30T10:00:00Z', end: '2026-11-30T10:01:40Z', duration: PT100S}
scenario:
  stack:
  - metadata: {label: epp, cfg_id: x}
    standardized: {kind: generic, tool: request_router, tool_version: ''}
    native: {}
  - metadata: {label: engine, cfg_id: y}
    standardized:
      kind: inference_engine
      tool: vllm
      tool_version: 'v0.32.0'
      role: replica
      replicas: 1
      model: {name: Qwen/Qwen3-0.6B}
      accelerator: {model: H100, count: 2, parallelism: {tp: 2}}
    native: {}
  load:
    metadata: {}
    standardized: {tool: TOOL, tool_version: '1', source: random, input_seq_len: {distribution: fixed, value: 512}, rate_qps: 7.5, concurrency: .inf}
    native: {}
results:
  request_performance:
    aggregate:
      requests:
        total: 1000
        failures: 10
        input_length: {units: count, mean: 512}
        output_length: {units: count, mean: 101}
      latency:
        time_to_first_token: {units: s, mean: 0.25, p50: 0.2, p99: 0.9, stddev: 0.1}
        time_per_output_token: {units: ms/token, mean: 20, p99: 30}
        inter_token_latency: {units: s/token, mean: .nan}
        request_latency: {units: s, mean: 2.5}
      throughput:
        output_token_rate: {units: tokens/s, mean: 999}
        request_rate: {units: queries/s, mean: 9.9}
`

func TestLLMDReport(t *testing.T) {
	f := open(t, "benchmark_report_v0.2.yaml", strings.Replace(llmdYAML, "TOOL", "inference-perf", 1))
	run := f.Run
	if run.Target.Model != "Qwen/Qwen3-0.6B" || run.Target.Engine.Name != "vllm" || *run.Platform.GPU != "H100" || *run.Platform.Count != 2 || *run.Platform.TP != 2 {
		t.Errorf("target %+v on %+v", run.Target, run.Platform)
	}
	l := run.Levels[0]
	if l.ID != "fixed-r7.5" || l.Requests.Completed != 990 || l.Requests.Failed != 10 || l.DurationS != 100 {
		t.Errorf("level %s: %+v in %g s", l.ID, l.Requests, l.DurationS)
	}
	if l.TTFT.N != 990 || value(l.TTFT.P99) != 900 || value(l.ITL.Mean) != 20 || l.ICL.N != 0 || value(l.E2E.Mean) != 2500 {
		t.Errorf("TTFT %+v, ITL %+v, ICL %+v, E2E %+v", l.TTFT, l.ITL, l.ICL, l.E2E)
	}
	for tool, want := range map[string]map[string]bool{
		"inference-perf": {ttft: true, itl: false, icl: false, e2e: true},
		"vllm-benchmark": {ttft: false, itl: false, icl: false, e2e: true},
		"guidellm":       {ttft: true, itl: false, icl: false, e2e: true},
		"aiperf":         {ttft: true, itl: false, icl: false, e2e: true},
		"assay":          {ttft: true, itl: true, icl: true, e2e: true},
		"nop":            {ttft: false, itl: false, icl: false, e2e: false},
	} {
		f := open(t, "report.yaml", strings.Replace(llmdYAML, "TOOL", tool, 1))
		for metric, want := range want {
			if got, why := f.Run.Comparable(metric); got != want {
				t.Errorf("%s: %s comparable: %v (%s), want %v", tool, metric, got, why, want)
			}
		}
	}
}

func TestLLMDUnitsAndVersionsThatAreNotKnownAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"fortnights": strings.Replace(llmdYAML, "units: s, mean: 0.25", "units: fortnights, mean: 0.25", 1),
		"0.1":        strings.Replace(llmdYAML, "'0.2'", "'0.1'", 1),
	} {
		path := filepath.Join(t.TempDir(), "report.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want it named", name, err)
		}
	}
}

// TestChunksWithoutATokenAreTold drops vLLM's chunks with the role or the finish
// reason alone where their number and the gaps show them, and not elsewhere.
func TestChunksWithoutATokenAreTold(t *testing.T) {
	usual := []int64{50_000, 60_000, 70_000, 80_000, 90_000, 100_000, 110_000, 120_000}
	with := func(before, after []int64) []int64 {
		return append(append(append([]int64{}, before...), usual...), after...)
	}
	for name, c := range map[string]struct {
		chunks []int64
		sure   bool
		left   []int64
	}{
		"as many as tokens":               {usual, true, usual},
		"finish with the last":            {with(nil, []int64{120_100}), true, usual},
		"role with the first":             {with([]int64{49_900}, nil), true, usual},
		"role when the request was taken": {with([]int64{2_000}, nil), true, usual},
		"both":                            {with([]int64{2_000}, []int64{120_050}), true, usual},
		"one that looks like a token's":   {with(nil, []int64{130_000}), false, with(nil, []int64{130_000})},
		"fewer than tokens":               {usual[:5], false, usual[:5]},
		"three more":                      {with([]int64{1, 2, 3}, nil), false, with([]int64{1, 2, 3}, nil)},
	} {
		requests := []record.Request{
			{ChunkUS: append([]int64{}, c.chunks...), OutputTokens: tokens(8)},
			{Error: kindFailed},
			{ChunkUS: append([]int64{}, c.chunks...), OutputTokens: tokens(8)},
		}
		if got := dropTokenless(requests); got != c.sure {
			t.Errorf("%s: sure %v, want %v", name, got, c.sure)
		}
		if d := cmp.Diff(c.left, requests[2].ChunkUS); d != "" {
			t.Errorf("%s: chunks (-want +got):\n%s", name, d)
		}
	}
}

// TestASampleOfRequestsIsNotTakenForAll falls back to the aggregates where the
// file holds fewer requests than were made.
func TestASampleOfRequestsIsNotTakenForAll(t *testing.T) {
	b, err := os.ReadFile("testdata/guidellm-0.8.1/failed-c8.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), `"requests_made": {"successful": 20,`, `"requests_made": {"successful": 90,`, 1)
	if text == string(b) {
		t.Fatal("the sample has another form")
	}
	f := open(t, "benchmarks.json", text)
	if len(f.Requests) > 0 || f.Run.Levels[0].Validity.Verdict == record.Valid {
		t.Errorf("%d requests, %s: want the aggregates alone", len(f.Requests), f.Run.Levels[0].Validity.Verdict)
	}
	if l := f.Run.Levels[0]; l.Requests.Completed != 90 || value(l.E2E.Mean) < 600 || value(l.E2E.Mean) > 800 {
		t.Errorf("%+v completed, E2E %v ms", l.Requests, value(l.E2E.Mean))
	}
}
