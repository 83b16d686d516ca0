package e2e

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"assay/internal/record"
	"assay/test/vllm"
)

// The newer APIs give what the older ones do, held against the server's counters.
// They have no field that holds an answer to its length: the model may end it.
func TestTheNewerAPIsAgainstVLLM(t *testing.T) {
	target := vllm.URL(t)
	assay := build(t)
	for _, api := range []string{"responses", "messages"} {
		t.Run(api, func(t *testing.T) {
			const asked = 20
			dir := filepath.Join(t.TempDir(), "run")
			before := vllm.Scrape(t, target)
			cmd := exec.CommandContext(t.Context(), assay, "bench", "baseline", "--target", target, "--api", api,
				"-n", fmt.Sprint(asked), "--isl", fmt.Sprint(isl), "--osl", fmt.Sprint(osl), "--slo", "ttft.p50<60s", "--out", dir, "-o", "json")
			cmd.Stderr = os.Stderr
			stdout, err := cmd.Output()
			if code := cmd.ProcessState.ExitCode(); code != 0 && code != notValid {
				t.Fatalf("assay bench: %v", err)
			}
			after := settled(t, target)
			var run record.Run
			if err := json.Unmarshal(stdout, &run); err != nil {
				t.Fatalf("stdout is not the run: %v", err)
			}
			if run.Target.API != api || run.Target.Engine.Name != "vllm" || len(run.Levels) != 1 {
				t.Fatalf("target %+v, %d levels", run.Target, len(run.Levels))
			}
			l := run.Levels[0]
			if l.Requests.Completed != asked || l.Requests.Failed != 0 {
				t.Errorf("%+v %v, want exactly %d completed", l.Requests, l.Errors, asked)
			}
			if l.TTFT.N != asked || l.ITL.N == 0 || l.TokensFrom != record.FromUsage {
				t.Errorf("TTFT of %d, ITL of %d, tokens from %s", l.TTFT.N, l.ITL.N, l.TokensFrom)
			}
			if got := l.Got.Prompt; got == nil || math.Abs(*got-isl) > 0.02*isl {
				t.Errorf("prompts of %v tokens, asked for %d", deref(got), isl)
			}
			if got := l.Got.Output; got == nil || *got > osl || *got < 0.8*osl {
				t.Errorf("outputs of %v tokens, asked for %d", deref(got), osl)
			}
			mine := readRequests(t, dir)
			for name, c := range map[string]struct{ recorded, slack float64 }{
				"vllm:request_success_total":     {mine.requests, unrecordedRequests},
				"vllm:generation_tokens_total":   {mine.output, unrecordedTokens},
				"vllm:request_prompt_tokens_sum": {mine.prompt, unrecordedRequests * isl},
			} {
				if got := after.Total(name) - before.Total(name); got < c.recorded || got > c.recorded+c.slack {
					t.Errorf("%s rose by %g; the record has %g, and at most %g are not in it", name, got, c.recorded, c.slack)
				}
			}
		})
	}
}
