package peers

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"assay/internal/bench"
	"assay/internal/record"
	"assay/internal/spec"
)

var start = time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)

// drawn is a level of requests with one token a chunk, for which every tool's
// inter-token latency is Assay's.
func drawn(t *rapid.T, load record.Load, fromUS int64) []record.Request {
	n := rapid.IntRange(1, 40).Draw(t, "requests")
	var out []record.Request
	at := fromUS
	for i := range n {
		at += rapid.Int64Range(1000, 500_000).Draw(t, "gap")
		r := record.Request{ID: "r" + string(rune('a'+i%26)), Level: levelID(load), Seq: i, Phase: record.Measured, IntendedUS: at, SentUS: at, TokensFrom: record.FromUsage}
		if load.Kind == record.ByRate {
			r.IntendedUS -= rapid.Int64Range(0, 900).Draw(t, "late")
		}
		if i > 0 && rapid.IntRange(0, 9).Draw(t, "fails") == 0 {
			r.Error, r.AnswerAt, r.Detail, r.EndUS = "timeout", -1, "nothing came", at+1_000_000
			out = append(out, r)
			continue
		}
		chunk := int64(0)
		for range rapid.IntRange(2, 12).Draw(t, "tokens") {
			chunk += rapid.Int64Range(50, 90_000).Draw(t, "step")
			r.ChunkUS = append(r.ChunkUS, chunk)
		}
		r.EndUS = at + chunk
		r.OutputTokens, r.PromptTokens = tokens(float64(len(r.ChunkUS))), tokens(float64(rapid.IntRange(1, 900).Draw(t, "prompt")))
		out = append(out, r)
	}
	return out
}

// folderOf writes a run folder as assay bench does.
func folderOf(t interface{ Fatal(...any) }, dir string, loads []record.Load, draw func(record.Load, int64) []record.Request) *record.Folder {
	run := &record.Run{
		Schema: record.Schema, Tool: record.Tool{Name: "assay", Version: "v1"}, Start: start, Spec: json.RawMessage(`{}`), Nonce: "n1",
		Target: record.Target{URL: "http://localhost:8000", Model: "m", API: "chat"}, Levels: []record.Level{},
	}
	w, err := record.Create(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	at := int64(0)
	for _, load := range loads {
		requests := draw(load, at)
		for _, r := range requests {
			w.Request(r)
			at = max(at, r.EndUS)
		}
		run.Levels = append(run.Levels, bench.Fold(bench.Recorded{
			Plan:     bench.PlannedLevel{ID: levelID(load), Pass: record.PassGrid, Load: load, Scenario: spec.Scenario{Name: scenario}},
			RunStart: start, Requests: requests, MaxErrors: mostErrors,
		}))
	}
	end := start.Add(time.Duration(at) * time.Microsecond)
	run.End, run.Complete = &end, true
	if err := w.SaveRun(run); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// save writes outputs into a folder and gives what to open for each level.
func save(t interface{ Fatal(...any) }, dir string, outputs []Output) {
	for _, o := range outputs {
		path := filepath.Join(dir, o.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, o.Data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWhatIsWrittenReadsTheSame writes random runs in each format and reads
// them back: what the format holds of each level is the same. A rounding to a
// microsecond at each of a sum's ends is let pass.
func TestWhatIsWrittenReadsTheSame(t *testing.T) {
	holds := map[string][]string{
		VLLM: {ttft, itl, icl, e2e}, AIPerf: {ttft, itl, icl, e2e}, GuideLLM: {ttft, itl, e2e},
		InferencePerf: {ttft, itl, icl, e2e}, LLMD: {ttft, itl, icl, e2e},
	}
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		load := held(record.ByConcurrency, float64(rapid.IntRange(1, 90).Draw(t, "concurrency")), 0)
		if rapid.Bool().Draw(t, "open loop") {
			load = held(record.ByRate, 7, 0)
			load.Arrival = "poisson"
		}
		folder := folderOf(t, filepath.Join(dir, "run"), []record.Load{load}, func(l record.Load, at int64) []record.Request { return drawn(t, l, at) })
		tool := rapid.SampledFrom(Written).Draw(t, "format")
		outputs, err := Write(tool, folder, "")
		if err != nil {
			t.Fatal(tool, err)
		}
		out := filepath.Join(dir, tool)
		save(t, out, outputs)
		file, err := Open(out)
		if err != nil {
			t.Fatal(tool, err)
		}
		if len(file.Run.Levels) != 1 {
			t.Fatalf("%s: %d levels, want 1", tool, len(file.Run.Levels))
		}
		compareLevels(t, tool, holds[tool], folder.Run.Levels[0], file.Run.Levels[0])
	})
}

func compareLevels(t *rapid.T, tool string, metrics []string, want, got record.Level) {
	close := cmpopts.EquateApprox(0, 0.003) // ms
	if d := cmp.Diff(want.Requests, got.Requests); d != "" {
		t.Errorf("%s: requests (-want +got):\n%s", tool, d)
	}
	if want.Load.Kind != got.Load.Kind || want.Load.Value != got.Load.Value {
		t.Errorf("%s: load %+v, want %+v", tool, got.Load, want.Load)
	}
	for _, m := range metrics {
		w, g := want.Metric(m), got.Metric(m)
		if tool == LLMD { // it holds the tool's percentiles, whose ranks are interpolated
			w.P50, w.P90, w.P95, w.P99, g.P50, g.P90, g.P95, g.P99 = nil, nil, nil, nil, nil, nil, nil, nil
			w.Std, g.Std, w.Bounds, g.Bounds = nil, nil, nil, nil
			if m == icl { // and the number of gaps only by way of the mean length
				g.N, g.Unsupported, w.Unsupported = w.N, nil, nil
			}
		}
		if d := cmp.Diff(w, g, close); d != "" {
			t.Errorf("%s: %s (-want +got):\n%s", tool, m, d)
		}
	}
	if w, g := value(want.Got.Output), value(got.Got.Output); math.Abs(w-g) > 1e-9 {
		t.Errorf("%s: mean output %g, want %g", tool, g, w)
	}
}

// TestAllLevelsReadBack reads the files of all levels together.
func TestAllLevelsReadBack(t *testing.T) {
	loads := []record.Load{held(record.ByConcurrency, 2, 0), held(record.ByConcurrency, 8, 0)}
	folder := folderOf(t, filepath.Join(t.TempDir(), "run"), loads, fixedRequests)
	for tool, want := range map[string]int{VLLM: 2, GuideLLM: 2, InferencePerf: 2} {
		outputs, err := Write(tool, folder, "")
		if err != nil {
			t.Fatal(tool, err)
		}
		dir := t.TempDir()
		save(t, dir, outputs)
		path := dir
		if len(outputs) == 1 {
			path = filepath.Join(dir, outputs[0].Name)
		}
		file, err := Open(path)
		if err != nil {
			t.Fatal(tool, err)
		}
		if len(file.Run.Levels) != want {
			t.Fatalf("%s: %d levels, want %d", tool, len(file.Run.Levels), want)
		}
		for i, l := range file.Run.Levels {
			if d := cmp.Diff(folder.Run.Levels[i].TTFT, l.TTFT, cmpopts.EquateApprox(0, 0.003)); d != "" {
				t.Errorf("%s, level %d: TTFT (-want +got):\n%s", tool, i, d)
			}
			if got := l.Start.Sub(file.Run.Start); i == 1 && tool != InferencePerf && got <= 0 {
				t.Errorf("%s: level %d begins %v after the run", tool, i, got)
			}
		}
	}
	for _, tool := range []string{AIPerf, LLMD} {
		outputs, err := Write(tool, folder, "")
		if err != nil {
			t.Fatal(tool, err)
		}
		dir := t.TempDir()
		save(t, dir, outputs)
		for _, id := range []string{"fixed-c2", "fixed-c8"} {
			path := filepath.Join(dir, id)
			if tool == LLMD {
				path = filepath.Join(dir, "benchmark_report_"+id+".json")
			}
			file, err := Open(path)
			if err != nil {
				t.Fatal(tool, err)
			}
			if got := file.Run.Levels[0].ID; got != id {
				t.Errorf("%s: level %s, want %s", tool, got, id)
			}
		}
	}
}

// fixedRequests are 20 requests of 5 tokens, 10 ms apart, whose first chunk
// holds two.
func fixedRequests(load record.Load, at int64) []record.Request {
	var out []record.Request
	for i := range 20 {
		r := record.Request{ID: "x", Level: levelID(load), Seq: i, Phase: record.Measured, SentUS: at + int64(i)*30_000, TokensFrom: record.FromUsage,
			ChunkUS: []int64{50_000, 60_000, 70_000, 80_000}, ChunkTokens: []int{2, 1, 1, 1}, OutputTokens: tokens(5), PromptTokens: tokens(100)}
		r.IntendedUS, r.EndUS = r.SentUS, r.SentUS+90_000
		out = append(out, r)
	}
	return out
}

// TestTheirDefinitionsAreWritten checks by hand what each tool's own name stands
// for on answers where the definitions differ: the first chunk holds two tokens
// and the stream ends 10 ms after the last.
func TestTheirDefinitionsAreWritten(t *testing.T) {
	folder := folderOf(t, filepath.Join(t.TempDir(), "run"), []record.Load{held(record.ByConcurrency, 2, 0)}, fixedRequests)
	if got := value(folder.Run.Levels[0].ITL.Mean); math.Abs(got-10) > 1e-9 {
		t.Fatalf("Assay's own ITL is %g, want 30 ms / (5 - 2)", got)
	}
	for _, c := range []struct {
		tool, file, text string
		keys             []string
		want             float64
	}{
		{VLLM, "vllm.json", "TPOT divides by n - 1", []string{"mean_tpot_ms"}, 30.0 / 4},
		{VLLM, "vllm.json", "ITL is the gaps, pooled", []string{"mean_itl_ms"}, 10},
		{VLLM, "vllm.json", "E2EL ends with the last token", []string{"p99.9_e2el_ms"}, 80},
		{AIPerf, aiperfSummary, "ITL divides by n - 1", []string{"inter_token_latency", "avg"}, 30.0 / 4},
		{AIPerf, aiperfSummary, "latency ends with the last token", []string{"request_latency", "p99"}, 80},
		{GuideLLM, "benchmarks.json", "TPOT holds the wait for the first token", []string{"benchmarks", "metrics", "time_per_output_token_ms", "successful", "mean"}, 80.0 / 5},
		{GuideLLM, "benchmarks.json", "ITL divides by n - 1", []string{"benchmarks", "metrics", "inter_token_latency_ms", "successful", "mean"}, 30.0 / 4},
		{GuideLLM, "benchmarks.json", "latency ends with the stream, seconds", []string{"benchmarks", "metrics", "request_latency", "total", "mean"}, 0.09},
		{GuideLLM, "benchmarks.json", "rate is all over the whole time", []string{"benchmarks", "metrics", "requests_per_second", "successful", "mean"}, 20 / 0.66},
		{InferencePerf, perfSummary, "tokens of one chunk have gaps of 0", []string{"successes", "latency", "inter_token_latency", "mean"}, 0.030 / 4},
		{InferencePerf, perfSummary, "NTPOT holds everything", []string{"successes", "latency", "normalized_time_per_output_token", "mean"}, 0.09 / 5},
		{LLMD, "benchmark_report.json", "gaps, pooled", []string{"results", "request_performance", "aggregate", "latency", "inter_token_latency", "mean"}, 0.010},
	} {
		outputs, err := Write(c.tool, folder, "fixed-c2")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		save(t, dir, outputs)
		if got := meanIn(t, filepath.Join(dir, c.file), c.keys); math.Abs(got-c.want) > 1e-6*c.want {
			t.Errorf("%s: %s: %s is %g, want %g", c.tool, c.text, strings.Join(c.keys, "."), got, c.want)
		}
	}
}

func TestWriteSaysWhichLevelsThereAre(t *testing.T) {
	folder := folderOf(t, filepath.Join(t.TempDir(), "run"), []record.Load{held(record.ByConcurrency, 2, 0)}, fixedRequests)
	if _, err := Write(VLLM, folder, "c9"); err == nil || !strings.Contains(err.Error(), "fixed-c2") {
		t.Errorf("an unknown level: %v", err)
	}
	if _, err := Write("excel", folder, ""); err == nil || !strings.Contains(err.Error(), GuideLLM) {
		t.Errorf("an unknown format: %v", err)
	}
}

// TestNamesAndTimesOfAnyRun writes a run whose levels' names lead elsewhere and
// whose only request took no time.
func TestNamesAndTimesOfAnyRun(t *testing.T) {
	folder := folderOf(t, filepath.Join(t.TempDir(), "run"), []record.Load{held(record.ByConcurrency, 2, 0), held(record.ByConcurrency, 3, 0)}, func(l record.Load, at int64) []record.Request {
		return []record.Request{{ID: "a", Level: levelID(l), Phase: record.Measured, SentUS: 5, IntendedUS: 5, EndUS: 5, ChunkUS: []int64{0}, OutputTokens: tokens(1)}}
	})
	lines, err := os.ReadFile(filepath.Join(folder.Dir, record.RequestsFile))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("fixed-c2", "../../fixed", "fixed-c3", "..")
	if err := os.WriteFile(filepath.Join(folder.Dir, record.RequestsFile), []byte(names.Replace(string(lines))), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range folder.Run.Levels {
		folder.Run.Levels[i].ID = names.Replace(folder.Run.Levels[i].ID)
	}
	for _, tool := range Written {
		outputs, err := Write(tool, folder, "")
		if err != nil {
			t.Fatal(tool, err)
		}
		for _, o := range outputs {
			if !filepath.IsLocal(o.Name) || strings.Count(o.Name, "/") > 1 {
				t.Errorf("%s would write %q", tool, o.Name)
			}
		}
	}
}
