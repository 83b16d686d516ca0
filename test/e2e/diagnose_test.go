package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"assay/internal/record"
	"assay/test/vllm"
)

// diagnosed looks at a real engine while others use it, and holds the verdict to
// the limit that was forced.
func diagnosed(t *testing.T, assay, target string, isl int, want string) {
	t.Helper()
	users := exec.Command(assay, "bench", "--target", target, "--concurrency", "16", "--duration", "10m",
		"--isl", fmt.Sprint(isl), "--osl", fmt.Sprint(shortOutput), "--out", filepath.Join(t.TempDir(), "users"))
	if err := users.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = users.Process.Kill()
		_ = users.Wait() // killed, so an error
	}()
	for deadline := time.Now().Add(time.Minute); vllm.Scrape(t, target).Total("vllm:num_requests_waiting") == 0; {
		if time.Now().After(deadline) {
			t.Fatal("no request waits after a minute of more load than the limit lets run")
		}
		time.Sleep(200 * time.Millisecond)
	}
	var got record.Bound
	for i := range tries {
		if got = look(t, assay, target); got.Verdict == want {
			break
		}
		t.Logf("look %d: %s at %.2f: %+v", i+1, got.Verdict, got.Confidence, got.Evidence)
		if got.Verdict != record.BoundUnknown && got.Verdict != record.BoundNotSaturated && got.Confidence >= 0.8 {
			t.Errorf("a wrong verdict on a service, %s, with confidence %.2f", got.Verdict, got.Confidence)
		}
	}
	if got.Verdict != want || got.Change == nil {
		t.Errorf("what binds the service is %s at %.2f with the change %+v, want %s", got.Verdict, got.Confidence, got.Change, want)
	}
}

// look is what `assay diagnose` says of some seconds.
func look(t *testing.T, assay, target string) record.Bound {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), assay, "diagnose", "--metrics", target, "--for", "6s", "--interval", "300ms", "--no-cluster", "-o", "json")
	cmd.Stderr = os.Stderr
	stdout, err := cmd.Output()
	if code := cmd.ProcessState.ExitCode(); code != 0 && code != 1 {
		t.Fatalf("assay diagnose: %v", err)
	}
	var result struct {
		Bound     record.Bound
		Instances []struct{ Name string }
	}
	if err := json.Unmarshal(stdout, &result); err != nil || len(result.Instances) != 1 {
		t.Fatalf("stdout is not a diagnosis of one replica: %v\n%s", err, stdout)
	}
	return result.Bound
}
