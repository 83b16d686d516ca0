package peers

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"assay/internal/record"
)

// sample is a file of testdata, changed.
func sample(t *testing.T, path string, change func(string) string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", path))
	if err != nil {
		t.Fatal(err)
	}
	out := change(string(b))
	if out == string(b) {
		t.Fatalf("%s has another form", path)
	}
	return out
}

// vLLM takes an error's words from the status line, which may hold none.
func TestAFailureOfVLLMWithoutWordsIsNoSuccess(t *testing.T) {
	f := open(t, "failed.json", sample(t, "vllm-0.32.0/failed-c8.json", func(s string) string {
		for key, nothing := range map[string]string{"ttfts": "0.0", "latencies": "0.0", "output_lens": "0"} {
			s = regexp.MustCompile(`"`+key+`": \[[0-9.]+`).ReplaceAllString(s, `"`+key+`": [`+nothing)
		}
		return regexp.MustCompile(`"itls": \[\[[^\]]*\]`).ReplaceAllString(s, `"itls": [[]`)
	}))
	if l := f.Run.Levels[0]; l.Requests.Failed != 1 || l.Errors[kindFailed] != 1 {
		t.Errorf("requests %+v, errors %v: want the first one failed", l.Requests, l.Errors)
	}
}

// AIPerf's sequence lengths are by the client's tokenizer unless it was told
// otherwise; the server's own counts stand beside them.
func TestAIPerfTokensAreTheServers(t *testing.T) {
	lengths := func(s string) string {
		s = regexp.MustCompile(`"output_sequence_length": ?\{"value": ?64`).ReplaceAllString(s, `"output_sequence_length": {"value": 70`)
		return regexp.MustCompile(`"input_sequence_length": ?\{"value": ?[0-9]+`).ReplaceAllString(s, `"input_sequence_length": {"value": 9`)
	}
	f := open(t, "profile_export.jsonl", sample(t, "aiperf-0.13.0/ok-c2/profile_export.jsonl", lengths))
	l := f.Run.Levels[0]
	if *l.Got.Output != 64 || *l.Got.Prompt < 50 || l.TokensFrom != record.FromUsage {
		t.Errorf("%g prompt and %g output tokens from %s, want the server's", *l.Got.Prompt, *l.Got.Output, l.TokensFrom)
	}
	f = open(t, "profile_export.jsonl", strings.ReplaceAll(sample(t, "aiperf-0.13.0/ok-c2/profile_export.jsonl", lengths), "usage_", "x_"))
	if l := f.Run.Levels[0]; *l.Got.Output != 70 || l.TokensFrom != record.FromTokenize || !strings.Contains(whyOf(f, itl), "client's tokenizer") {
		t.Errorf("without usage: %g output tokens from %s; ITL: %s", *l.Got.Output, l.TokensFrom, whyOf(f, itl))
	}
}

func whyOf(f *File, metric string) string {
	for _, d := range f.Run.Definitions {
		if d.Metric == metric {
			return d.Why
		}
	}
	return ""
}

// inference-perf counts text by text, which comes to three times as many here.
func TestInferencePerfWithoutUsageIsNotComparedByTokens(t *testing.T) {
	for usage, want := range map[string]bool{"server_usage": true, "none": false} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/inference-perf-0.7.0/ok-c2_8")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, perfPerRequest)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(b), "server_usage", usage)), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, metric := range []string{itl, throughput} {
			if got, why := f.Run.Comparable(metric); got != want {
				t.Errorf("%s with %s: comparable %v (%s), want %v", metric, usage, got, why, want)
			}
		}
		if got, why := f.Run.Comparable(ttft); !got {
			t.Errorf("TTFT with %s: %s", usage, why)
		}
	}
}

// vllm bench serve --append-result may hold one load several times.
func TestALoadThatAFileHoldsTwiceIsTwoLevels(t *testing.T) {
	text := sample(t, "vllm-0.32.0/ok-c2.json", func(s string) string { return strings.TrimSpace(s) + "\n" + strings.TrimSpace(s) + "\n" })
	f := open(t, "appended.json", text)
	if len(f.Run.Levels) != 2 || f.Run.Levels[0].ID != "fixed-c2" || f.Run.Levels[1].ID != "fixed-c2-2" {
		t.Fatalf("levels: %d", len(f.Run.Levels))
	}
	n := map[string]int{}
	for _, r := range f.Requests {
		n[r.Level]++
	}
	if n["fixed-c2"] != n["fixed-c2-2"] || len(n) != 2 {
		t.Errorf("requests by level: %v", n)
	}
}

// What the prompts of another tool share by intent, its file does not say.
func TestOtherToolsPromptsAreNotCalledUnlike(t *testing.T) {
	f := open(t, "profile_export.jsonl", sample(t, "aiperf-0.13.0/ok-c2/profile_export.jsonl", func(s string) string {
		return strings.ReplaceAll(s, `"usage_completion_tokens"`, `"usage_prompt_cache_read_tokens": {"value": 50, "unit": "tokens"}, "usage_completion_tokens"`)
	}))
	if l := f.Run.Levels[0]; l.Cached == nil || *l.Cached == 0 || l.Cache != nil || l.Reuse != "" {
		t.Errorf("cached %v, reuse %q, %+v", l.Cached, l.Reuse, l.Cache)
	}
}
