package bench

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
)

// quiet is a View that keeps the notes and calls done after each level.
type quiet struct {
	notes []string
	done  func(record.Level)
	tick  func(load.Progress)
}

func (q *quiet) Note(s string)                     { q.notes = append(q.notes, s) }
func (q *quiet) LevelStart(PlannedLevel, int, int) {}
func (q *quiet) Tick(p load.Progress) {
	if q.tick != nil {
		q.tick(p)
	}
}
func (q *quiet) Request(*record.Request) {}

func (q *quiet) Sample(record.ClientSample) {}

func (q *quiet) LevelDone(l record.Level) {
	if q.done != nil {
		q.done(l)
	}
}

// sim serves an engine whose answers of 16 tokens take about 45 ms.
func sim(t *testing.T, change func(*engine.Config, *httpd.Options)) *httpd.Server {
	t.Helper()
	cfg := engine.Demo()
	opt := httpd.Options{PromptTokensDetails: true}
	if change != nil {
		change(&cfg, &opt)
	}
	s, err := httpd.Start(cfg, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = s.Shutdown(ctx)
	})
	return s
}

func options(t *testing.T, url string, scenarios ...spec.Scenario) Options {
	o := Options{
		Target: url, API: "chat", Scenarios: scenarios, SLO: spec.DefaultSLO(), Refine: 3, MaxErrors: 0.1,
		Timeout: 20 * time.Second, Stall: 10 * time.Second, Grace: 2 * time.Second, Seed: 1,
		Out: filepath.Join(t.TempDir(), "run"), Version: "test",
	}
	return o
}

// short is a scenario of small answers.
func short(name string, s spec.Scenario) spec.Scenario {
	s.Name, s.Prompt, s.Output = name, spec.Fixed(64), spec.Fixed(16)
	return s.Over(spec.Default(name))
}

func run(t *testing.T, o Options, v *quiet) (*record.Run, error) {
	t.Helper()
	plan, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	return Run(context.Background(), nil, o, plan, v)
}

func TestRunCountsExactly(t *testing.T) {
	s := sim(t, nil)
	r, err := run(t, options(t, s.URL(), short("fixed", spec.Scenario{Concurrency: []int{4}, NumRequests: 40, Exact: true})), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Levels[0]
	if l.Requests.Completed != 40 || l.Requests.Warmup != 4 || l.Client.InFlight.Max > 4 {
		t.Errorf("requests %+v, in flight at most %d", l.Requests, l.Client.InFlight.Max)
	}
	if *l.Got.Output != 16 || *l.Got.Prompt != 64 || l.TokensFrom != record.FromUsage {
		t.Errorf("got %v in and %v out from %s, want 64 and 16 from usage", *l.Got.Prompt, *l.Got.Output, l.TokensFrom)
	}
	for _, c := range l.Server.Reconciled {
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	if l.Cached == nil || *l.Cached != 0 {
		t.Errorf("cached tokens %v: unique prompts must hit no cache", l.Cached)
	}
	if !r.Complete || r.Target.Model != "llama-3.2-1b" || !r.Target.Simulated || r.Saturation != nil {
		t.Errorf("run: complete %v, target %+v, saturation %v", r.Complete, r.Target, r.Saturation)
	}
}

func TestSecondRunHitsNoCacheOfTheFirst(t *testing.T) {
	s := sim(t, nil)
	for range 2 {
		o := options(t, s.URL(), short("fixed", spec.Scenario{Concurrency: []int{4}, NumRequests: 20, Exact: true}))
		r, err := run(t, o, &quiet{})
		if err != nil {
			t.Fatal(err)
		}
		if c := r.Levels[0].Cached; c == nil || *c != 0 {
			t.Errorf("cached tokens %v with the same seed", c)
		}
	}
}

func TestSharedPrefixIsCached(t *testing.T) {
	s := sim(t, nil)
	sc := short("fixed", spec.Scenario{Concurrency: []int{4}, NumRequests: 20, Exact: true, SharedPrefix: 48})
	r, err := run(t, options(t, s.URL(), sc), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Levels[0].Cached; c == nil || *c < 20*32 {
		t.Errorf("cached tokens %v of 20 prompts that share 48", c)
	}
}

func TestRatesAndProductionFollowTheOperatingPoint(t *testing.T) {
	s := sim(t, func(c *engine.Config, _ *httpd.Options) { c.MaxNumSeqs = 4 })
	n := spec.Scenario{NumRequests: 60, Exact: true}
	sat := short(spec.Saturation, n)
	sat.Concurrency = []int{1, 4, 8, 16}
	o := options(t, s.URL(), sat, short(spec.Production, n))
	o.Refine = 1
	r, err := run(t, o, &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Saturation == nil || r.Saturation.OperatingPoint == nil {
		t.Skipf("no operating point on this machine: %+v", r.Saturation)
	}
	last := r.Levels[len(r.Levels)-1]
	want := ProductionShare * r.Saturation.OperatingPoint.RequestsPerS
	if last.Scenario != spec.Production || last.Load.Kind != record.ByRate || last.Load.Arrival != "poisson" {
		t.Fatalf("last level %+v", last.Load)
	}
	near(t, "production's rate", last.Load.Value, want, 0.15*want)
}

func TestErrorsEndALevelAndThoseAbove(t *testing.T) {
	s := sim(t, func(_ *engine.Config, o *httpd.Options) { o.Faults = httpd.Faults{Share: 0.4, ErrorAfter: 3} })
	o := options(t, s.URL(), short("steps", spec.Scenario{Concurrency: []int{2, 4, 8}, NumRequests: 300, Exact: true}))
	var r *record.Run
	var err error
	for range 10 { // the inspected request may be one of those that fail
		if r, err = run(t, o, &quiet{}); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Levels) != 1 || r.Levels[0].CutBy != load.CutErrors || r.Levels[0].Validity.Verdict != record.Invalid {
		t.Fatalf("levels: %d, the first cut by %q, %+v", len(r.Levels), r.Levels[0].CutBy, r.Levels[0].Validity)
	}
	if r.Levels[0].Errors["error-in-stream"] == 0 || r.Complete || ExitCode(r) != exitNotValid {
		t.Errorf("errors %v, complete %v, exit %d", r.Levels[0].Errors, r.Complete, ExitCode(r))
	}
}

func TestBudgetCutsADefaultCountAndSaysSo(t *testing.T) {
	s := sim(t, nil)
	v := &quiet{}
	o := options(t, s.URL(), short("fixed", spec.Scenario{Concurrency: []int{1}, Budget: 300 * time.Millisecond}))
	r, err := run(t, o, v)
	if err != nil {
		t.Fatal(err)
	}
	l := r.Levels[0]
	if l.CutBy != load.CutBudget || l.Requests.Completed >= 500 || l.Requests.Completed < 2 {
		t.Errorf("cut by %q after %d", l.CutBy, l.Requests.Completed)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "time budget") }) {
		t.Errorf("notes do not say so: %q", r.Notes)
	}
}

func TestInterruptKeepsWhatWasMeasured(t *testing.T) {
	s := sim(t, nil)
	soft := make(chan struct{})
	closed := false
	v := &quiet{tick: func(p load.Progress) {
		if p.Finished >= 5 && !closed {
			closed = true
			close(soft)
		}
	}}
	o := options(t, s.URL(), short("fixed", spec.Scenario{Concurrency: []int{2, 3}, NumRequests: 100000, Exact: true}))
	plan, err := NewPlan(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(context.Background(), soft, o, plan, v)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Interrupted || r.Complete || ExitCode(r) != exitInterrupted || len(r.Levels) != 1 {
		t.Errorf("interrupted %v, complete %v, exit %d, %d levels", r.Interrupted, r.Complete, ExitCode(r), len(r.Levels))
	}
	folder, err := Reopen(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	requests, err := folder.Requests()
	if err != nil || len(requests) < 5 {
		t.Errorf("%d requests in the folder, %v", len(requests), err)
	}
	if n := r.Levels[0].Requests; n.Cancelled+n.Failed != 0 {
		t.Errorf("%+v: what was in flight had time to finish", n)
	}
}

// A run.json without its end and without the last level is what a kill leaves.
func TestReopenFoldsWhatAKillLeft(t *testing.T) {
	s := sim(t, nil)
	o := options(t, s.URL(), short("steps", spec.Scenario{Concurrency: []int{1, 2, 4}, NumRequests: 20, Exact: true}))
	o.Refine = 0
	want, err := run(t, o, &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	killed := *want
	killed.End, killed.Complete, killed.Levels = nil, false, want.Levels[:2]
	if err := record.SaveRun(o.Out, &killed); err != nil {
		t.Fatal(err)
	}
	cut, err := os.ReadFile(filepath.Join(o.Out, record.RequestsFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.Out, record.RequestsFile), cut[:len(cut)-40], 0o644); err != nil {
		t.Fatal(err)
	}
	folder, err := Reopen(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	got := folder.Run
	if len(got.Levels) != 3 || got.Complete || got.Levels[2].CutBy != cutKilled || got.Levels[2].Validity.Verdict != record.Invalid {
		t.Fatalf("%d levels, complete %v, last %+v", len(got.Levels), got.Complete, got.Levels[len(got.Levels)-1].Validity)
	}
	if n := got.Levels[2].Requests.Completed; n != 19 {
		t.Errorf("the level under way has %d requests, want 19", n)
	}
	if got.Levels[2].Load != want.Levels[2].Load {
		t.Errorf("its load is %+v, want %+v", got.Levels[2].Load, want.Levels[2].Load)
	}
}

func TestConnectSaysWhatIsWrong(t *testing.T) {
	s := sim(t, func(_ *engine.Config, o *httpd.Options) { o.APIKey = "secret-key" })
	open := sim(t, nil)
	for _, tt := range []struct {
		name, target, model, want string
	}{
		{"unreachable", "http://127.0.0.1:1", "", "connection refused"},
		{"no key", s.URL(), "", "401"},
		{"wrong model", open.URL(), "gpt-9", "llama-3.2-1b"},
		{"a query", open.URL() + "/?key=abc", "", "query"},
		{"user info", strings.Replace(open.URL(), "http://", "http://me:pw@", 1), "", "user name"},
	} {
		o := options(t, tt.target, short("fixed", spec.Scenario{Concurrency: []int{1}, NumRequests: 1, Exact: true}))
		o.Model = tt.model
		r, err := run(t, o, &quiet{})
		if err == nil || r != nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
		if err != nil && (strings.Contains(err.Error(), "abc") || strings.Contains(err.Error(), "pw")) {
			t.Errorf("%s: the error shows a secret: %v", tt.name, err)
		}
		if _, serr := os.Stat(o.Out); serr == nil {
			t.Errorf("%s: a run folder was made", tt.name)
		}
	}
}

func TestNoUsageIsCountedByTokenize(t *testing.T) {
	s := sim(t, func(_ *engine.Config, o *httpd.Options) { o.Faults = httpd.Faults{NoUsage: true, ChunkTokens: 4} })
	r, err := run(t, options(t, s.URL(), short("fixed", spec.Scenario{Concurrency: []int{2}, NumRequests: 10, Exact: true})), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	l := r.Levels[0]
	if l.TokensFrom != record.FromTokenize || *l.Got.Output != 16 {
		t.Errorf("%v tokens from %s, want 16 from tokenize", *l.Got.Output, l.TokensFrom)
	}
}

func TestLongContextGoesAsFarAsTheModel(t *testing.T) {
	s := sim(t, func(c *engine.Config, _ *httpd.Options) { c.MaxModelLen = 8192 })
	sc := spec.Scenario{NumRequests: 2, Exact: true, Output: spec.Fixed(8)}.Over(spec.Default(spec.LongContext))
	r, err := run(t, options(t, s.URL(), sc), &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	var got []int
	for _, l := range r.Levels {
		got = append(got, int(*l.Got.Prompt))
	}
	if len(got) != 2 || math.Abs(float64(got[0])-4096) > 82 || math.Abs(float64(got[1])-8184) > 164 {
		t.Errorf("prompts of %v tokens, want about 4096 and 8184", got)
	}
}
