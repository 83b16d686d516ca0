package manifest

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v4"

	"assay/internal/record"
	"assay/internal/spec"
	"assay/internal/stats"
	"assay/internal/telemetry"
)

func monitoring(t *testing.T, opt Options) []File {
	t.Helper()
	files, err := Monitoring(opt)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The golden files leave out the dashboards, which have their own.
func TestFilesAreAsTheyWere(t *testing.T) {
	opt := Options{Namespace: "llm", Selector: "app=vllm,tier=gpu", Monitor: PodMonitor, Port: "api", DCGMNamespace: "gpu-operator", ReleaseLabel: "kps"}
	for _, f := range monitoring(t, opt) {
		if !strings.HasPrefix(f.Name, "dashboard-") {
			golden(t, filepath.Join("testdata", "monitoring", f.Name), string(f.Body))
		}
	}
}

func TestKustomizationNamesEveryFileAndNoOther(t *testing.T) {
	files := monitoring(t, Options{Selector: "app=vllm"})
	var k struct{ Resources []string }
	if err := yaml.Unmarshal(files[0].Body, &k); err != nil || files[0].Name != "kustomization.yaml" {
		t.Fatalf("%s: %v", files[0].Name, err)
	}
	var want []string
	for _, f := range files[1:] {
		want = append(want, f.Name)
	}
	if diff := cmp.Diff(want, k.Resources); diff != "" {
		t.Errorf("resources (-files +named):\n%s", diff)
	}
}

func TestEveryRuleIsInExactlyOneObject(t *testing.T) {
	seen := map[string]int{}
	for _, f := range monitoring(t, Options{Selector: "app=vllm", Knee: 48, KneeFrom: "a test", OperatingPoint: 30, OperatingFrom: "a test"}) {
		var o struct {
			Spec struct {
				Groups []struct{ Rules []struct{ Alert string } }
			}
		}
		if err := yaml.Unmarshal(f.Body, &o); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		for _, g := range o.Spec.Groups {
			for _, r := range g.Rules {
				seen[r.Alert]++
			}
		}
	}
	for _, a := range Alerts {
		if seen[a.Name] != 1 {
			t.Errorf("%s is written %d times", a.Name, seen[a.Name])
		}
	}
}

// Every DCGM metric of a rule or a dashboard is in the counter list, with the kind
// that the catalogue has.
func TestCounterListHasWhatIsRead(t *testing.T) {
	has := map[string]string{}
	for line := range strings.Lines(Counters()) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		columns := strings.Split(line, ", ")
		if len(columns) != 3 || strings.Contains(columns[2], ",") {
			t.Errorf("not three columns: %s", line)
			continue
		}
		if has[columns[0]] != "" {
			t.Errorf("%s is there twice", columns[0])
		}
		has[columns[0]] = columns[1]
		if e, _, ok := telemetry.Lookup(columns[0]); ok && columns[1] != e.Kind.String() {
			t.Errorf("%s is a %s, and the catalogue says %s", columns[0], columns[1], e.Kind)
		}
	}
	gs, err := groups(tuned)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range gs {
		for _, a := range g.Alerts {
			for series := range selectors(t, gs, a.Name, a.Expr) {
				if strings.HasPrefix(series, "DCGM_") && has[series] == "" && series != "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS" {
					t.Errorf("%s reads %s, which the list lacks", a.Name, series)
				}
			}
		}
	}
}

func TestPlainFilesAreThoseOfAPrometheusWithoutTheOperator(t *testing.T) {
	files := monitoring(t, Options{Plain: true})
	if files[0].Name != "rules.yml" || files[1].Name != "dcgm-counters.csv" {
		t.Errorf("the files begin with %s and %s", files[0].Name, files[1].Name)
	}
	rules, err := Rules(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(rules), string(files[0].Body)); diff != "" {
		t.Errorf("rules.yml (-Rules +written):\n%s", diff)
	}
	for _, f := range files[2:] {
		if ok, _ := path.Match("dashboards/*.json", f.Name); !ok {
			t.Errorf("what is %s?", f.Name)
		}
	}
}

func TestOptionsThatCannotBeMet(t *testing.T) {
	for _, tc := range []struct {
		opt  Options
		want string
	}{
		{Options{}, "--selector is not given"},
		{Options{Selector: "app"}, `--selector "app": it is a list`},
		{Options{Selector: "app!=vllm"}, `--selector "app!=vllm": it is a list`},
		{Options{Selector: "app=vllm", Monitor: "node"}, "--monitor node"},
		{Options{Selector: "app=vllm", DCGMSelector: "x"}, `--dcgm-selector "x"`},
		{Options{Selector: "app=vllm", Knee: -1}, "--knee -1"},
		{Options{Selector: "app=vllm", TTFT: 3 * time.Second}, "--ttft: 3 s is no boundary"},
	} {
		if _, err := Monitoring(tc.opt); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %s", tc.opt, err, tc.want)
		}
	}
}

// Names of models come from outside: whatever they hold, the rules parse.
func TestModelNamesAreQuoted(t *testing.T) {
	for _, names := range [][]string{{`a"b\c`}, {`a"b`, `c|d.*\`}, {"x y", "ü"}} {
		gs, err := groups(Options{Models: names})
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range gs {
			for _, a := range g.Alerts {
				if _, err := parser.NewParser(parser.Options{}).ParseExpr(a.Expr); err != nil {
					t.Fatalf("%q: %s: %v", names, a.Name, err)
				}
			}
		}
	}
}

func ptr(v float64) *float64 { return &v }

func aRun() *record.Run {
	level := record.Level{
		ID: "saturation-c8", Validity: record.Validity{Verdict: record.Valid},
		TTFT: stats.Dist{Max: ptr(9000)}, ICL: stats.Dist{Max: ptr(26_000)},
		Server: &record.Server{Engines: 1, KVTokens: ptr(120_000)},
	}
	spoiled := record.Level{ID: "saturation-c64", Validity: record.Validity{Verdict: record.Invalid}, ICL: stats.Dist{Max: ptr(60_000)}}
	return &record.Run{
		Start: time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC), Complete: true,
		Levels: []record.Level{level, spoiled},
		Saturation: &record.Saturation{
			Scenario: "saturation", Unit: record.ByConcurrency, Knee: &record.Interval{Low: 40, High: 52},
			OperatingPoint: &record.OperatingPoint{Concurrency: 31.5, LimitedBy: "slo"},
		},
		SLO: record.SLO{Criteria: []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 400}, {Metric: "itl", Percentile: "p99", Limit: 50}, {Metric: "e2e", Percentile: "p99", Limit: 1}}},
	}
}

func TestLevelsComeFromTheRun(t *testing.T) {
	opt, remarks := Options{}.Measured(aRun(), "r1")
	if diff := cmp.Diff(Options{
		TTFT: 500 * time.Millisecond, ITL: 50 * time.Millisecond, Objective: 0.99,
		Knee: 52, KneeFrom: "knee of run r1, scenario saturation: between 40 and 52 requests in flight, measured 2026-11-30",
		OperatingPoint: 31.5, OperatingFrom: "operating point of run r1, scenario saturation: 31.5 requests in flight, limited by slo, measured 2026-11-30",
		Stall: 150, StallFrom: "5 times the longest time without a token in run r1, 26000 ms in level saturation-c8; at least 2m and at most 15m",
		KVFrom: "; full is 120000 tokens in run r1",
	}, opt); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	want := []string{"the SLO of r1 has TTFT 400ms, which is no boundary of vLLM's histogram: the alerts count what is slower than 500ms"}
	if diff := cmp.Diff(want, remarks); diff != "" {
		t.Errorf("remarks (-want +got):\n%s", diff)
	}
	b, err := Rules(opt)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(strings.ReplaceAll(string(b), "#", "")), " ") // comments are broken into lines
	for _, want := range []string{") > 52", ") > 31.5", "[150s]", "level: knee of run r1", "level: operating point of run r1", "full is 120000 tokens in run r1", "alert: vLLMOverloaded", "alert: vLLMAboveOperatingPoint"} {
		if !strings.Contains(text, want) {
			t.Errorf("the rules lack %s", want)
		}
	}
}

func TestWhatTheUserSaysHoldsOverTheRun(t *testing.T) {
	given := Options{TTFT: time.Second, Objective: 0.9, Knee: 10, KneeFrom: "mine", Stall: 120, StallFrom: "mine"}
	opt, _ := given.Measured(aRun(), "r1")
	if opt.TTFT != time.Second || opt.Objective != 0.9 || opt.Knee != 10 || opt.KneeFrom != "mine" || opt.Stall != 120 {
		t.Errorf("the run changed what was given: %+v", opt)
	}
	if opt.ITL != 50*time.Millisecond {
		t.Errorf("the run's ITL was not taken: %s", opt.ITL)
	}
}

func TestWhatARunDoesNotKnowIsSaid(t *testing.T) {
	for what, change := range map[string]func(*record.Run){
		"looked for no knee":       func(r *record.Run) { r.Saturation = nil },
		"is a rate":                func(r *record.Run) { r.Saturation.Unit = "requests/s" },
		"did not reach a knee":     func(r *record.Run) { r.Saturation.Knee = nil },
		"was not finished":         func(r *record.Run) { r.Complete = false },
		"did not meet its SLO":     func(r *record.Run) { r.SLO.Met = new(bool) },
		"that is no limit":         func(r *record.Run) { r.Saturation.OperatingPoint.LimitedBy = "grid" },
		"no metrics of the engine": func(r *record.Run) { r.Levels[0].Server = nil },
		"engines behind":           func(r *record.Run) { r.Levels[0].Server.Engines = 2 },
		"simulated engine":         func(r *record.Run) { r.Target.Simulated = true },
		"has no valid level":       func(r *record.Run) { r.Levels = r.Levels[1:] },
		"is no share of requests":  func(r *record.Run) { r.SLO.Criteria[1].Percentile = "mean" },
		"beyond vLLM's histogram":  func(r *record.Run) { r.SLO.Criteria[1].Limit = 1e9 },
	} {
		run := aRun()
		change(run)
		opt, remarks := Options{}.Measured(run, "r1")
		if !slices.ContainsFunc(remarks, func(s string) bool { return strings.Contains(s, what) }) {
			t.Errorf("%s: not said in %q", what, remarks)
		}
		b, err := Rules(opt)
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if what == "that is no limit" && strings.Contains(string(b), "vLLMAboveOperatingPoint") {
			t.Error("the largest load measured is taken for a limit")
		}
	}
}

func TestLimitsComeFromTheFile(t *testing.T) {
	opt, remarks := Options{}.Declared([]spec.Criterion{{Metric: "ttft", Percentile: "p90", Limit: 1000}}, "assay.yaml")
	if opt.TTFT != time.Second || opt.Objective != 0.9 || opt.ITL != 0 || len(remarks) != 0 {
		t.Errorf("got %+v and %q", opt, remarks)
	}
}
