package calibrate

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/figure"
	"assay/internal/model"
	"assay/internal/record"
	"assay/internal/stats"
)

func ptr[T any](v T) *T { return &v }

// level is a valid closed-loop level of 100 tokens in and 200 out.
func level(n, ttft, itl float64) record.Level {
	requests := n / (ttft + 199*itl) * 1000
	return record.Level{
		ID: "c", Load: record.Load{Kind: record.ByConcurrency, Value: n}, Validity: record.Validity{Verdict: record.Valid},
		TTFT: stats.Dist{N: 100, Mean: &ttft}, ITL: stats.Dist{N: 100, Mean: &itl},
		Requests: record.Requests{Completed: 100}, Reuse: record.ReuseNone, Cached: ptr(int64(0)),
		Got:        record.Tokens{Prompt: ptr(100.0), Output: ptr(200.0)},
		Throughput: record.Throughput{RequestsPerS: requests, OutputTokensPerS: 200 * requests},
	}
}

// runOn is a run of llama-3.1-8b on one GPU of that name.
func runOn(gpu string, levels ...record.Level) record.Run {
	return record.Run{
		Schema: record.Schema, Target: record.Target{Model: "meta-llama/Llama-3.1-8B-Instruct", Engine: record.TargetEngine{Name: "vllm", Version: "0.32.0"}},
		Platform: record.Platform{GPU: &gpu, TP: ptr(1)}, Levels: levels,
	}
}

// 16.06 GB of weights cannot be read in less than 4.8 ms from 3.35 TB/s.
func TestARunThatBeatsTheRooflineIsRefused(t *testing.T) {
	slow := level(1, 60, 8)
	cached := level(1, 60, 8)
	cached.Got.Prompt, cached.Throughput.RequestsPerS = ptr(900_000.0), 0.05
	many := level(64, 60, 8)
	many.Throughput = record.Throughput{RequestsPerS: 300, OutputTokensPerS: 60_000}
	for name, c := range map[string]struct {
		level record.Level
		want  string
	}{
		"an ITL of 2 ms":              {level(1, 60, 2), "bytes/s"},
		"900,000 tokens within 60 ms": {cached, "prompt's products"},
		"300 prompts a second":        {many, "FLOP/s"},
	} {
		cal, err := FromRecord("RUN", runOn("NVIDIA H100 80GB HBM3", c.level))
		if err != nil {
			t.Fatal(err)
		}
		var beats *RooflineError
		if _, err := cal.For(named(t, "llama-3.1-8b"), model.Format{}, nil); !errors.As(err, &beats) || !strings.Contains(err.Error(), c.want) || beats.Claimed <= beats.Most {
			t.Errorf("%s: %v, want it refused for %s", name, err, c.want)
		}
	}
	cal, err := FromRecord("RUN", runOn("NVIDIA H100 80GB HBM3", slow))
	if err != nil {
		t.Fatal(err)
	}
	var beats *RooflineError
	if _, err := cal.For(named(t, "llama-3.1-8b"), model.Format{}, nil); errors.As(err, &beats) {
		t.Errorf("8 ms are refused: %v", err)
	}
	// What a prefix cache served was not computed.
	cached.Cached = ptr(int64(100 * 899_900))
	if p, ok := pointOf(cached); !ok || p.PromptPerSecond > 2000*cached.Throughput.RequestsPerS {
		t.Errorf("%+v: nearly all of the prompt came from the cache", p)
	}
}

func TestWhichLevelsCount(t *testing.T) {
	edit := func(f func(*record.Level)) record.Level {
		l := level(4, 80, 10)
		f(&l)
		return l
	}
	for name, c := range map[string]struct {
		level record.Level
		want  bool
	}{
		"valid":           {level(4, 80, 10), true},
		"unstable":        {edit(func(l *record.Level) { l.Validity.Verdict = record.Unstable }), false},
		"without an ITL":  {edit(func(l *record.Level) { l.ITL.Mean = nil }), false},
		"of one token":    {edit(func(l *record.Level) { l.Got.Output = ptr(1.0) }), false},
		"of two models":   {edit(func(l *record.Level) { l.Models = make([]record.ModelLevel, 2) }), false},
		"of a trace":      {edit(func(l *record.Level) { l.Load.Arrival = record.ArrivalTrace }), false},
		"of a rate":       {edit(func(l *record.Level) { l.Load.Kind, l.Load.Value = record.ByRate, 2.5 }), true},
		"of no load":      {edit(func(l *record.Level) { l.Load.Value = 0 }), false},
		"of a mad prompt": {edit(func(l *record.Level) { l.Got.Prompt = ptr(1e300) }), false},
		"below zero":      {edit(func(l *record.Level) { l.TTFT.Mean = ptr(-3.0) }), false},
	} {
		if _, ok := pointOf(c.level); ok != c.want {
			t.Errorf("a level %s: taken %v, want %v", name, ok, c.want)
		}
	}
	bad := level(4, 80, 10)
	bad.Validity.Verdict = record.Invalid
	if _, err := FromRecord("RUN", runOn("L4", bad)); err == nil || !strings.Contains(err.Error(), "no valid level") {
		t.Errorf("a run without a valid level: %v", err)
	}
}

func TestThePlatformOfARun(t *testing.T) {
	bare := runOn("", level(1, 60, 30))
	bare.Platform = record.Platform{}
	simulated := bare
	simulated.Target.Simulated, simulated.Target.Preset = true, "llama-3.1-8b on 2x L4, simulated: max_num_seqs 256"
	instance := bare
	instance.Platform.Instance = ptr("g6.xlarge")
	for name, c := range map[string]struct {
		run  record.Run
		chip string
		tp   int
	}{
		"as its driver calls it": {runOn("NVIDIA H100 80GB HBM3", level(1, 60, 30)), "H100", 1},
		"of an instance type":    {instance, "L4", 0},
		"simulated":              {simulated, "L4", 2},
		"not known":              {bare, "", 0},
	} {
		cal, err := FromRecord("RUN", c.run)
		if err != nil {
			t.Fatal(err)
		}
		if cal.Platform.Chip.Name != c.chip || cal.Platform.TP != c.tp || cal.Simulated != c.run.Target.Simulated {
			t.Errorf("%s: %+v, want %d x %q", name, cal.Platform, c.tp, c.chip)
		}
		if cal.Simulated && (len(cal.Remarks) == 0 || !strings.Contains(cal.Remarks[0], "simulated")) {
			t.Errorf("a simulated run without a remark: %q", cal.Remarks)
		}
		if c.chip == "" {
			if _, err := cal.For(named(t, "llama-3.1-8b"), model.Format{}, nil); err == nil || !strings.Contains(err.Error(), "platform.gpu") {
				t.Errorf("a run on nobody knows what: %v", err)
			}
		}
	}
}

func TestReadTellsRunsFromLogs(t *testing.T) {
	dir := t.TempDir()
	run := runOn("L4", level(1, 200, 60))
	run.Spec = json.RawMessage(`{}`)
	b, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{record.RunFile, "other.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	empty := filepath.Join(dir, "empty.txt")
	if err := os.WriteFile(empty, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir: FromRun, filepath.Join(dir, record.RunFile): FromRun, filepath.Join(dir, "other.json"): FromRun,
		filepath.Join("testdata", "vllm-0.32-gpu.log"): FromLog,
	} {
		if c, err := Read(path); err != nil || c.Kind != want {
			t.Errorf("%s: %+v, %v; want a %s", path, c, err, want)
		}
	}
	if _, err := OpenLog(dir); err == nil || !strings.Contains(err.Error(), "is a run") {
		t.Errorf("a run as a log: %v", err)
	}
	if l, err := OpenLog(filepath.Join("testdata", "vllm-0.32-gpu.log")); err != nil || l.Path == "" || len(l.Readings) == 0 {
		t.Errorf("%+v, %v", l, err)
	}
	for path, want := range map[string]string{
		empty: "neither a run of assay bench nor a log", filepath.Join(dir, "gone"): "no such file", t.TempDir(): "not a run folder", "/dev/null": "no file",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestTheSpreadOfFactors(t *testing.T) {
	if got := spread([]float64{1.2}); got.Mid != 1.2 || got.Low >= 1.2*0.86 || got.High <= 1.2*1.14 {
		t.Errorf("one level: %v, want a spread of its own", got)
	}
	got := spread([]float64{0.8, 1.25})
	if want := (figure.Range{Low: 0.8, Mid: 1, High: 1.25}); got.Low != want.Low || got.High != want.High || got.Mid < 0.999 || got.Mid > 1.001 {
		t.Errorf("%v, want %v", got, want)
	}
	if got := spread([]float64{1, 1, 1}); got.Low > 0.951 || got.High < 1.049 {
		t.Errorf("levels that agree: %v, want the least spread", got)
	}
}

func TestRunsAreBounded(t *testing.T) {
	run := runOn("L4", level(10, 60*25, 61))
	for len(run.Levels) <= mostLevels {
		run.Levels = append(run.Levels, run.Levels...)
	}
	if _, err := FromRecord("RUN", run); err == nil || !strings.Contains(err.Error(), "RUN has 1024 levels: at most 1000") {
		t.Error(err)
	}
}
