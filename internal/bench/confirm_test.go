package bench

import (
	"slices"
	"testing"
	"time"

	"assay/internal/engine"
	"assay/internal/engine/httpd"
	"assay/internal/record"
	"assay/internal/spec"
)

func TestAKneeIsTestedByOpenLoops(t *testing.T) {
	s := sim(t, func(c *engine.Config, _ *httpd.Options) { c.MaxNumSeqs = 4 })
	sc := short(spec.Saturation, spec.Scenario{NumRequests: 60, Exact: true})
	sc.Concurrency = []int{1, 4, 8, 16}
	o := options(t, s.URL(), sc)
	o.Refine, o.confirmFor = 0, 500*time.Millisecond
	r, err := run(t, o, &quiet{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Saturation == nil || r.Saturation.Knee == nil {
		t.Skipf("no knee on this machine: %+v", r.Saturation)
	}
	got := r.Saturation.Confirmation
	if len(got) != 2 || got[0].Share != 0.8 || got[1].Share != 0.95 {
		t.Fatalf("confirmation: %+v", got)
	}
	for i, c := range got {
		l := r.Levels[len(r.Levels)-2+i]
		if l.Pass != record.PassConfirm || l.Scenario != "saturation-confirm" || l.ID != c.Level || l.Load.Kind != record.ByRate || l.Load.Arrival != "poisson" {
			t.Errorf("level %d: %s of %s, pass %s, %+v", i, l.ID, l.Scenario, l.Pass, l.Load)
		}
		near(t, "rate", l.Load.Value, got[i].Share**r.Saturation.KneeRate, 0.01**r.Saturation.KneeRate)
		if c.Held != nil || c.Why == "" {
			t.Errorf("half a second tells whether a rate is held: %+v", c)
		}
	}
	folder, err := Reopen(o.Out)
	if err != nil {
		t.Fatal(err)
	}
	if again := folder.Run.Saturation.Confirmation; len(again) != 2 || again[1].Level != got[1].Level {
		t.Errorf("reopened: %+v", again)
	}
}

func TestAShortRunIsNotConfirmedAndSaysSo(t *testing.T) {
	for choice, want := range map[string]int{"": 1, spec.Never: 0} {
		s := sim(t, func(c *engine.Config, _ *httpd.Options) { c.MaxNumSeqs = 4 })
		sc := short(spec.Saturation, spec.Scenario{NumRequests: 60, Exact: true, ConfirmKnee: choice})
		sc.Concurrency = []int{1, 4, 8, 16}
		o := options(t, s.URL(), sc)
		o.Refine = 0
		v := &quiet{}
		r, err := run(t, o, v)
		if err != nil {
			t.Fatal(err)
		}
		if r.Saturation == nil || r.Saturation.Knee == nil {
			t.Skipf("no knee on this machine: %+v", r.Saturation)
		}
		said := 0
		for _, n := range r.Notes {
			if len(n) > 30 && n[:30] == "the knee is not confirmed by a" {
				said++
			}
		}
		if len(r.Levels) != 4 || said != want {
			t.Errorf("choice %q: %d levels, said %d times that the knee is not confirmed, want %d", choice, len(r.Levels), said, want)
		}
	}
}

// What tests the knee is no part of what it tests: not of the SLO, not of
// validity; but a knee that does not hold is not valid.
func TestConfirmationIsNoLevelOfTheVerdict(t *testing.T) {
	no := false
	valid := record.Level{Scenario: "saturation", Requests: record.Requests{Completed: 9}, Validity: record.Validity{Verdict: record.Valid}, Load: record.Load{Kind: record.ByConcurrency, Value: 4},
		SLO: []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Value: ptr(100.0), Verdict: record.Met}}}
	test := record.Level{Scenario: "saturation-confirm", Pass: record.PassConfirm, Requests: record.Requests{Completed: 9},
		Validity: record.Validity{Verdict: record.Unstable, Reasons: []string{"x"}}, Load: record.Load{Kind: record.ByRate, Value: 4},
		SLO: []record.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500, Value: ptr(900.0), Verdict: record.Missed}}}
	r := &record.Run{Levels: []record.Level{valid, test}, Saturation: &record.Saturation{Scenario: "saturation", Unit: record.ByConcurrency,
		OperatingPoint: &record.OperatingPoint{Concurrency: 4}, Confirmation: []record.Confirmation{{Share: 0.95, Held: &no}}}}
	if slo := sloOf(r, []spec.Criterion{{Metric: "ttft", Percentile: "p95", Limit: 500}}); slo.Met == nil || !*slo.Met {
		t.Errorf("SLO %+v", slo)
	}
	if got := ExitCode(r); got != 0 {
		t.Errorf("exit %d with 0.95 of the knee not held", got)
	}
	r.Saturation.Confirmation = append(slices.Clone(r.Saturation.Confirmation), record.Confirmation{Share: 0.8, Held: &no})
	if got := ExitCode(r); got != exitNotValid {
		t.Errorf("exit %d with 0.8 of the knee not held, want %d", got, exitNotValid)
	}
}
