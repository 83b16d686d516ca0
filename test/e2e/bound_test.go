package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/record"
	"assay/test/vllm"
)

// tries is how often a run may be spoiled: engine and client share the cores of a
// small machine, and a level that the client spoiled says nothing of the engine.
const tries = 3

// shortOutput tokens are so few that many requests end in a level that is short.
const shortOutput = 100

// TestBoundOfVLLM forces a limit on a real engine and holds the verdict to it.
func TestBoundOfVLLM(t *testing.T) {
	for _, c := range []struct {
		name, want string
		options    []string // of vLLM
		isl        int
		facts      []string // metrics that the evidence must hold
		flag       string   // that the change must name
	}{
		// 12 blocks of 128 tokens for requests of 300: four at a time fill them.
		{"a short KV cache", record.BoundKVCache, []string{"--max-model-len", "1024", "--num-gpu-blocks-override", "13", "--max-num-seqs", "64"}, 200,
			[]string{"kv_usage_max"}, "--kv-cache-dtype"},
		{"few sequences", record.BoundAdmission, []string{"--max-num-seqs", "4"}, 64,
			[]string{"running_max", "waiting_share"}, "--max-num-seqs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := vllm.Start(t, c.options...)
			assay := build(t)
			var got record.Bound
			for i := range tries {
				run := measure(t, assay, target, c.isl, filepath.Join(t.TempDir(), fmt.Sprint("run", i)))
				if got = run.Bound; got.Verdict == c.want {
					break
				}
				t.Logf("try %d: %s at %.2f: %+v; levels %s", i+1, got.Verdict, got.Confidence, got.Evidence, validities(run))
				if got.Verdict != record.BoundUnknown && got.Verdict != record.BoundClient && got.Confidence >= 0.8 {
					t.Errorf("a wrong verdict, %s, with confidence %.2f", got.Verdict, got.Confidence)
				}
			}
			if got.Verdict != c.want || got.Confidence < 0.5 {
				t.Fatalf("the bound is %s at %.2f, want %s", got.Verdict, got.Confidence, c.want)
			}
			for _, metric := range c.facts {
				if !slices.ContainsFunc(got.Evidence, func(e record.Evidence) bool { return e.Metric == metric && e.Value != nil }) {
					t.Errorf("no fact of %s among %+v", metric, got.Evidence)
				}
			}
			if got.Change == nil || !strings.Contains(got.Change.Text+got.Change.Flag, c.flag) {
				t.Errorf("the change %+v does not name %s", got.Change, c.flag)
			}
			if got.Trial != nil && got.Trial.Verdict == record.Refuted {
				t.Errorf("the trial refutes what was forced: %+v", got.Trial)
			}
			diagnosed(t, assay, target, c.isl, c.want)
		})
	}
}

// measure is a curve whose upper levels are past any limit that was forced.
func measure(t *testing.T, assay, target string, isl int, dir string) record.Run {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), assay, "bench", "saturation", "--target", target, "--concurrency", "1,4,16",
		"--duration", "6s", "--isl", fmt.Sprint(isl), "--osl", fmt.Sprint(shortOutput), "--refine", "0", "--confirm-knee", "never", "--confirm",
		"--out", dir, "-o", "json")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != notValid {
		t.Fatalf("assay bench: %v", err)
	}
	var run record.Run
	if err := json.Unmarshal(stdout, &run); err != nil {
		t.Fatalf("stdout is not the run: %v", err)
	}
	return run
}

func validities(run record.Run) string {
	var out []string
	for _, l := range run.Levels {
		out = append(out, l.ID+" "+l.Validity.Verdict)
	}
	return strings.Join(out, ", ")
}
