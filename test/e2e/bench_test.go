package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"assay/internal/record"
	"assay/test/vllm"
)

// What is asked of the run.
const (
	isl, osl = 128, 32
	requests = 60
)

// notValid is the exit code of a run with a level that is not valid.
const notValid = 4

var concurrency = []float64{1, 4, 8}

func TestBenchAgainstVLLM(t *testing.T) {
	target := vllm.URL(t)
	assay := build(t)
	dir := filepath.Join(t.TempDir(), "run")

	before := vllm.Scrape(t, target)
	cmd := exec.CommandContext(t.Context(), assay, "bench", "saturation", "--target", target,
		"--concurrency", "1,4,8", "--num-requests", fmt.Sprint(requests), "--isl", fmt.Sprint(isl), "--osl", fmt.Sprint(osl),
		"--refine", "0", "--confirm-knee", "never", "--slo", "ttft.p50<60s", "--out", dir, "-o", "json")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.Output()
	code := cmd.ProcessState.ExitCode()
	if code != 0 && code != notValid {
		t.Fatalf("assay bench: %v", err)
	}
	after := settled(t, target)

	var run record.Run
	if err := json.Unmarshal(stdout, &run); err != nil {
		t.Fatalf("stdout is not the run: %v", err)
	}
	checkRun(t, run, target)
	checkLevels(t, run)
	checkExit(t, run, code)
	checkLedger(t, readRequests(t, dir), func(name string) float64 { return after.Total(name) - before.Total(name) })
	for _, file := range []string{"run.json", "metrics.jsonl", "client.jsonl", "report.html"} {
		if info, err := os.Stat(filepath.Join(dir, file)); err != nil || info.Size() == 0 {
			t.Errorf("the run folder has no %s", file)
		}
	}
}

func build(t *testing.T) string {
	t.Helper()
	assay := filepath.Join(t.TempDir(), "assay")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", assay, "./cmd/assay")
	cmd.Dir = "../.."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return assay
}

// settled waits until the server has nothing in flight: it counts a little
// after the client has its answer.
func settled(t *testing.T, url string) vllm.Metrics {
	t.Helper()
	time.Sleep(500 * time.Millisecond) // the last step may still have to count
	m := vllm.Scrape(t, url)
	if n := m.Total("vllm:num_requests_running") + m.Total("vllm:num_requests_waiting"); n != 0 {
		t.Errorf("%g requests are still with the server after the run", n)
	}
	return m
}

func checkRun(t *testing.T, run record.Run, target string) {
	t.Helper()
	if !run.Complete || run.Target.URL != target || run.Target.Model != "tiny" || run.Target.Simulated {
		t.Errorf("complete %v, target %+v", run.Complete, run.Target)
	}
	if run.Target.Engine.Name != "vllm" || run.Target.Engine.Version == "" {
		t.Errorf("engine %+v, want vLLM and its version", run.Target.Engine)
	}
	if run.Inspection == nil || !run.Inspection.RoleChunkFirst || !run.Inspection.IgnoreEOS || run.Inspection.CRLF {
		t.Errorf("inspection %+v", run.Inspection)
	}
	if run.SLO.Met == nil || !*run.SLO.Met {
		t.Errorf("the SLO of a minute: %+v", run.SLO)
	}
}

func checkLevels(t *testing.T, run record.Run) {
	t.Helper()
	if len(run.Levels) != len(concurrency) {
		t.Fatalf("%d levels, want %d", len(run.Levels), len(concurrency))
	}
	for i, l := range run.Levels {
		if l.Load.Kind != record.ByConcurrency || l.Load.Value != concurrency[i] {
			t.Errorf("level %s: load %+v, want %g in flight", l.ID, l.Load, concurrency[i])
		}
		if l.Requests.Completed != requests || l.Requests.Failed != 0 || len(l.Errors) != 0 {
			t.Errorf("level %s: %+v %v, want exactly %d completed", l.ID, l.Requests, l.Errors, requests)
		}
		if l.Validity.Verdict == record.Invalid {
			t.Errorf("level %s: %+v", l.ID, l.Validity)
		}
		if l.Cache == nil || l.Cache.Verdict != record.CacheAsExpected || l.Cache.PrefixHitShare == nil {
			t.Errorf("level %s: unique prompts, and the cache served %+v", l.ID, l.Cache)
		}
		if l.Client.InFlight.Max > int(concurrency[i]) {
			t.Errorf("level %s: %d in flight, never more than %g", l.ID, l.Client.InFlight.Max, concurrency[i])
		}
		if got := l.Got.Prompt; got == nil || math.Abs(*got-isl) > 0.02*isl {
			t.Errorf("level %s: prompts of %v tokens, asked for %d", l.ID, deref(got), isl)
		}
		if got := l.Got.Output; got == nil || *got != osl {
			t.Errorf("level %s: outputs of %v tokens, asked for %d", l.ID, deref(got), osl)
		}
		if l.TokensFrom != record.FromUsage {
			t.Errorf("level %s: tokens are counted from %s", l.ID, l.TokensFrom)
		}
		if l.Server == nil {
			t.Errorf("level %s: the engine's /metrics were not read", l.ID)
		}
	}
}

// checkExit: a machine whose two cores serve, load and compile at the same time
// may spoil a level. The program has to say so, and nothing else.
func checkExit(t *testing.T, run record.Run, code int) {
	t.Helper()
	want := 0
	for _, l := range run.Levels {
		if l.Validity.Verdict != record.Valid {
			t.Logf("level %s is %s: %q", l.ID, l.Validity.Verdict, l.Validity.Reasons)
			want = notValid
		}
	}
	if code != want {
		t.Errorf("exit code %d, want %d", code, want)
	}
}

// ledger is what the client recorded of all its requests, warm-up included.
type ledger struct{ requests, prompt, output float64 }

func readRequests(t *testing.T, dir string) ledger {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "requests.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var sum ledger
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r record.Request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		if r.Error != "" || r.PromptTokens == nil || r.OutputTokens == nil {
			t.Fatalf("request %s: error %q, tokens %v in, %v out", r.ID, r.Error, r.PromptTokens, r.OutputTokens)
		}
		sum.requests++
		sum.prompt += float64(*r.PromptTokens)
		sum.output += float64(*r.OutputTokens)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return sum
}

// Before the first level, assay sends requests that are not in the record: it
// inspects one stream, and has one token made to see what a prompt counts.
const (
	unrecordedRequests = 2
	unrecordedTokens   = osl
)

// checkLedger holds the record against the server's own counters over the run.
func checkLedger(t *testing.T, mine ledger, server func(string) float64) {
	t.Helper()
	for name, c := range map[string]struct{ recorded, slack float64 }{
		"vllm:request_success_total":                {mine.requests, unrecordedRequests},
		"vllm:e2e_request_latency_seconds_count":    {mine.requests, unrecordedRequests},
		"vllm:time_to_first_token_seconds_count":    {mine.requests, unrecordedRequests},
		"vllm:generation_tokens_total":              {mine.output, unrecordedTokens},
		"vllm:request_generation_tokens_sum":        {mine.output, unrecordedTokens},
		"vllm:request_prompt_tokens_sum":            {mine.prompt, unrecordedRequests * isl},
		"vllm:request_params_max_tokens_count":      {mine.requests, unrecordedRequests},
		"vllm:request_queue_time_seconds_count":     {mine.requests, unrecordedRequests},
		"vllm:inter_token_latency_seconds_count":    {mine.output - mine.requests, unrecordedTokens},
		"vllm:request_inference_time_seconds_count": {mine.requests, unrecordedRequests},
	} {
		got := server(name)
		t.Logf("%-45s server %6.0f, recorded %6.0f", name, got, c.recorded)
		if got < c.recorded || got > c.recorded+c.slack {
			t.Errorf("%s rose by %g; the record has %g, and at most %g are not in it", name, got, c.recorded, c.slack)
		}
	}
}

func deref(v *float64) any {
	if v == nil {
		return "unknown"
	}
	return *v
}
