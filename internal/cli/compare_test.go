package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
)

// levelDir is a run folder of one valid level, 300 requests at 4 in flight, on a
// server whose times are as many times those of another.
func levelDir(t *testing.T, seed uint64, slower float64) string {
	t.Helper()
	rng := stats.NewRand(seed, 1)
	var requests []record.Request
	for i := range 300 {
		ms := 60 * slower * math.Exp(0.2*rng.NormFloat64())
		r := record.Request{Level: "fixed-c4", Seq: i, Phase: record.Measured, SentUS: int64(i/4) * 100_000, TokensFrom: record.FromUsage}
		prompt, output := 64, 4
		r.PromptTokens, r.OutputTokens = &prompt, &output
		for k := range output {
			r.ChunkUS = append(r.ChunkUS, int64(1000*ms)+int64(k)*int64(9000*slower))
		}
		r.EndUS = r.SentUS + r.ChunkUS[output-1]
		requests = append(requests, r)
	}
	l := bench.Fold(bench.Recorded{
		Plan:     bench.PlannedLevel{ID: "fixed-c4", Scenario: spec.Scenario{Name: "fixed"}, Load: record.Load{Kind: record.ByConcurrency, Value: 4, Requests: 300}},
		Requests: requests, RunStart: time.Unix(0, 0),
	})
	l.Validity = record.Validity{Verdict: record.Valid}
	end := time.Date(2026, 11, 30, 9, 1, 0, 0, time.UTC)
	run := &record.Run{Schema: record.Schema, Tool: record.Tool{Name: "assay"}, Start: end.Add(-time.Minute), End: &end, Spec: json.RawMessage(`{}`), Complete: true, Levels: []record.Level{l}}
	dir := filepath.Join(t.TempDir(), "run")
	w, err := record.Create(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		w.Request(r)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := record.SaveRun(dir, run); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestCompareGatesByExitCode(t *testing.T) {
	base, same, slow := levelDir(t, 1, 1), levelDir(t, 2, 1), levelDir(t, 3, 1.4)
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout string // its first words
		stderr string
	}{
		{"a slower run without a gate", []string{base, slow}, exitOK, "NEW is slower: ", ""},
		{"a faster run", []string{slow, base}, exitOK, "NEW is faster: ", ""},
		{"nothing changed", []string{base, same, "--fail-on", "ttft.p50>+25%"}, exitOK, "No difference is shown.", ""},
		{"past the limit", []string{base, slow, "--fail-on", "ttft.p50>+10%"}, exitNo, "NEW is slower: ", "gate ttft.p50>+10% failed at fixed-c4"},
		{"within the limit", []string{base, slow, "--fail-on", "ttft.p50>+80%"}, exitOK, "NEW is slower: ", ""},
		{"undecided", []string{base, slow, "--fail-on", "ttft.p50>+40%"}, exitOK, "NEW is slower: ", "undecided at fixed-c4 and passes"},
		{"undecided, strictly", []string{base, slow, "--fail-on", "ttft.p50>+40%", "--strict"}, exitNo, "NEW is slower: ", "--strict fails"},
		{"one of two limits", []string{base, slow, "--fail-on", "ttft.p50>+80%,e2e.p50>+20%"}, exitNo, "NEW is slower: ", "gate e2e.p50>+20% failed"},
		{"the new run's own limit", []string{base, slow, "--fail-on", "ttft.p95>50ms"}, exitNo, "NEW is slower: ", "gate ttft.p95>50ms failed"},
	} {
		code, stdout, stderr := assay(0, append([]string{"compare"}, c.args...)...)
		if code != c.code || !strings.HasPrefix(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) || c.stderr == "" && stderr != "" {
			t.Errorf("%s: exit %d, %q, %q; want %d, %q, %q", c.name, code, stdout, stderr, c.code, c.stdout, c.stderr)
		}
	}
}

// TestCompareKeys holds the keys that scripts rely on.
func TestCompareKeys(t *testing.T) {
	code, stdout, _ := assay(0, "compare", levelDir(t, 1, 1), levelDir(t, 3, 1.4), "-o", "json")
	if code != exitOK {
		t.Fatal("exit", code)
	}
	var got struct {
		Metrics []struct {
			Scenario, Level, Name, Verdict string
			Base, New                      *float64
			DeltaPct                       *float64                     `json:"delta_pct"`
			CI                             *struct{ Low, High float64 } `json:"ci_pct"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for _, m := range got.Metrics {
		if m.Name != "ttft.p50" {
			continue
		}
		if m.Scenario != "fixed" || m.Level != "fixed-c4" || m.Verdict != "worse" || m.Base == nil || m.New == nil || *m.New <= *m.Base ||
			m.DeltaPct == nil || m.CI == nil || m.CI.Low >= *m.DeltaPct || m.CI.High <= *m.DeltaPct {
			t.Errorf("got %+v", m)
		}
		return
	}
	t.Error("no ttft.p50")
}
