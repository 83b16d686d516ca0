package bench

import (
	"testing"
	"time"

	"assay/internal/load"
	"assay/internal/record"
	"assay/internal/spec"
)

func trialBase(change func(*spec.Scenario)) PlannedLevel {
	sc := spec.Scenario{Name: "saturation", Concurrency: []int{8}, NumRequests: 100, Prompt: spec.Fixed(200), Output: spec.Fixed(64), SharedPrefix: 40, Confirm: true, Budget: time.Minute}
	if change != nil {
		change(&sc)
	}
	return newLevel(sc, record.ByConcurrency, 8)
}

func TestATrialChangesOneThing(t *testing.T) {
	base := trialBase(nil)
	for _, c := range []struct {
		kind           string
		load           float64
		output, shared float64
		requests       int
		id             string
		budget         time.Duration
	}{
		{record.HalveOutput, 8, 32, 40, 100, "saturation-trial-halve-output-c8", time.Minute},
		{record.OneToken, 8, 1, 40, 100, "saturation-trial-one-token-c8", time.Minute},
		{record.SharedPrompts, 8, 64, 180, 100, "saturation-trial-shared-prompts-c8", time.Minute},
		{record.UniquePrompts, 8, 64, 0, 100, "saturation-trial-unique-prompts-c8", time.Minute},
		{record.DoubleLoad, 16, 64, 40, 200, "saturation-trial-double-load-c16", 2 * time.Minute},
	} {
		x := record.Experiment{Kind: c.kind, Level: base.ID, Load: base.Load}
		x.Load.Value = c.load
		l, why := trialLevel(base, x)
		if why != "" {
			t.Errorf("%s: %s", c.kind, why)
			continue
		}
		if l.ID != c.id || l.Pass != record.PassTrial || l.Load.Value != c.load || l.Load.Requests != c.requests ||
			l.Output.Expected() != c.output || float64(l.Scenario.SharedPrefix) != c.shared || l.Prompt.Expected() != 200 || l.Scenario.Budget != c.budget {
			t.Errorf("%s: %+v", c.kind, l)
		}
		// A run that was killed tells it from the id.
		p := Plan{Levels: []PlannedLevel{base}}
		again := p.level(c.id)
		if again.Pass != record.PassTrial || again.Scenario.Name != "saturation-trial" || again.Load.Value != c.load || again.Output.Expected() != c.output {
			t.Errorf("%s from its id: %+v", c.id, again)
		}
	}
	if base.Scenario.Name != "saturation" || base.Output.Expected() != 64 {
		t.Error("the base was changed")
	}
}

func TestWhatCannotBeTried(t *testing.T) {
	base := trialBase(func(s *spec.Scenario) { s.DatasetPath = "prompts.json" })
	for kind, want := range map[string]bool{record.HalveOutput: false, record.SharedPrompts: false, record.DoubleLoad: true, "unheard-of": false} {
		if _, why := trialLevel(base, record.Experiment{Kind: kind, Load: base.Load}); (why == "") != want {
			t.Errorf("%s of a dataset: %q", kind, why)
		}
	}
}

// trialOf is a valid closed loop with a throughput.
func trialOf(id, pass string, perSecond float64) record.Level {
	l := record.Level{ID: id, Scenario: "saturation", Pass: pass, Load: record.Load{Kind: record.ByConcurrency, Value: 8}, Validity: record.Validity{Verdict: record.Valid},
		Requests: record.Requests{Completed: 10_000}, Throughput: record.Throughput{RequestsPerS: perSecond},
		Got:    record.Tokens{Prompt: ptr(10.0), Output: ptr(100.0)},
		Server: &record.Server{PrefillMean: ptr(1.0), DecodeMean: ptr(999.0)}}
	if pass == record.PassTrial {
		l.Scenario = "saturation-trial"
	}
	return l
}

func TestARefutedVerdictLosesItsConfidence(t *testing.T) {
	b := record.Bound{Verdict: record.BoundNotSaturated, Confidence: 0.8, Experiment: &record.Experiment{Kind: record.DoubleLoad, Level: "saturation-c8"}}
	base := trialOf("saturation-c8", record.PassGrid, 10)
	for _, c := range []struct {
		perSecond float64
		want      string
	}{{17, record.Supported}, {10, record.Refuted}} {
		trial := trialOf("saturation-trial-double-load-c16", record.PassTrial, c.perSecond)
		got := tried(b, []record.Level{base, trial})
		if got.Trial == nil || got.Trial.Verdict != c.want || (got.Confidence > b.Confidence) != (c.want == record.Supported) {
			t.Errorf("%g requests/s: %+v at %.2f, want %s", c.perSecond, got.Trial, got.Confidence, c.want)
		}
	}
	// The trial of another experiment is not this one's.
	other := trialOf("saturation-trial-halve-output-c8", record.PassTrial, 17)
	if got := tried(b, []record.Level{base, other}); got.Trial != nil {
		t.Errorf("%+v of another experiment", got.Trial)
	}
}

func TestTrialsTakeNoPartInTheRun(t *testing.T) {
	missed := []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Verdict: record.Missed}}
	met := []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Verdict: record.Met}}
	base, trial := trialOf("fixed-c8", record.PassGrid, 10), trialOf("fixed-trial-double-load-c16", record.PassTrial, 10)
	base.Scenario, base.SLO, trial.SLO, trial.Validity.Verdict = "fixed", met, missed, record.Unstable
	run := &record.Run{Levels: []record.Level{base, trial}, SLO: record.SLO{Given: true}}
	slo, err := spec.ParseConditions([]string{"ttft.p95<500ms"})
	if err != nil {
		t.Fatal(err)
	}
	Conclude(run, make([]Recorded, 2), Terms{SLO: slo, Seed: 1})
	if run.SLO.Met == nil || !*run.SLO.Met {
		t.Errorf("SLO %+v; the trial's miss counts", run.SLO)
	}
	if code := ExitCode(run); code != 0 {
		t.Errorf("exit code %d for a trial that is not valid", code)
	}
	if len(run.Levels) != 2 {
		t.Errorf("%d levels are left of 2", len(run.Levels))
	}
}

// Twice the load may be more than an endpoint accepts; the run has all that was asked
// for without it.
func TestATrialThatErrorsEndedLeavesTheRunComplete(t *testing.T) {
	for pass, want := range map[string]bool{record.PassGrid: true, record.PassTrial: false} {
		if got := lacking(record.Level{Pass: pass, CutBy: load.CutErrors}); got != want {
			t.Errorf("a level of pass %s that errors ended: lacking %v, want %v", pass, got, want)
		}
	}
	if !lacking(record.Level{Pass: record.PassTrial, CutBy: load.CutInterrupt}) {
		t.Error("an interrupted trial is no complete run")
	}
}
